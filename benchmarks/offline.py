"""The offline explorer's overview of a large tree: how soon the first sub-agent is seen, and the whole answer."""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.rows import Row
from benchmarks.search import FILES, build_tree
from code_assistant.config.settings import AgentSettings
from code_assistant.events import MAIN, AgentSpawned, Event, ToolStarted
from code_assistant.llm.offline.client import OfflineFactory
from code_assistant.llm.offline.words import SUGGESTED_PROMPTS
from code_assistant.tools.builtin import builtin_tools
from tests.agent.harness import Harness, running
from tests.fakes.server import ScriptedServer

RUNS = 5
FIRST_AGENT_LIMIT_MS = 1000
ANSWER_LIMIT_MS = 5000


@dataclass(frozen=True, slots=True)
class Overview:
    """Seconds from the question: to the first sub-agent, to the first tool line of one, to the whole answer."""

    first_agent: float
    first_line: float
    answer: float


def _is_line_of_an_agent(event: Event) -> bool:
    return isinstance(event, ToolStarted) and event.origin != MAIN


async def _ask(server: ScriptedServer, folder: Path) -> Overview:
    async with running(
        server,
        folder=folder,
        clients=OfflineFactory(),
        agents=AgentSettings(),
        tools=builtin_tools(),
        model="offline",
    ) as harness:
        return await _timed(harness)


async def _timed(harness: Harness) -> Overview:
    began = time.perf_counter()
    harness.session.send(SUGGESTED_PROMPTS[0])
    await harness.until(AgentSpawned)
    first_agent = time.perf_counter() - began
    await harness.until_so(lambda: any(map(_is_line_of_an_agent, harness.events)))
    first_line = time.perf_counter() - began
    await harness.until_so(lambda: bool(harness.finished))
    answer = time.perf_counter() - began
    if harness.finished[0].outcome != "completed":
        raise RuntimeError(f"the overview ended as {harness.finished[0].outcome}: {harness.finished[0].error}")
    return Overview(first_agent, first_line, answer)


async def _measure(folder: Path) -> list[Overview]:
    with ScriptedServer() as server:
        return [await _ask(server, folder) for _ in range(RUNS)]


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build_tree(folder)
        runs = asyncio.run(_measure(folder))
    first_agent, first_line, answer = (
        median(times) * 1000
        for times in (
            [each.first_agent for each in runs],
            [each.first_line for each in runs],
            [each.answer for each in runs],
        )
    )
    return [
        Row(f"offline: first sub-agent, {FILES:,} files", first_agent, "ms", FIRST_AGENT_LIMIT_MS),
        Row(f"offline: first line of a sub-agent, {FILES:,} files", first_line, "ms", FIRST_AGENT_LIMIT_MS),
        Row(f"offline: whole overview, {FILES:,} files", answer, "ms", ANSWER_LIMIT_MS),
    ]
