"""What a command costs beside the same shell called bare, and how soon nothing is left of one that is cancelled."""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

from benchmarks.interleaved import async_medians
from benchmarks.rows import Row
from code_assistant.events import MAIN
from code_assistant.tools.execute_command import ExecuteCommand, ExecuteCommandInput
from code_assistant.tools.services import ToolServices
from code_assistant.tools.tool import ToolContext
from code_assistant.workspace.commands.running import Command
from code_assistant.workspace.commands.sandbox.sandbox import Grounds, Sandbox
from code_assistant.workspace.commands.shell import shell
from code_assistant.workspace.spill import SpillFolder
from tests.processes import new_marker, processes_with
from tests.surroundings import surroundings

OVERHEAD_LIMIT_MS = 10
OBEYING_LIMIT_MS = 500
STUBBORN_LIMIT_MS = 1000
RUNS = 30
COLD_RUNS = 5
CANCELS = 5
AT_ONCE = 20

TREE = "(setsid sleep {0} &); setsid sleep {0} & sleep {0} & echo up; sleep {0}"
STUBBORN_TREE = f"trap '' TERM; {TREE}; sleep {{0}}"


async def _execute(services: ToolServices, text: str) -> None:
    context = ToolContext(MAIN, "call", services, lambda _: None)
    output = await ExecuteCommand().run(ExecuteCommandInput(command=text), context)
    if output.failed:
        raise RuntimeError(f"{text!r} failed: {output.display.summary}")


async def _closed(services: ToolServices) -> None:
    await services.commands.close()
    await services.commands.supervisor.close()


def _services(folder: Path) -> ToolServices:
    return surroundings(folder, mode="yolo").services


async def _overhead(folder: Path) -> list[Row]:
    services = _services(folder)
    words = [shell().program, *(word.decode() for word in shell().arguments("true")[1:])]
    environment = services.commands.supervisor.environment

    async def bare() -> None:
        subprocess.run(  # noqa: ASYNC221 - the yardstick is the plainest call there is
            words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=60
        )

    walled = replace(services, sandbox=_sandbox(folder))
    ways = {
        "bare": bare,
        "ours": lambda: _execute(services, "true"),
        "walled": lambda: _execute(walled, "true"),
        "read-only": lambda: _execute(replace(walled, is_read_only=True), "true"),
    }
    kind = await _sandbox(folder).find_out()
    if kind != "bubblewrap":
        del ways["walled"], ways["read-only"]
    seconds = await async_medians(ways, RUNS)
    await _closed(services)
    overhead = (seconds["ours"] - seconds["bare"]) * 1000
    return [
        Row("commands: `true` in a bare shell", seconds["bare"] * 1000, "ms"),
        Row("commands: overhead of `true` as a tool call", overhead, "ms", OVERHEAD_LIMIT_MS),
        *(
            Row(f"commands: what the sandbox adds, {name}", (seconds[name] - seconds["ours"]) * 1000, "ms")
            for name in ("walled", "read-only")
            if name in seconds
        ),
    ]


def _sandbox(folder: Path) -> Sandbox:
    state = folder.parent / f"{folder.name}-state"
    return Sandbox(Grounds((folder,), Path.home()), SpillFolder(state / "scratch" / "1"), state / "stand-ins")


async def _cold(folder: Path) -> Row:
    """The first command of a session, which waits for the supervisor's start."""
    times: list[float] = []
    for _ in range(COLD_RUNS):
        services = _services(folder)
        started = time.perf_counter()
        await _execute(services, "true")
        times.append(time.perf_counter() - started)
        await _closed(services)
    return Row("commands: the first one of a session", median(times) * 1000, "ms")


async def _cancel(folder: Path, tree: str, count: int = 1) -> float:
    """Milliseconds from the cancel of so many commands at once until none of their processes is left."""
    services = _services(folder)
    times: list[float] = []
    for _ in range(CANCELS):
        marker = new_marker()
        ups = [asyncio.Event() for _ in range(count)]
        command = Command(tree.format(marker), folder)
        tasks = [
            asyncio.create_task(services.commands.run(command, services.spill, lambda _, up=up: up.set(), 600))
            for up in ups
        ]
        for up in ups:
            await up.wait()
        started = time.perf_counter()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        times.append(time.perf_counter() - started)
        if left := processes_with(marker):
            raise RuntimeError(f"still alive: {left}")
    await _closed(services)
    return median(times) * 1000


async def _measure(folder: Path) -> list[Row]:
    rows = [*await _overhead(folder), await _cold(folder)]
    for name, tree, count, limit in (
        ("a tree that obeys", TREE, 1, OBEYING_LIMIT_MS),
        ("a tree that ignores TERM", STUBBORN_TREE, 1, STUBBORN_LIMIT_MS),
        (f"{AT_ONCE} trees that ignore TERM", STUBBORN_TREE, AT_ONCE, STUBBORN_LIMIT_MS),
    ):
        rows.append(
            Row(f"commands: from cancel to no process, {name}", await _cancel(folder, tree, count), "ms", limit)
        )
    return rows


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder).resolve()))
