"""What the person does while commands run goes on as if there were no walls."""

from __future__ import annotations

from code_assistant.workspace.git_reading import git_for_reading
from tests.unit.workspace.commands.sandbox.test_kept_walls import ended, running
from tests.unit.workspace.commands.sandbox.world import WalledEngine, World, needs_bubblewrap

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


async def test_git_is_read_unasked_while_a_command_runs(walled: WalledEngine, world: World) -> None:
    world.make_repository()
    background = await running(walled, "echo up; until [ -e go ]; do sleep 0.01; done")
    assert (world.workspace / ".git/commondir").exists()
    assert await git_for_reading(world.workspace, {"PATH": "/usr/bin:/bin"}, ()) is not None
    (world.workspace / "go").touch()
    await ended(background)
