"""Nothing that a command started between walls lives on, as without them."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from code_assistant.workspace.commands.supervision.wire import LIFE_LINE
from tests.processes import children_of, processes_with, wait_until_gone
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
    finished = await walled.run(TREES["double fork"].format(marker), seconds=2)
    assert processes_with(marker) == []
    assert finished.timed_out


@pytest.mark.parametrize("tree", ["double fork", "all ignore TERM", "stopped"])
async def test_safe_o1_walled_nothing_lives_when_all_who_look_after_it_are_killed(
    walled: WalledEngine, marker: str, tree: str
) -> None:
    """Before any of them can do something: what is stopped cannot."""
    async with walled.running(TREES[tree].format(marker)):
        supervisor = walled.supervisor_pid
        watching = [supervisor, *(each.pid for each in children_of(supervisor))]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in watching:
                os.kill(pid, number)
        # The program does nothing meanwhile.
        wait_until_gone(marker)


async def test_a_command_has_neither_the_guard_for_a_child_nor_what_it_reads(walled: WalledEngine) -> None:
    closed = f"[ -e /proc/$$/fd/2 ] && ! [ -e /proc/$$/fd/{LIFE_LINE} ] && echo closed"
    assert await walled.text(f'{closed}; read -r own < /proc/$$/task/$$/children; echo "<$own>"') == "closed\n<>\n"


async def test_safe_o1_walled_nothing_lives_after_the_session(walled: WalledEngine, marker: str) -> None:
    background = await walled.background(TREES["double fork"].format(marker))
    while "up\n" not in (await background.look(60)).text:
        assert background.running.is_running
    await walled.close()
    assert processes_with(marker) == []
