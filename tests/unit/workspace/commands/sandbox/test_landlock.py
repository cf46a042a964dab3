"""Landlock, where bubblewrap is missing: nothing outside can be written, and that is all it can do."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from code_assistant.workspace.commands.sandbox import sandbox as sandboxes
from code_assistant.workspace.spill import SpillFolder
from tests.processes import processes_with
from tests.unit.workspace.commands.sandbox.test_walls import HOSTILE
from tests.unit.workspace.commands.sandbox.world import WalledEngine, World, needs_landlock
from tests.unit.workspace.commands.support import cancel
from tests.unit.workspace.commands.test_trees import TREES

pytestmark = needs_landlock

# Of the hostile commands those that write; the others are what only bubblewrap keeps out.
WRITING = [name for name in HOSTILE if "outside" in name or name in ("start-up files", "own state", "chroot")]
# The kernel lets these pass: no rule speaks of modes, times and attributes.
LET_PASS = {"modes outside", "times outside", "attributes outside"}


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


async def test_safe_o1_landlock_nothing_lives_after_a_cancel(restricted: WalledEngine, marker: str) -> None:
    async with restricted.running(TREES["double fork"].format(marker)) as task:
        assert await cancel(task)
        assert processes_with(marker) == []
