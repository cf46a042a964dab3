"""When the number of changed files is asked for: behind everything else, and one look at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from code_assistant.tui.changed_files import ChangedFiles
from code_assistant.tui.painter import Painter
from code_assistant.tui.start import Backstage
from code_assistant.tui.state import ScreenState


class Host:
    """Also what is behind it: each look waits until the test says what it finds."""

    def __init__(self, branch: str | None = "main") -> None:
        self.state = ScreenState("shop", "sonnet", "ask", branch=branch)
        self.paints = 0
        self.painter = Painter(self._paint)
        self.tasks: list[asyncio.Task[None]] = []
        self.looks: list[asyncio.Future[int | None]] = []

    def _paint(self) -> None:
        self.paints += 1

    def run_worker(self, work: Awaitable[None], *, group: str, exit_on_error: bool) -> object:
        assert not exit_on_error

        async def run() -> None:
            await work

        self.tasks.append(asyncio.create_task(run()))
        return None

    async def changed_files(self) -> int | None:
        self.looks.append(asyncio.get_running_loop().create_future())
        return await self.looks[-1]


def watch(host: Host) -> ChangedFiles:
    backstage: Backstage = host  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
    return ChangedFiles(host, backstage)


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_looks_are_joined_and_the_last_one_counts() -> None:
    host = Host()
    changed = watch(host)
    changed.look()
    await settled()
    for _ in range(10):
        changed.look()
    await settled()
    assert len(host.looks) == 1
    host.looks[0].set_result(1)
    await settled()
    assert host.state.changed_files == 1
    assert len(host.looks) == 2
    host.looks[1].set_result(2)
    await settled()
    assert (host.state.changed_files, len(host.looks), len(host.tasks)) == (2, 2, 1)
    changed.look()
    await settled()
    host.looks[2].set_result(None)
    await settled()
    assert host.state.changed_files is None


async def test_a_look_that_fails_is_not_the_last() -> None:
    host = Host()
    changed = watch(host)
    changed.look()
    await settled()
    host.looks[0].set_exception(RuntimeError("a fault"))
    await settled()
    assert isinstance(host.tasks[0].exception(), RuntimeError)
    changed.look()
    await settled()
    host.looks[1].set_result(3)
    await settled()
    assert host.state.changed_files == 3


async def test_without_a_branch_nobody_looks() -> None:
    host = Host(branch=None)
    watch(host).look()
    await settled()
    assert host.tasks == []
