"""What falls at the worst moment: while it is walled off again, while the shell ends, for good."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from code_assistant.workspace.commands.supervision import mount_table
from code_assistant.workspace.commands.supervision.mount_table import misplaced
from code_assistant.workspace.commands.supervision.wire import READ_ONLY, KeptWall
from tests.unit.workspace.commands.sandbox.world import WalledEngine, World, ended, git, needs_bubblewrap, running
from tests.unit.workspace.commands.support import change_supervision

pytestmark = needs_bubblewrap

HEARD_LATE = (
    "see = keeper.Keeper._see_to_walls; keeper.Keeper._see_to_walls = lambda self, watch: "
    "(keeper.os.waitid(keeper.os.P_PID, self._shell, keeper.os.WEXITED | keeper.os.WNOWAIT), see(self, watch))[1]"
)


async def test_safe_s3_what_is_heard_as_its_shell_ends_is_not_forgotten(
    walled: WalledEngine, world: World, monkeypatch: pytest.MonkeyPatch, marker: str
) -> None:
    """The sandbox cannot be found any more then, and what is left of the command still runs in it."""
    world.make_repository()
    change_supervision(monkeypatch, HEARD_LATE)
    background = await running(walled, f"sleep {marker} & echo up; until [ -e go ]; do sleep 0.01; done")
    git(world.workspace, "config", "remote.x.url", "elsewhere")
    (world.workspace / "go").touch()
    ending = await ended(background)
    assert (ending.lost_wall, ending.left_running) == (None, True)


async def test_safe_s3_what_is_replaced_while_it_is_walled_off_is_walled_off_again(
    walled: WalledEngine, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.make_repository()
    file, turns = world.workspace / ".git/config", world.workspace / ".git/turns"
    turns.mkdir()
    # Between the look at what is there and the wall over it, as long as there is something to replace it with.
    change_supervision(
        monkeypatch,
        "import glob; remounting = keeper.WallWatch.lost.__globals__['were_remounted'].__globals__; "
        f"lay = remounting['_lay']; turns = lambda: sorted(glob.glob({str(turns / '*')!r}))[:1]; "
        f"turn = lambda: [keeper.os.replace(each, {str(file)!r}) for each in turns()]; "
        "remounting['_lay'] = lambda *words: (turn(), lay(*words))",
    )
    background = await running(
        walled, "echo up; until [ -e go ]; do sleep 0.01; done; until ! [ -w .git/config ]; do sleep 0.01; done"
    )
    for number in range(5):
        (turns / str(number)).write_bytes(file.read_bytes())
    git(world.workspace, "config", "remote.x.url", "elsewhere")
    (world.workspace / "go").touch()
    ending = await ended(background)
    assert (ending.status, ending.lost_wall, list(turns.iterdir())) == (0, None, [])


@pytest.mark.parametrize("name", [".mcp.json", ".git/config", ".git/hooks", ".claude"])
async def test_safe_s3_what_stands_in_is_of_the_same_kind(walled: WalledEngine, world: World, name: str) -> None:
    if name.startswith(".git"):
        # Elsewhere there is none: a folder stands in a work tree, which git does not see.
        world.make_repository()
    (world.workspace / ".mcp.json").write_text("{}")
    (world.workspace / ".claude").mkdir()
    place = world.workspace / name
    is_file = place.is_file()
    background = await running(
        walled,
        f"echo up; until [ -e go ] && [ -e {name} ] && ! [ -w {name} ]; do sleep 0.01; done; [ -f {name} ]",
    )
    if is_file:
        place.unlink()
    else:
        shutil.rmtree(place)
    (world.workspace / "go").touch()
    ending = await ended(background)
    assert (ending.status == 0, ending.lost_wall) == (is_file, None)


def test_safe_s1_a_wall_whose_folder_has_become_a_file_does_not_stand(tmp_path: Path) -> None:
    (tmp_path / "folder").touch()
    place = os.fsencode(tmp_path / "folder/place")
    assert misplaced(os.getpid(), [KeptWall(READ_ONLY, place, source=place)]) == 0


def test_a_process_that_is_only_waited_for_has_ended() -> None:
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    with pytest.raises(FileNotFoundError):
        mount_table.mount_table(pid)
    os.waitpid(pid, 0)
