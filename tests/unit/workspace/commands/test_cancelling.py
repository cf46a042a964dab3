"""A command is cancelled in every phase of its life: it ends as cancelled, and nothing of it is left or runs later."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from code_assistant.errors import ToolError, WorkspaceError
from code_assistant.workspace.commands import running
from code_assistant.workspace.commands.output import KeptOutput
from code_assistant.workspace.commands.running import RunningCommand
from code_assistant.workspace.commands.supervisor import Care, Supervisor
from tests.hang_guard import HANG_GUARD
from tests.processes import met_at, processes_with
from tests.unit.workspace.commands.support import Engine, Heard, cancel, change_supervision

STUBBORN = "trap '' TERM; touch began; echo up; while :; do sleep {0}; done"


async def test_cancelled_before_it_began_it_never_runs(engine: Engine) -> None:
    assert await cancel(asyncio.create_task(engine.run("touch began")))
    await engine.close()
    assert list(engine.folder.iterdir()) == []


async def test_cancelled_while_the_supervisor_starts_it_never_runs(engine: Engine, tmp_path: Path) -> None:
    fifo, cut = tmp_path / "fifo", asyncio.Event()
    os.mkfifo(fifo)
    command = engine.command("touch began")
    with pytest.MonkeyPatch.context() as patched:
        change_supervision(patched, f"open({str(fifo)!r}).read()")
        task = asyncio.create_task(engine.commands.run(command, engine.spill, Heard(), HANG_GUARD, cut.set))
        # Returns when the supervisor has come to the other end; everything was sent before it looks.
        writer = await met_at(fifo)
    task.cancel()
    await cut.wait()
    os.close(writer)
    await asyncio.wait({task}, timeout=HANG_GUARD)
    assert task.cancelled()
    await engine.close()
    assert list(engine.folder.iterdir()) == []


async def test_ended_before_its_turn_came_it_never_runs(engine: Engine) -> None:
    command = RunningCommand(engine.command("touch began"), engine.supervisor, KeptOutput(engine.spill, Heard()))
    await command.end()
    with pytest.raises(WorkspaceError, match="ended before it began"):
        _ = command.ending
    with pytest.raises(WorkspaceError, match="ended before it began"):
        await command.has_started()
    assert list(engine.folder.iterdir()) == []


async def test_cancelled_at_every_step_of_its_start(engine: Engine, marker: str) -> None:
    """One more step of the event loop each time, until one was cancelled that had printed something."""
    steps = 0
    while True:
        heard = Heard()
        task = asyncio.create_task(engine.run(STUBBORN.format(marker), heard=heard))
        for _ in range(steps):
            # Real time passes, too: the others of the play are processes of their own.
            await asyncio.sleep(0.0002)
        was_up = "up" in heard.text
        assert await cancel(task)
        assert processes_with(marker) == []
        if was_up:
            break
        steps += 1 + steps // 4


@pytest.fixture
def slow_keeper(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Keepers wait at this fifo before they start anything."""
    fifo = tmp_path / "start"
    os.mkfifo(fifo)
    change_supervision(
        monkeypatch,
        f"start = keeper.Keeper._start; "
        f"keeper.Keeper._start = lambda self, request: (open({str(fifo)!r}).read(), start(self, request))[1]",
    )
    return fifo


async def test_cancelled_while_starting(engine: Engine, marker: str, slow_keeper: Path) -> None:
    task = asyncio.create_task(engine.run(STUBBORN.format(marker)))
    # Returns when the keeper has come to the other end; then it has the whole request.
    writer = await met_at(slow_keeper)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    os.close(writer)
    await asyncio.wait({task}, timeout=HANG_GUARD)
    assert task.cancelled()
    assert processes_with(marker) == []


async def test_cancelled_while_starting_by_a_keeper_that_hangs(engine: Engine, marker: str, slow_keeper: Path) -> None:
    task = asyncio.create_task(engine.run(STUBBORN.format(marker)))
    writer = await met_at(slow_keeper)
    assert await cancel(task)
    os.close(writer)
    assert list(engine.folder.iterdir()) == []


async def test_cancelled_twice_and_while_ending(engine: Engine, marker: str) -> None:
    cut = asyncio.Event()
    heard = Heard()
    command = engine.command(STUBBORN.format(marker))
    task = asyncio.create_task(engine.commands.run(command, engine.spill, heard, HANG_GUARD, cut.set))
    await heard.until("up")
    task.cancel()
    await cut.wait()
    for _ in range(3):
        # Ending takes its time, as the command does not obey; no further cancel may cut that short.
        await asyncio.sleep(0)
        task.cancel()
    assert not task.done()
    await asyncio.wait({task}, timeout=HANG_GUARD)
    assert task.cancelled()
    assert processes_with(marker) == []


async def test_a_cancel_while_a_time_out_ends_it_is_not_lost(engine: Engine, marker: str) -> None:
    cut = asyncio.Event()
    command = engine.command(STUBBORN.format(marker))
    task = asyncio.create_task(engine.commands.run(command, engine.spill, Heard(), 0.3, cut.set))
    await cut.wait()
    assert await cancel(task)
    assert processes_with(marker) == []


async def test_that_it_is_being_ended_is_known_at_once(engine: Engine, marker: str) -> None:
    seen: list[list[str]] = []
    heard = Heard()
    command = engine.command(STUBBORN.format(marker))
    look = asyncio.create_task(
        engine.commands.run(command, engine.spill, heard, HANG_GUARD, lambda: seen.append(processes_with(marker)))
    )
    await heard.until("up")
    assert await cancel(look)
    assert len(seen) == 1
    assert seen[0]
    seen.clear()
    await engine.commands.run(engine.command("true"), engine.spill, heard, HANG_GUARD, lambda: seen.append([]))
    assert seen == []


async def test_closing_while_commands_start_and_run(engine: Engine, marker: str) -> None:
    tasks = [asyncio.create_task(engine.run(STUBBORN.format(marker))) for _ in range(3)]
    background = asyncio.create_task(engine.background(STUBBORN.format(marker)))
    await asyncio.sleep(0)
    await engine.close()
    assert processes_with(marker) == []
    await asyncio.wait({*tasks, background}, timeout=HANG_GUARD)
    for task in (*tasks, background):
        assert task.exception() is None or isinstance(task.exception(), WorkspaceError)
    with pytest.raises(ToolError, match="session is ending"):
        await engine.run("true")
    with pytest.raises(ToolError, match="session is ending"):
        await engine.background("true")
    await engine.close()


async def test_a_close_that_is_cancelled_has_ended_everything_all_the_same(engine: Engine, marker: str) -> None:
    async with engine.running(STUBBORN.format(marker)) as task:
        closing = asyncio.create_task(engine.commands.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.wait({closing}, timeout=HANG_GUARD)
        assert closing.cancelled()
        assert processes_with(marker) == []
        await task


async def test_a_keeper_that_cannot_be_had_is_said_and_costs_no_descriptor(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await engine.run("true")
    before = sorted(os.listdir("/proc/self/fd"))

    def no_more(*_: object) -> None:
        raise OSError(24, "Too many open files")

    for place in ("socket.socketpair", "os.pipe"):
        with monkeypatch.context() as patched:
            patched.setattr(f"code_assistant.workspace.commands.supervisor.{place}", no_more)
            with pytest.raises(WorkspaceError, match="No command can be started: Too many open files"):
                await engine.run("true")
    with monkeypatch.context() as patched:
        patched.setattr(Supervisor, "_send", no_more)
        with pytest.raises(WorkspaceError, match="No command can be started: Too many open files"):
            await engine.run("true")
    assert sorted(os.listdir("/proc/self/fd")) == before
    assert (await engine.run("exit 2")).ending.status == 2


async def test_what_nobody_can_end_is_given_up_and_said(
    engine: Engine, marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither keeper nor supervisor does anything; the process is ended with the supervisor's own end."""
    monkeypatch.setattr(running, "SECONDS_FOR_SUPERVISOR", 0.1)
    monkeypatch.setattr(running, "SECONDS_FOR_KEEPER", 0.1)

    def nothing(self: Supervisor, care: Care) -> None:
        del self, care

    monkeypatch.setattr(Supervisor, "kill_keeper", nothing)
    monkeypatch.setattr(RunningCommand, "_hang_up", lambda _: None)
    finished = await engine.run(f"echo up; sleep {marker}", seconds=1)
    assert finished.timed_out
    assert finished.ending.may_live_on
    assert "may still run" in finished.ending.remarks[0]
