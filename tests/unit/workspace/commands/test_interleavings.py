"""Commands started, looked at, cancelled, stopped and closed in any order: none fails oddly, nothing lives after it."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from code_assistant.errors import ToolError, WorkspaceError
from code_assistant.workspace.spill import SpillFolder
from tests.hang_guard import HANG_GUARD
from tests.processes import children_of, new_marker, processes_with
from tests.unit.workspace.commands.support import SUPERVISOR_NAME, Engine

KINDS = (
    "true # {0}",
    "echo some; exit 3 # {0}",
    "yes {0}",
    "sleep {0}",
    "echo up; (setsid sleep {0} &); sleep {0}",
    "trap '' TERM; sleep {0}; sleep {0}",
    "sleep {0} & exec >&- 2>&-; wait",
    "kill -STOP $$ # {0}",
    "(setsid sleep {0} &); kill -KILL $PPID; sleep {0}",
)
NUMBERS = st.integers(0, 5)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("run"), st.integers(0, len(KINDS) - 1)),
        st.tuples(st.just("start"), st.integers(0, len(KINDS) - 1)),
        st.tuples(st.just("cancel"), NUMBERS),
        st.tuples(st.just("stop"), NUMBERS),
        st.tuples(st.just("look"), NUMBERS),
        st.tuples(st.just("news"), st.just(0)),
        st.tuples(st.just("pass"), st.one_of(st.integers(1, 20), st.integers(20, 3000))),
        st.tuples(st.just("kill the supervisor"), st.just(0)),
        st.tuples(st.just("close"), st.just(0)),
    ),
    min_size=1,
    max_size=12,
)


class Play:
    """One order of events, on commands of its own."""

    def __init__(self, folder: Path) -> None:
        self.engine = Engine(folder, SpillFolder(folder / "private" / "spill"))
        self.marker = new_marker()
        self.tasks: list[asyncio.Task[Any]] = []
        self.told: list[str] = []

    async def do(self, step: str, number: int) -> None:
        if step == "run":
            self._begin(self.engine.run(KINDS[number].format(self.marker)))
        elif step == "start":
            self._begin(self.engine.background(KINDS[number].format(self.marker)))
        elif step == "cancel" and self.tasks:
            self.tasks[number % len(self.tasks)].cancel()
        elif step == "stop":
            self._begin(self._stop(f"command-{number + 1}"))
        elif step == "look":
            self._begin(self._look(f"command-{number + 1}", number % 2))
        elif step == "news":
            self.told += self.engine.commands.news()
        elif step == "pass":
            for _ in range(number):
                await asyncio.sleep(0)
        elif step == "kill the supervisor":
            for process in children_of(os.getpid()):
                if process.name == SUPERVISOR_NAME:
                    os.kill(process.pid, signal.SIGKILL)
        elif step == "close":
            self._begin(self.engine.commands.close())

    async def end(self) -> None:
        for task in self.tasks:
            task.cancel()
        if self.tasks:
            _, unfinished = await asyncio.wait(self.tasks, timeout=HANG_GUARD)
            assert not unfinished
        await asyncio.wait_for(self.engine.close(), HANG_GUARD)
        assert processes_with(self.marker) == []
        assert children_of(os.getpid()) == []
        self.told += self.engine.commands.news()
        assert len(self.told) == len(set(self.told))
        for task in self.tasks:
            if not task.cancelled():
                assert isinstance(task.exception(), WorkspaceError | ToolError | None)

    def _begin(self, work: Any) -> None:
        self.tasks.append(asyncio.create_task(work))

    async def _stop(self, name: str) -> None:
        found = self.engine.commands.find(name)
        await found.running.end()
        assert (await found.look()).ending is not None

    async def _look(self, name: str, seconds: float) -> None:
        await self.engine.commands.find(name).look(seconds)


def play(steps: list[tuple[str, int]]) -> None:
    async def run() -> None:
        whole = Play(folder)
        before = sorted(os.listdir("/proc/self/fd"))
        for step, number in steps:
            await whole.do(step, number)
        await whole.end()
        assert sorted(os.listdir("/proc/self/fd")) == before

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        asyncio.run(run())


SLOW = [HealthCheck.too_slow]


@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=SLOW)
@given(STEPS)
def test_safe_o1_in_any_order_nothing_lives_on(steps: list[tuple[str, int]]) -> None:
    play(steps)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@settings(max_examples=1500, deadline=None, suppress_health_check=SLOW)
@given(STEPS)
def test_soak_safe_o1_in_any_order_nothing_lives_on(steps: list[tuple[str, int]]) -> None:
    play(steps)
