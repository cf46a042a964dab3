"""Landlock, where bubblewrap is missing: nothing outside can be written, and that is all it can do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest

from code_assistant.workspace import git_status
from code_assistant.workspace.commands.sandbox import sandbox as sandboxes
from code_assistant.workspace.git_probe import Git, probed_git
from code_assistant.workspace.git_status import changed_paths
from code_assistant.workspace.spill import SpillFolder
from tests.hang_guard import HANG_GUARD
from tests.processes import processes_with
from tests.unit.workspace.commands.sandbox.test_walls import HOSTILE
from tests.unit.workspace.commands.sandbox.world import WalledEngine, World, needs_landlock
from tests.unit.workspace.commands.support import Heard, cancel
from tests.unit.workspace.commands.test_trees import TREES

pytestmark = needs_landlock

# Of the hostile commands those that write; the others are what only bubblewrap keeps out.
WRITING = [name for name in HOSTILE if "outside" in name or name in ("start-up files", "own state", "chroot")]
# The kernel lets these pass: no rule speaks of modes, times and attributes.
LET_PASS = {"modes outside", "times outside", "attributes outside"}

CONFIGURING = """until test -e go-on; do sleep 0.01; done
git config filter.x.clean {}
echo '*.py filter=x' > .gitattributes
touch -d 2001-01-01 code.py
echo written"""


@pytest.fixture
async def restricted(
    world: World, spill: SpillFolder, monkeypatch: pytest.MonkeyPatch, marker: str
) -> AsyncIterator[WalledEngine]:
    monkeypatch.setattr(sandboxes, "find_bubblewrap", lambda: None)
    engine = WalledEngine(world, world.sandbox(), spill)
    assert await engine.sandbox.find_out() == "landlock"
    yield engine
    await engine.close()
    assert processes_with(marker) == []


@pytest.mark.parametrize("is_read_only", [False, True], ids=["workspace", "read-only"])
async def test_safe_s1_landlock_nothing_outside_is_written(
    restricted: WalledEngine, world: World, is_read_only: bool
) -> None:
    restricted.is_read_only = is_read_only
    inside = None if is_read_only else world.workspace
    before = world.tree(without=inside)
    words = [HOSTILE[name].format(world.outside, world.home, 0, 0) for name in WRITING if name not in LET_PASS]
    await restricted.run("\n".join(f"( {each} )" for each in words))
    assert world.tree(without=inside) == before


async def test_landlock_the_workspace_and_a_temporary_folder_can_be_written(
    restricted: WalledEngine, world: World
) -> None:
    words = "mkdir -p a/b && echo x > a/b/c && mv a/b/c a/c && cat a/c && f=$(mktemp) && echo y > $f && cat $f"
    assert await restricted.text(words) == "x\ny\n"
    assert (world.workspace / "a/c").exists()
    assert await restricted.text("echo z > /dev/null && echo fine") == "fine\n"


async def test_landlock_the_workspace_stays_writable_inside_of_a_folder_that_cannot_be_opened(
    world: World, spill: SpillFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The home folder lies in `base`, so that stays closed, whatever the settings say; the workspace does not."""
    monkeypatch.setattr(sandboxes, "find_bubblewrap", lambda: None)
    engine = WalledEngine(world, world.sandbox(others=(world.base,)), spill)
    try:
        assert await engine.text("echo x > new && cat new") == "x\n"
        assert "denied" in await engine.text(f"echo x >> {world.home}/.bashrc")
        assert (world.home / ".bashrc").read_text() == "# as it was"
    finally:
        await engine.close()


async def test_safe_s1_landlock_a_temporary_folder_that_a_command_can_replace_opens_nothing(
    world: World, spill: SpillFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state folder lies in a folder that was opened: what a command puts there leads nowhere."""
    monkeypatch.setattr(sandboxes, "find_bubblewrap", lambda: None)
    temporary = SpillFolder(world.workspace / "state/scratch")
    grounds = sandboxes.Grounds((world.workspace,), world.home, (world.state,))
    engine = WalledEngine(world, sandboxes.Sandbox(grounds, temporary, world.state / "stand-ins"), spill)
    try:
        assert await engine.text(f"rm -r $TMPDIR && ln -s {world.outside} $TMPDIR && echo led") == "led\n"
        before = world.tree(without=world.workspace)
        await engine.run(f"echo x > {world.outside}/new; echo x > $TMPDIR/new; echo x > {world.outside}/file")
        assert world.tree(without=world.workspace) == before
    finally:
        await engine.close()


async def test_safe_s1_landlock_no_device_is_made(restricted: WalledEngine, world: World) -> None:
    await restricted.run("mknod null c 1 3; mknod disk b 8 0")
    assert sorted(path.name for path in world.workspace.iterdir()) == ["code.py"]


async def test_safe_o1_landlock_nothing_lives_after_a_cancel(restricted: WalledEngine, marker: str) -> None:
    async with restricted.running(TREES["double fork"].format(marker)) as task:
        assert await cancel(task)
        assert processes_with(marker) == []


async def test_safe_s1_landlock_no_git_of_ours_starts_what_a_command_configures_meanwhile(
    restricted: WalledEngine, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command may write in .git, and has waited until git was asked what is configured."""
    world.make_repository()
    go_on, marker, heard = world.workspace / "go-on", world.outside / "marker", Heard()
    program = world.workspace / "program"
    program.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    program.chmod(0o755)
    (world.workspace / ".gitignore").write_text("go-on\nprogram\n")

    async def probe_and_wait(root: Path, environ: Mapping[str, str], untrusted: Sequence[Path]) -> Git | None:
        git = await probed_git(root, environ, untrusted)
        go_on.touch()
        await heard.until("written\n")
        return git

    async def count() -> int | None:
        return await changed_paths(world.workspace, {"HOME": str(world.home)}, (), world.state / "scratch", HANG_GUARD)

    assert await count() == 1
    monkeypatch.setattr(git_status, "probed_git", probe_and_wait)
    running = asyncio.create_task(restricted.run(CONFIGURING.format(program), heard=heard))
    assert await count() == 2
    assert not marker.exists()
    await running
    assert await count() is None
    assert not marker.exists()
