"""Sub-agents: how close eight of them come to running at once, and what an ended one leaves in memory."""

from __future__ import annotations

import asyncio
import gc
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.rows import Row
from code_assistant.events import ToolStarted
from tests.agent.harness import Harness
from tests.agent.subagents.support import spawn, spawning
from tests.fakes.script import Scripted, call, pause, text, turn
from tests.fakes.server import ScriptedServer

CHILDREN = 8
RESPONSES = 3
RESPONSE_SECONDS = 0.5
WINDOW_LIMIT = 1.15
FIRST_REQUESTS_LIMIT_MS = 150
RUNS = 5
IN_A_ROW = 200
KEPT_LIMIT_KB = 200
GROWTH_LIMIT_MB = 60
LINES = 2_000


@dataclass(frozen=True, slots=True)
class Window:
    """From the call of the eight to the end of the last, and to the arrival of the last first request."""

    seconds: float
    first_requests: float


def _slow_script(number: int) -> list[Scripted]:
    looking = turn(pause(RESPONSE_SECONDS), call("read_files", {"paths": [f"code{number}.py"]}))
    return [*[looking] * (RESPONSES - 1), turn(pause(RESPONSE_SECONDS), text("Seen."))]


async def _window(folder: Path) -> Window:
    with ScriptedServer() as server:
        for number in range(CHILDREN):
            server.script(f"look {number}", _slow_script(number))
        server.script_default([turn(*(spawn(f"look {number}") for number in range(CHILDREN))), turn(text("ok"))])
        async with spawning(server, folder) as harness:
            harness.session.send("go")
            await harness.until(ToolStarted)
            began = time.perf_counter()
            # The first request is the main agent's, the eight after it are the children's.
            await server.until_requests(1 + CHILDREN)
            first = time.perf_counter() - began
            await server.until_requests(1 + CHILDREN * RESPONSES + 1)
            return Window(time.perf_counter() - began, first)


async def _spawn_one(server: ScriptedServer, harness: Harness, number: int) -> None:
    server.script(f"look {number}", [turn(call("read_files", {"paths": ["long.py"]})), turn(text("Seen. " * 200))])
    server.script_default([turn(spawn(f"look {number}")), turn(text("ok"))])
    await harness.ask(f"go {number}")


async def _kept(folder: Path) -> tuple[float, float]:
    """Kilobytes that an ended one keeps, and megabytes that two hundred in a row add to the process."""
    with ScriptedServer() as server:
        async with spawning(server, folder) as harness:
            for number in range(20):
                await _spawn_one(server, harness, number)
                _forget(server, harness)
            before = _memory()
            for number in range(20, 20 + IN_A_ROW):
                await _spawn_one(server, harness, number)
                _forget(server, harness)
            grown = _memory() - before
    return grown / IN_A_ROW / 1024, grown / 1024 / 1024


def _forget(server: ScriptedServer, harness: Harness) -> None:
    """What the measuring keeps must not be measured: the requests and the events of the test's own."""
    server.requests.clear()
    harness.events.clear()


def _memory() -> float:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(CHILDREN):
            (folder / f"code{number}.py").write_text("x = 1\n" * 50)
        (folder / "long.py").write_text("".join(f"line_{number} = {number}\n" for number in range(LINES)))
        windows = [asyncio.run(_window(folder)) for _ in range(RUNS)]
        kept, grown = asyncio.run(_kept(folder))
    ideal = RESPONSES * RESPONSE_SECONDS
    first = median(each.first_requests for each in windows) * 1000
    return [
        Row("agents: eight at once", median(each.seconds for each in windows) / ideal, "x ideal", WINDOW_LIMIT),
        Row("agents: all eight first requests", first, "ms", FIRST_REQUESTS_LIMIT_MS),
        Row("agents: kept of an ended one", kept, "KB", KEPT_LIMIT_KB),
        Row("agents: growth by 200 in a row", grown, "MB", GROWTH_LIMIT_MB),
    ]
