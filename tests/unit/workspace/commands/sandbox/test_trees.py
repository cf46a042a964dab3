"""Nothing that a command started between walls lives on, as without them."""

from __future__ import annotations

import asyncio

import pytest

from tests.processes import processes_with
from tests.unit.workspace.commands.sandbox.world import WalledEngine, needs_bubblewrap
from tests.unit.workspace.commands.test_trees import TREES

pytestmark = needs_bubblewrap


@pytest.mark.parametrize("tree", ["double fork", "all ignore TERM", "ignores TERM and stopped"])
async def test_safe_o1_walled_nothing_lives_after_a_cancel(walled: WalledEngine, marker: str, tree: str) -> None:
    async with walled.running(TREES[tree].format(marker)) as task:
        task.cancel()
        await asyncio.wait({task})
        assert processes_with(marker) == []
        assert task.cancelled()


async def test_safe_o1_walled_nothing_lives_after_a_time_out(walled: WalledEngine, marker: str) -> None:
    finished = await walled.run(TREES["double fork"].format(marker), seconds=0.5)
    assert processes_with(marker) == []
    assert finished.timed_out


async def test_safe_o1_walled_nothing_lives_after_the_session(walled: WalledEngine, marker: str) -> None:
    background = await walled.background(TREES["double fork"].format(marker))
    while "up\n" not in (await background.look(60)).text:
        assert background.running.is_running
    await walled.close()
    assert processes_with(marker) == []
