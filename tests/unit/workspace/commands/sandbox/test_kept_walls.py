"""Walls while commands run: what is replaced outside is walled off again, and nobody leads walls elsewhere."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.commands import running as running_command
from code_assistant.workspace.commands.running import Command, RunningCommand
from code_assistant.workspace.commands.sandbox.sandbox import Enclosure
from code_assistant.workspace.commands.supervision import mount_table
from code_assistant.workspace.commands.supervision.descendants import child_of, descendants
from code_assistant.workspace.commands.supervision.kernel import LIBRARY, checked
from code_assistant.workspace.commands.supervision.mount_table import Mounted, misplaced
from code_assistant.workspace.commands.supervision.remounting import HERE, were_remounted
from code_assistant.workspace.commands.supervision.wire import CLOSED, READ_ONLY, WRITABLE, KeptWall
from code_assistant.workspace.spill import SpillFolder
from tests.hang_guard import HANG_GUARD
from tests.unit.workspace.commands.sandbox.world import (
    SECRET,
    WalledEngine,
    World,
    ended,
    git,
    needs_bubblewrap,
    running,
)
from tests.unit.workspace.commands.support import Heard, change_supervision

pytestmark = needs_bubblewrap

AS_IT_WAS = "as it was"
# Of renameat2: both change places in one step.
EXCHANGE = 2


def _replace_configuration(world: World) -> Path:
    git(world.workspace, "config", "remote.x.url", "elsewhere")
    return world.workspace / ".git/config"


def _remove_stand_in(world: World) -> Path:
    (world.workspace / ".vscode").rmdir()
    return world.workspace / ".vscode"


def _remove_folder(world: World) -> Path:
    shutil.rmtree(world.workspace / ".claude")
    return world.workspace / ".claude"


def _rename_folder(world: World) -> Path:
    (world.workspace / ".claude").rename(world.workspace / ".claude.old")
    (world.workspace / ".claude").mkdir()
    return world.workspace / ".claude"


def _remove_and_make_file(world: World) -> Path:
    (world.workspace / ".envrc").unlink()
    (world.workspace / ".envrc").write_text("new")
    return world.workspace / ".envrc"


def _replace_hooks(world: World) -> Path:
    shutil.rmtree(world.workspace / ".git/hooks")
    (world.workspace / ".git/hooks").mkdir()
    return world.workspace / ".git/hooks"


OUTSIDE: tuple[Callable[[World], Path], ...] = (
    _replace_configuration,
    _remove_stand_in,
    _remove_folder,
    _rename_folder,
    _remove_and_make_file,
    _replace_hooks,
)


@pytest.mark.parametrize("change", OUTSIDE, ids=lambda change: change.__name__.strip("_"))
async def test_safe_s3_what_the_person_replaces_is_walled_off_again(
    walled: WalledEngine, world: World, change: Callable[[World], Path]
) -> None:
    world.make_repository()
    (world.workspace / ".claude").mkdir()
    (world.workspace / ".claude/settings.json").write_text(AS_IT_WAS)
    (world.workspace / ".envrc").write_text(AS_IT_WAS)
    background = await running(
        walled,
        "echo up; until [ -e go ]; do sleep 0.01; done; place=$(cat go)\n"
        'until [ -e "$place" ] && ! [ -w "$place" ]; do sleep 0.01; done\n'
        'echo evil > "$place/evil"; echo evil > "$place"; rm -rf "$place"; mv "$place" away; mkdir "$place"',
    )
    place = change(world)
    before = _content(place)
    (world.base / "go").write_text(str(place))
    (world.base / "go").rename(world.workspace / "go")
    await ended(background)
    assert _content(place) == before


def _content(place: Path) -> dict[str, str]:
    return {str(path): path.read_text() for path in (place, *place.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("is_read_only", [False, True], ids=["writes", "reads"])
async def test_safe_s1_what_is_covered_stays_so_when_it_is_replaced(
    walled: WalledEngine, world: World, is_read_only: bool
) -> None:
    walled.is_read_only = is_read_only
    home = world.home
    background = await running(
        walled,
        f"echo up; until [ -e {world.outside}/go ]; do sleep 0.01; done\n"
        f"while cat {home}/.netrc {home}/.ssh/* {home}/.aws/* 2>/dev/null | grep -q {SECRET}; do sleep 0.01; done\n"
        f"cat {home}/.netrc {home}/.ssh/* {home}/.aws/* 2>/dev/null; echo end",
    )
    for _ in range(3):
        (home / "new").write_text(SECRET)
        os.rename(home / "new", home / ".netrc")
    for name in (".ssh", ".aws"):
        (home / name).rename(home / f"{name}.old")
        (home / name).mkdir()
        (home / name / "id").write_text(SECRET)
    (world.outside / "go").touch()
    await ended(background)
    assert (await background.look(0)).text == "end\n"


async def test_a_command_ends_when_a_folder_above_a_wall_is_taken_away(walled: WalledEngine, world: World) -> None:
    world.make_repository()
    background = await running(walled, "echo up; sleep 900")
    (world.workspace / ".git").rename(world.workspace / "other")
    ending = await ended(background)
    assert ending.lost_wall == str(world.workspace / ".git")
    assert not ending.is_good
    assert f"It was ended because {world.workspace}/.git, which is protected" in " ".join(ending.remarks)


async def test_safe_s3_a_link_is_put_back_while_the_command_runs(walled: WalledEngine, world: World) -> None:
    (world.workspace / ".agents").mkdir()
    (world.workspace / ".claude").symlink_to(".agents")
    background = await running(walled, "rm .claude; mkdir .claude; until [ -L .claude ]; do sleep 0.01; done; echo up")
    assert (await ended(background)).changed_link
    assert os.readlink(world.workspace / ".claude") == ".agents"


async def test_safe_s3_a_command_that_goes_on_replacing_a_link_is_ended(walled: WalledEngine, world: World) -> None:
    (world.workspace / ".claude").symlink_to(".agents")
    finished = await walled.run("while :; do if [ -L .claude ]; then rm .claude; fi; done")
    assert finished.ending.lost_wall == str(world.workspace / ".claude")
    assert os.readlink(world.workspace / ".claude") == ".agents"


async def test_safe_s3_walls_are_put_back_in_mounts_of_a_commands_own_too(walled: WalledEngine, world: World) -> None:
    """By letting it have none."""
    world.make_repository()
    background = await running(
        walled,
        "unshare -Um true 2>&1 | head -1; unshare -Um sh -c '"
        "echo up; until [ -e go ]; do sleep 0.01; done; until ! [ -w .git/config ]; do sleep 0.01; done' || echo up",
    )
    git(world.workspace, "config", "remote.x.url", "elsewhere")
    (world.workspace / "go").touch()
    await ended(background)


# It notes down when it is asked to end, and goes on.
LEFT_BEHIND = "(trap 'echo > was-asked' TERM; while true; do sleep 0.01; done) & echo up; {0}"
NEVER = 2 * HANG_GUARD


async def test_safe_s3_what_a_shell_has_left_running_finds_no_wall_open(
    walled: WalledEngine, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is ended with the wall, however much time it would have had to come to its end."""
    change_supervision(monkeypatch, f"keeper.SECONDS_TO_FINISH = {NEVER}")
    world.make_repository()
    background = await running(walled, LEFT_BEHIND.format("exit 0"))
    await _until(_shell_has_ended(background.running))
    git(world.workspace, "config", "remote.x.url", "elsewhere")
    ending = await ended(background)
    assert (ending.status, ending.left_running) == (0, True)
    assert not (world.workspace / "was-asked").exists()


async def test_safe_s3_what_is_being_stopped_finds_no_wall_open(
    walled: WalledEngine, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is ended with the wall, however much time it would have had to obey."""
    change_supervision(monkeypatch, f"keeper.SECONDS_TO_OBEY = {NEVER}")
    monkeypatch.setattr(running_command, "SECONDS_FOR_KEEPER", NEVER)
    world.make_repository()
    background = await running(walled, LEFT_BEHIND.format("sleep 900"))
    stopping = background.running.begin_to_end()
    await _until((world.workspace / "was-asked").exists)
    assert background.running.is_running
    git(world.workspace, "config", "remote.x.url", "elsewhere")
    await ended(background)
    await stopping


async def test_safe_s3_what_is_replaced_just_when_the_shell_has_ended_is_left_open_to_nobody(
    walled: WalledEngine, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has noticed yet that it has, and the sandbox is not to be found any more."""
    world.make_repository()
    noticed = world.workspace / "noticed"
    change_supervision(
        monkeypatch,
        "reap = keeper.Keeper._reap; keeper.Keeper._reap = "
        f"lambda self: reap(self) if keeper.os.path.exists({str(noticed)!r}) else None",
    )
    background = await running(
        walled, "(trap 'echo > was-asked' TERM; while true; do sleep 0.01; done) & echo up; exit 0"
    )
    await _until(lambda: any(each.has_ended for each in descendants(walled.supervisor_pid)))
    git(world.workspace, "config", "remote.x.url", "elsewhere")
    noticed.touch()
    ending = await ended(background)
    assert (ending.status, ending.left_running, ending.lost_wall) == (0, True, None)
    assert not (world.workspace / "was-asked").exists()


def _shell_has_ended(command: RunningCommand) -> Callable[[], bool]:
    """Its duration is that of the shell, and stays as it is from then on."""
    durations = [-1.0]

    def is_the_same() -> bool:
        durations.append(command.duration)
        return durations[-1] == durations[-2]

    return is_the_same


async def _until(is_so: Callable[[], bool]) -> None:
    def wait() -> None:
        deadline = time.monotonic() + HANG_GUARD
        while not is_so():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    await asyncio.to_thread(wait)


async def test_safe_s3_one_wall_that_is_lost_leaves_no_other_open(walled: WalledEngine, world: World) -> None:
    folder = world.workspace
    (folder / "lost").symlink_to("code.py")
    (folder / "kept").mkdir()
    walls = [KeptWall(READ_ONLY, os.fsencode(folder / name)) for name in ("lost", "kept")]
    background = await running(walled, "echo up; while [ -w kept ]; do sleep 0.01; done")
    (sandbox,) = [each for each in descendants(walled.supervisor_pid) if _is_first_in_sandbox(each.pid)]
    assert not were_remounted(sandbox.pid, walls)
    assert (await ended(background)).status == 0


def _is_first_in_sandbox(pid: int) -> bool:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        # One that only slept.
        return False
    return next(line for line in lines if line.startswith("NSpid:")).split()[2:] == ["1"]


async def test_safe_s3_a_command_cannot_use_up_what_listens(
    walled: WalledEngine, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.make_repository()
    change_supervision(monkeypatch, "keeper.WallWatch._listener = lambda watch: setattr(watch, 'is_deaf', True)")
    background = await running(walled, "echo up; until ! [ -w .git/config ] && [ -e go ]; do sleep 0.01; done")
    git(world.workspace, "config", "remote.x.url", "elsewhere")
    (world.workspace / "go").touch()
    assert (await ended(background)).status == 0


@pytest.mark.parametrize("taken", [".local/share", ".local"])
async def test_safe_s1_what_is_covered_stays_so_when_a_folder_above_is_replaced(
    walled: WalledEngine, world: World, taken: str
) -> None:
    keyrings = world.home / ".local/share/keyrings"
    keyrings.mkdir(parents=True)
    (keyrings / "login").write_text(SECRET)
    background = await running(
        walled,
        f"echo up; until [ -e {world.outside}/go ]; do sleep 0.01; done\n"
        f"while grep -q {SECRET} {keyrings}/login 2>/dev/null; do sleep 0.01; done; cat {keyrings}/login; echo end",
    )
    (world.home / taken).rename(world.home / "taken")
    shutil.copytree(world.home / "taken", world.home / taken)
    (world.outside / "go").touch()
    assert (await ended(background)).status == 0
    assert SECRET not in (await background.look(0)).text


async def test_safe_s3_a_protected_folder_that_becomes_a_link_ends_the_command(
    walled: WalledEngine, world: World
) -> None:
    (world.workspace / ".claude").mkdir()
    (world.workspace / "other").mkdir()
    background = await running(walled, "echo up; until [ -L .claude ]; do sleep 0.01; done; sleep 900")
    (world.workspace / "link").symlink_to("other")
    names = [os.fsencode(world.workspace / name) for name in ("link", ".claude")]
    checked(LIBRARY.renameat2(HERE, names[0], HERE, names[1], EXCHANGE))
    assert (await ended(background)).lost_wall == str(world.workspace / ".claude")


async def test_what_is_replaced_again_and_again_ends_nobody(walled: WalledEngine, world: World) -> None:
    world.make_repository()
    background = await running(walled, "echo up; until [ -e go ]; do sleep 0.01; done")
    for number in range(30):
        git(world.workspace, "config", "remote.x.url", str(number))
    # Until the last one was seen to.
    probe = await running(walled, "until ! [ -w .git/config ]; do sleep 0.01; done; echo up")
    await ended(probe)
    (world.workspace / "go").touch()
    ending = await ended(background)
    assert (ending.status, ending.lost_wall) == (0, None)


async def test_other_names_in_a_folder_that_is_listened_to_disturb_nobody(walled: WalledEngine, world: World) -> None:
    world.make_repository()
    finished = await walled.run(
        "for n in $(seq 20000); do : > f$n; done; rm f*; git add -A && git status --short; echo end"
    )
    assert (finished.output.parts.head, finished.ending.remarks) == ("end\n", ())


class _Swapping(Command):
    """Somebody replaces a folder after the walls were planned and before they are set up, each time."""

    async def enclosure(self) -> Enclosure:
        way, moved = self.folder / "way", self.folder / "moved"
        if moved.exists():
            way.unlink()
            moved.rename(way)
        made = await super().enclosure()
        way.rename(moved)
        way.symlink_to("..")
        return made


async def test_safe_s1_walls_that_were_led_elsewhere_are_noticed_before_anything_runs(
    walled: WalledEngine, world: World
) -> None:
    """Every time: what was refused must not be let go when it is ended."""
    for _ in range(10):
        await _refused(walled, world)
        (world.workspace / "way").unlink()
        shutil.rmtree(world.workspace / "moved")
        shutil.rmtree(world.workspace / ".cursor")


async def _refused(walled: WalledEngine, world: World) -> None:
    (world.workspace / "way/project").mkdir(parents=True)
    (world.workspace / ".cursor").mkdir()
    (world.workspace / ".cursor/a").symlink_to("../way/project")
    command = walled.command(f"echo > {world.home}/made; echo began")
    swapping = _Swapping(**{each.name: getattr(command, each.name) for each in fields(command)})
    finished = await walled.commands.run(swapping, walled.spill, Heard(), HANG_GUARD)
    assert (finished.ending.lost_wall, finished.timed_out) == (str(world.workspace / "way"), False)
    assert (finished.output.parts.head, (world.home / "made").exists()) == ("", False)


def test_safe_s1_a_wall_counts_only_with_what_it_is_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = [
        Mounted(b"1", b"0:1", b"/", b"/", b"rw", b"ext4"),
        Mounted(b"2", b"0:2", b"/@home", b"/usr", b"rw", b"btrfs"),
    ]
    right = [
        Mounted(b"8", b"0:1", b"/", b"/", b"ro", b"ext4"),
        Mounted(b"9", b"0:2", b"/@home/share", b"/usr/share", b"rw", b"btrfs"),
    ]
    wall = KeptWall(b"way", b"/usr/share", b"", b"/usr/share", WRITABLE)
    tables: dict[int | str, list[Mounted]] = {"self": ours}
    monkeypatch.setattr(mount_table, "mount_table", lambda process: tables[process])

    def found(*mounted: Mounted, kept: KeptWall = wall) -> int | None:
        tables[7] = [*right[:1], *mounted]
        return misplaced(7, [kept])

    assert found(right[1]) is None
    assert found() == 0
    assert found(right[1]._replace(root=b"/@home/other")) == 0
    assert found(right[1]._replace(root=b"/")) == 0
    assert found(right[1]._replace(device=b"0:1")) == 0
    assert found(right[1]._replace(access=b"ro")) is None, "so it is outside as well"
    assert found(right[1], kept=wall._replace(access=CLOSED)) == 0
    assert found(right[1]._replace(access=b"ro"), kept=wall._replace(access=CLOSED)) is None
    assert found(right[1], kept=wall._replace(source=b"")) is None
    assert found(kept=wall._replace(source=b"")) == 0
    tables["self"][1] = ours[1]._replace(root=b"/", kind=b"nfs4")
    assert found(right[1]._replace(root=b"/", kind=b"nfs4")) is None, "which part it is the kernel does not tell"


def test_safe_s1_nothing_is_ever_mounted_where_the_person_is(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert not were_remounted(os.getpid(), [KeptWall(READ_ONLY, os.fsencode(tmp_path / "file"))])
    assert child_of(0) == 0
    (tmp_path / "file").write_text("can still be written")


async def test_safe_s3_commands_at_the_same_time_have_the_same_walls(walled: WalledEngine, world: World) -> None:
    """What the first has done to links does not count for the second, and where both lead the same is kept."""
    (world.workspace / "shared/real").mkdir(parents=True)
    (world.workspace / "shared/real/settings.json").write_text(AS_IT_WAS)
    (world.workspace / "lnk").symlink_to("shared/real")
    (world.workspace / ".claude").symlink_to("lnk")
    first = await running(
        walled,
        "mkdir evil; echo EVIL > evil/settings.json; ln -sfnT evil lnk; echo up; until [ -e go ]; do sleep 0.01; done",
    )
    second = await running(
        walled, "echo up; echo EVIL > shared/real/settings.json; until [ -e went ]; do sleep 0.01; done"
    )
    (world.workspace / "go").touch()
    await ended(first)
    (world.workspace / "went").touch()
    await ended(second)
    assert os.readlink(world.workspace / "lnk") == "shared/real"
    assert (world.workspace / ".claude/settings.json").read_text() == AS_IT_WAS


async def test_safe_s1_links_are_not_put_back_through_a_folder_that_was_replaced(
    walled: WalledEngine, world: World
) -> None:
    await walled.run(
        "mkdir -p .husky z/w; ln -s ../chain .husky/x; ln -s z/w/.bashrc chain\n"
        "ln -s $PWD/evil z/w/.bashrc; echo evil > evil"
    )
    first = await running(walled, "rm chain; echo up; until [ -e go ]; do sleep 0.01; done")
    await walled.run(f"rm -rf z/w && ln -s {world.home} z/w")
    # Not by the command, which may have been ended for what it did to the walls of both.
    (world.workspace / "go").touch()
    await ended(first)
    assert (world.home / ".bashrc").read_text() == "# as it was"
    assert [path.name for path in world.home.iterdir() if "made-by" in path.name] == []


async def test_safe_s1_a_longer_record_leaves_nothing_in_a_shorter_one(walled: WalledEngine, world: World) -> None:
    longer, shorter = f"{world.home}/project/../project/..", f"{world.workspace}/evilx"
    assert len(longer) - len(shorter) == len("/.bashrc")
    await walled.run(f"mkdir .husky; ln -s ../.bashrc .husky/x; ln -s {longer} .bashrc; echo evil > evilx")
    first = await running(walled, f"ln -sfnT {shorter} .bashrc; echo up; until [ -e go ]; do sleep 0.01; done")
    await walled.run("true")
    (world.workspace / "go").touch()
    await ended(first)
    assert (world.home / ".bashrc").read_text() == "# as it was"


async def test_safe_s3_no_command_finishes_the_repository_of_another(walled: WalledEngine, world: World) -> None:
    head = "echo ref: refs/heads/m > HEAD"
    first = await running(walled, f"mkdir objects refs; {head}; echo up; until [ -e go ]; do sleep 0.01; done")
    second = await running(walled, f"echo up; until [ -e went ]; do sleep 0.01; done; {head}")
    (world.workspace / "go").touch()
    assert (await ended(first)).made_repository
    (world.workspace / "went").touch()
    assert (await ended(second)).made_repository
    assert not (world.workspace / "HEAD").exists()


async def test_links_stay_as_they_are_spelled(walled: WalledEngine, world: World) -> None:
    (world.workspace / "shared/real").mkdir(parents=True)
    (world.workspace / "lnk").symlink_to("./shared//real/")
    (world.workspace / ".claude").symlink_to("lnk")
    assert not (await walled.run("true")).ending.changed_link
    assert os.readlink(world.workspace / "lnk") == "./shared//real/"


@pytest.mark.parametrize(
    "target", [".husky", "../code.py/child", f"../{'n' * 300}", "x"], ids=["itself", "below a file", "long", "inner"]
)
async def test_no_link_keeps_commands_from_running(walled: WalledEngine, world: World, target: str) -> None:
    if target == ".husky":
        (world.workspace / ".husky").symlink_to(target)
    else:
        (world.workspace / ".husky").mkdir()
        (world.workspace / ".husky/x").symlink_to(target)
    printed = await walled.text("rm -f code.py; mkdir code.py && echo evil > code.py/child; echo end")
    assert printed.endswith("end\n")
    assert not (world.workspace / "code.py/child").exists() or target != "../code.py/child"


async def test_more_links_than_can_be_kept_are_said(walled: WalledEngine, world: World) -> None:
    for number in range(2100):
        folder = world.workspace / f"src/{number}"
        folder.mkdir(parents=True)
        (folder / "link").symlink_to("../../code.py")
        inner = world.workspace / ".claude"
        inner.mkdir(exist_ok=True)
        (inner / str(number)).symlink_to(f"../src/{number}/link")
    with pytest.raises(WorkspaceError, match="More places have to be protected because of"):
        await walled.run("true")


async def test_safe_s3_what_programs_would_find_in_an_opened_folder_of_home_cannot_be_made(
    world: World, spill: SpillFolder
) -> None:
    for name in (".config", ".local"):
        (world.home / name).mkdir()
    engine = WalledEngine(world, world.sandbox(others=(world.home / ".config", world.home / ".local")), spill)
    await engine.run(
        f"cd {world.home}; mkdir -p .config/git .config/fish .local/bin; echo evil > .config/git/config\n"
        "echo evil > .config/fish/config.fish; echo evil > .local/bin/ls; echo mine > .config/mine"
    )
    await engine.close()
    assert [path.name for path in (world.home / ".config").iterdir()] == ["mine"]
    assert list((world.home / ".local").iterdir()) == []
