"""Short words for tests of sub-agents: spawn calls, what their parent reads of them, what they were sent."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from code_assistant.config.settings import AgentSettings
from code_assistant.events import AgentFinished, AgentSpawned
from code_assistant.messages import Text, ToolResult
from code_assistant.tools.builtin import builtin_tools
from tests.agent.harness import Harness, running
from tests.fakes.script import Block, call
from tests.fakes.server import LoggedRequest, ScriptedServer


def spawn(instructions: str, call_id: str | None = None, **more: Any) -> Block:
    return call("spawn_agent", {"instructions": instructions, **more}, id=call_id)


@asynccontextmanager
async def spawning(server: ScriptedServer, folder: Path = Path(), **options: Any) -> AsyncIterator[Harness]:
    """A main agent with all tools of the program, that can spawn. At its end nothing may be left of a sub-agent."""
    options.setdefault("agents", AgentSettings())
    options.setdefault("tools", builtin_tools())
    async with running(server, folder=folder, **options) as harness:
        yield harness
        assert harness.live.all == ()
    assert server.problems == []
    assert len(harness.of(AgentSpawned)) == len(harness.of(AgentFinished))


def results(harness: Harness) -> list[str]:
    """What the main agent read of its tool calls, in the order of the history."""
    return [_text(each) for message in harness.messages for each in message.content if isinstance(each, ToolResult)]


def errors(harness: Harness) -> list[dict[str, Any]]:
    """The results that are errors, as the objects they hold."""
    found = [each for message in harness.messages for each in message.content if isinstance(each, ToolResult)]
    return [json.loads(_text(each)) for each in found if each.is_error]


def _text(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, Text))


def requests_of(server: ScriptedServer, key: str) -> list[LoggedRequest]:
    """The requests of the conversations that a script's key names."""
    return [request for request in server.requests if request.conversation == key]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def tool_names(request: LoggedRequest) -> set[str]:
    return {tool["name"] for tool in request.body.get("tools", ())}


def system_of(request: LoggedRequest) -> str:
    return "".join(part["text"] for part in request.body["system"])


def said(request: LoggedRequest) -> list[str]:
    """All texts of the person's side, in order."""
    return [
        part["text"]
        for message in request.body["messages"]
        if message["role"] == "user"
        for part in message["content"]
        if part["type"] == "text"
    ]
