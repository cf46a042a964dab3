"""Walls that fall while they are set up: nothing of the command has run, so it is begun again, and runs once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import fields
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.commands.running import TIMES_TO_BEGIN, Command
from code_assistant.workspace.commands.sandbox.sandbox import Enclosure
from code_assistant.workspace.commands.table import Finished
from tests.hang_guard import HANG_GUARD
from tests.processes import met_at
from tests.unit.workspace.commands.sandbox.world import WalledEngine, World, needs_bubblewrap
from tests.unit.workspace.commands.support import Heard, change_supervision

pytestmark = needs_bubblewrap

ONCE = "echo x >> ran; echo hello"


class Turns:
    """Whenever a keeper takes a turn, git's configuration is replaced, as long as there is something left for that."""

    def __init__(self, world: World) -> None:
        world.make_repository()
        self.configuration = world.workspace / ".git/config"
        self._folder = world.workspace / ".git/turns"
        self._folder.mkdir()
        self.statement = (
            "import glob, os; "
            f"turn = lambda: [os.replace(each, {str(self.configuration)!r}) "
            f"for each in sorted(glob.glob({str(self._folder / '*')!r}))[:1]]"
        )

    def add(self, count: int) -> None:
        for number in range(count):
            (self._folder / str(number)).write_bytes(self.configuration.read_bytes())

    @property
    def left(self) -> int:
        return len(list(self._folder.iterdir()))

    def before_looking(self, monkeypatch: pytest.MonkeyPatch, otherwise: str = "None") -> None:
        look = "look = keeper.WallWatch.misplaced; keeper.WallWatch.misplaced"
        change_supervision(
            monkeypatch, f"{self.statement}; {look} = lambda *words: (turn() or {otherwise}, look(*words))[1]"
        )


@pytest.fixture
def turns(world: World) -> Turns:
    return Turns(world)


async def disturbed(walled: WalledEngine, text: str, *disturb: Callable[[], object]) -> Finished:
    """Run a command with which something happens each time after its walls were planned."""
    return await walled.commands.run(_disturbed(walled, text, *disturb), walled.spill, Heard(), HANG_GUARD)


def _disturbed(walled: WalledEngine, text: str, *disturb: Callable[[], object]) -> Command:
    waiting = list(disturb)

    class Disturbed(Command):
        async def enclosure(self) -> Enclosure:
            made = await super().enclosure()
            happens = waiting.pop(0)() if waiting else None
            if isinstance(happens, Awaitable):
                await happens
            return made

    command = walled.command(text)
    return Disturbed(**{each.name: getattr(command, each.name) for each in fields(command)})


def ran(world: World) -> str:
    file = world.workspace / "ran"
    return file.read_text() if file.exists() else ""


@pytest.mark.parametrize("count", [1, TIMES_TO_BEGIN - 1])
async def test_safe_s3_walls_that_fell_before_it_began_are_set_up_again(
    walled: WalledEngine, world: World, turns: Turns, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    turns.before_looking(monkeypatch)
    turns.add(count)
    finished = await walled.run(f"{ONCE}; echo evil > .git/config || echo kept")
    assert finished.output.parts.head.splitlines()[0::2] == ["hello", "kept"]
    assert (finished.ending.status, finished.ending.remarks, ran(world), turns.left) == (0, (), "x\n", 0)


async def test_safe_s3_walls_that_go_on_falling_end_the_command_before_it_began(
    walled: WalledEngine, world: World, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns.before_looking(monkeypatch)
    turns.add(TIMES_TO_BEGIN + 1)
    finished = await walled.run(ONCE)
    assert (finished.ending.lost_wall, turns.left) == (str(turns.configuration), 1)
    assert f"It was ended because {turns.configuration}, which is protected" in " ".join(finished.ending.remarks)
    assert (finished.output.parts.head, ran(world)) == ("", "")


async def test_safe_o1_cancelled_when_it_is_begun_again_it_never_runs(
    walled: WalledEngine, world: World, turns: Turns, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fifo, cut = tmp_path / "fifo", asyncio.Event()
    os.mkfifo(fifo)
    turns.before_looking(monkeypatch, otherwise=f"open({str(fifo)!r}).read()")
    turns.add(1)
    # One that is let go has all the time it needs.
    change_supervision(
        monkeypatch,
        "import time; hear = keeper.Keeper._hear_that_walls_stand; "
        f"has_time = lambda self: self._has_begun and not os.path.exists({str(world.workspace / 'ran')!r}); "
        "wait = lambda self: [time.sleep(0.01) for _ in iter(lambda: has_time(self), False)]; "
        "keeper.Keeper._hear_that_walls_stand = lambda self, *words: (hear(self, *words), wait(self))[0]",
    )
    command = walled.command(ONCE)
    task = asyncio.create_task(walled.commands.run(command, walled.spill, Heard(), HANG_GUARD, cut.set))
    # Returns when a keeper has come to the other end, with walls that all stand.
    writer = await met_at(fifo)
    assert turns.left == 0
    task.cancel()
    await cut.wait()
    os.close(writer)
    await asyncio.wait({task}, timeout=HANG_GUARD)
    assert task.cancelled()
    await walled.close()
    assert ran(world) == ""


async def test_safe_o1_cancelled_while_walls_are_planned_again_it_never_runs(
    walled: WalledEngine, world: World, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns.before_looking(monkeypatch)
    turns.add(1)
    planned, cut = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        planned.set()
        await cut.wait()

    command = _disturbed(walled, ONCE, lambda: None, wait)
    task = asyncio.create_task(walled.commands.run(command, walled.spill, Heard(), HANG_GUARD, cut.set))
    await planned.wait()
    task.cancel()
    await asyncio.wait({task}, timeout=HANG_GUARD)
    assert task.cancelled()
    await walled.close()
    assert ran(world) == ""


async def test_a_time_out_counts_for_all_of_it(
    walled: WalledEngine, world: World, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns.before_looking(monkeypatch, otherwise="__import__('time').sleep(900)")
    turns.add(1)
    finished = await walled.run(ONCE, seconds=2)
    assert (finished.timed_out, ran(world)) == (True, "")


async def test_safe_s3_what_bubblewrap_no_longer_finds_is_planned_again(walled: WalledEngine, world: World) -> None:
    """Nothing is told of what it said of that."""
    file = world.workspace / ".mcp.json"
    file.write_text("{}")
    finished = await disturbed(walled, f"{ONCE}; mkdir .mcp.json/x || echo kept", file.unlink)
    said, refused, kept = finished.output.parts.head.splitlines()
    assert (said, "Read-only file system" in refused, kept, ran(world)) == ("hello", True, "kept", "x\n")
    assert not file.exists()


async def test_safe_s3_a_link_that_was_changed_before_it_is_listened_to_is_looked_at_again(
    walled: WalledEngine, world: World
) -> None:
    """It stays as the person has made it, and it is where it leads now that is protected."""
    link = world.workspace / ".claude"
    for name in ("first", "second"):
        (world.workspace / name).mkdir()
    link.symlink_to("first")

    def change() -> None:
        link.unlink()
        link.symlink_to("second")

    finished = await disturbed(walled, f"{ONCE}; echo x > first/new; echo x > second/new || echo kept", change)
    assert finished.output.parts.head.splitlines()[0::2] == ["hello", "kept"]
    assert (os.readlink(link), finished.ending.remarks, ran(world)) == ("second", (), "x\n")
    assert [(world.workspace / name / "new").exists() for name in ("first", "second")] == [True, False]


async def test_safe_s3_begun_again_beside_another_command_it_has_the_walls_of_that_one(
    walled: WalledEngine, world: World, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns.before_looking(monkeypatch)
    (world.workspace / ".claude").mkdir()
    async with walled.running("echo up; until [ -e go ]; do sleep 0.01; done; echo evil > .git/config") as other:
        turns.add(1)
        # Nothing that is there now, but was not when the first one began, counts for the second.
        (world.workspace / ".husky").mkdir()
        finished = await walled.run(f"{ONCE}; echo new > .husky/new; echo evil > .git/config; touch go")
        ending = (await other).ending
    assert (ran(world), turns.left, finished.ending.status, ending.lost_wall) == ("x\n", 0, 0, None)
    assert (world.workspace / ".husky/new").exists()
    assert "evil" not in turns.configuration.read_text()


async def test_in_the_background_it_has_started_when_it_runs(
    walled: WalledEngine, world: World, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start that fails at the second attempt is one that failed."""
    turns.before_looking(monkeypatch)
    turns.add(1)

    def fail() -> None:
        raise WorkspaceError("no more walls")

    with pytest.raises(WorkspaceError, match="no more walls"):
        await walled.commands.start_in_background(_disturbed(walled, ONCE, lambda: None, fail), walled.spill)
    assert ran(world) == ""


@pytest.mark.parametrize("left", [False, True], ids=["nothing left", "something left"])
async def test_what_is_replaced_after_its_shell_ended_ends_only_what_it_left(
    walled: WalledEngine, turns: Turns, monkeypatch: pytest.MonkeyPatch, marker: str, left: bool
) -> None:
    """The guard of the sandbox is still there then, and is nothing that the command has left."""
    change_supervision(monkeypatch, f"{turns.statement}; keeper.Keeper._dismiss_guard = lambda self: turn()")
    turns.add(1)
    finished = await walled.run(f"sleep {marker} & echo up" if left else "echo up")
    assert (finished.output.parts.head, finished.ending.status, turns.left) == ("up\n", 0, 0)
    assert finished.ending.left_running is left
    assert finished.ending.lost_wall is None
