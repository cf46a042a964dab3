"""What the loop adds to a turn: ten tool turns beside the same eleven requests sent bare."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path

import httpx

from benchmarks.interleaved import async_medians
from benchmarks.rows import Row
from code_assistant.tools.builtin import builtin_tools
from tests.agent.harness import Harness, running
from tests.fakes.script import Scripted, call, text, turn
from tests.fakes.server import ScriptedServer

LIMIT_MS = 15
TURNS = 10


def _script() -> list[Scripted]:
    answers: list[Scripted] = [turn(text("I look."), call("read_files", {"paths": ["code.py"]})) for _ in range(TURNS)]
    return [*answers, turn(text("Done."))]


async def _bare(server: ScriptedServer, client: httpx.AsyncClient) -> None:
    """The bodies that the loop sent, once more, without a loop around them."""
    server.script_default(_script())
    for request in list(server.requests)[: TURNS + 1]:
        async with client.stream(
            "POST", server.url + "/v1/messages", content=request.raw_body, headers=HEADERS
        ) as reply:
            async for line in reply.aiter_lines():
                if line.startswith("data:"):
                    json.loads(line[5:])


HEADERS = {
    "authorization": "Bearer test-key",
    "anthropic-version": "2026-10-21",
    "content-type": "application/json",
}


async def _ask(server: ScriptedServer, harness: Harness) -> None:
    server.script_default(_script())
    finished = await harness.ask("go")
    if finished.turns != TURNS + 1:
        raise RuntimeError(f"the loop ended after {finished.turns} turns: {finished.error}")


async def _measure(folder: Path) -> list[Row]:
    with ScriptedServer() as server:

        async def loop() -> None:
            async with running(server, tools=builtin_tools(), folder=folder) as harness:
                await _ask(server, harness)

        await loop()
        async with httpx.AsyncClient() as client:
            seconds = await async_medians({"bare": lambda: _bare(server, client), "loop": loop})
    overhead = (seconds["loop"] - seconds["bare"]) * 1000 / TURNS
    return [
        Row("turns: eleven bare requests", seconds["bare"] * 1000, "ms"),
        Row("turns: overhead of the loop, each of ten tool turns", overhead, "ms", LIMIT_MS),
    ]


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "code.py").write_text("def tax(amount):\n    return amount * 0.2\n" * 50)
        return asyncio.run(_measure(Path(folder)))
