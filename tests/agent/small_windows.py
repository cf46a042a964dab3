"""A session whose model has little room, so that it is compacted soon, and short words for what is sent then."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from code_assistant.events import Compacted, CompactionFailed, CompactionStarted, Display
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.model import Model, ThinkingKind
from code_assistant.messages import Text
from code_assistant.resuming.conversation import messages_of
from code_assistant.tools.tool import ToolContext, ToolOutput
from tests.agent.harness import Harness, running
from tests.agent.providers import knowing
from tests.agent.tools import Echo, NoteInput, registry
from tests.fakes.script import Turn, status, text, turn
from tests.fakes.server import LoggedRequest, ScriptedServer

WINDOW = 20_000
SMALL = Model("small", "small", "anthropic", WINDOW, 1000, thinking="adaptive", images=True)
COMPACTED = "compacted to save room"
TOLD = "<conversation>"
TOO_LONG = status(400, "invalid_request_error", "prompt is too long: 5000 tokens > 4000 maximum")


class Large(Echo):
    """Little is asked for, much comes back."""

    name = "large"

    async def run(self, arguments: NoteInput, context: ToolContext) -> ToolOutput:
        return ToolOutput((Text(arguments.note * 35_000),), Display(self.title(arguments), "done"))


def catalogue(thinking_kind: ThinkingKind = "adaptive") -> Catalogue:
    return knowing(replace(SMALL, thinking=thinking_kind))


@asynccontextmanager
async def small(
    server: ScriptedServer, thinking_kind: ThinkingKind = "adaptive", **options: Any
) -> AsyncIterator[Harness]:
    """A session with a model that has little room; at its end the events must tell the whole history."""
    known = catalogue(thinking_kind)
    async with running(server, catalogue=known, model="small", tools=registry(Large()), **options) as harness:
        yield harness
        assert messages_of(harness.events) == harness.agent.history.messages
        assert len(harness.of(CompactionStarted)) == len(harness.of(Compacted)) + len(harness.of(CompactionFailed))


def long_answer(tokens: int = 16_900) -> Turn:
    """One after which there is no room left."""
    return turn(text("y" * int(tokens * 3.5)), usage={"input_tokens": 300, "output_tokens": tokens})


def said(request: LoggedRequest) -> list[str]:
    """All texts of the last message, in either protocol."""
    content = request.body["messages"][-1]["content"]
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content if block["type"] == "text"]
