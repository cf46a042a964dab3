"""What the person does while commands run goes on as if there were no walls."""

from __future__ import annotations

from code_assistant.workspace.git_reading import git_for_reading
from tests.hang_guard import HANG_GUARD
from tests.unit.workspace.commands.sandbox.test_kept_walls import AS_IT_WAS
from tests.unit.workspace.commands.sandbox.world import WalledEngine, World, ended, git, needs_bubblewrap, running

pytestmark = needs_bubblewrap


async def test_a_file_that_is_saved_in_two_steps_stays_a_file(walled: WalledEngine, world: World) -> None:
    """As vim does: the old one is renamed, the new one is made."""
    file = world.workspace / ".mcp.json"
    file.write_text("{}")
    background = await running(walled, "echo up; until [ -e go ]; do sleep 0.01; done")
    for number in range(20):
        file.rename(world.workspace / ".mcp.json~")
        with file.open("w") as opened:
            opened.write(f'{{"number": {number}}}')
    (world.workspace / "go").touch()
    await ended(background)
    assert file.read_text() == '{"number": 19}'


async def test_what_stands_in_for_a_file_is_not_there_for_the_persons_git(walled: WalledEngine, world: World) -> None:
    """A branch without it is checked out, and then again the one with it."""
    (world.workspace / ".mcp.json").write_text(AS_IT_WAS)
    world.make_repository()
    git(world.workspace, "switch", "-q", "-c", "without")
    git(world.workspace, "rm", "-q", ".mcp.json")
    git(world.workspace, "commit", "-q", "-m", "without")
    git(world.workspace, "switch", "-q", "-")
    background = await running(
        walled,
        f'echo up; while grep -qs "{AS_IT_WAS}" .mcp.json || ! [ -e .mcp.json ]; do sleep 0.01; done\n'
        "echo gone; sleep 1000",
    )
    git(world.workspace, "switch", "-q", "without")
    while "gone\n" not in (await background.look(HANG_GUARD)).text:
        assert background.running.is_running
    assert git(world.workspace, "status", "--porcelain") == ""
    git(world.workspace, "switch", "-q", "-")
    assert (world.workspace / ".mcp.json").read_text() == AS_IT_WAS
    await background.running.end()


async def test_git_is_read_unasked_while_a_command_runs(walled: WalledEngine, world: World) -> None:
    world.make_repository()
    background = await running(walled, "echo up; until [ -e go ]; do sleep 0.01; done")
    assert (world.workspace / ".git/commondir").exists()
    assert await git_for_reading(world.workspace, {"PATH": "/usr/bin:/bin"}, ()) is not None
    (world.workspace / "go").touch()
    await ended(background)
