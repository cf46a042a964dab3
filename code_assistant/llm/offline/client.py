"""The explorer as a model client: it answers at once, costs nothing, and speaks the protocol of all the others."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from uuid import uuid4

from code_assistant.llm.model import Model
from code_assistant.llm.offline.steps import Step
from code_assistant.llm.offline.words import OFFLINE_LABEL
from code_assistant.llm.provider import (
    BlockFinished,
    Delta,
    ModelRequest,
    ResponseBegun,
    ResponseEnded,
    TextPiece,
    UsageSeen,
)
from code_assistant.llm.rate_gate import RateGate
from code_assistant.messages import Text, ToolCall, Usage

OFFLINE_MODEL = Model(
    name=OFFLINE_LABEL,
    id="offline-explorer",
    provider="offline",
    context_window=1_000_000,
    max_output_tokens=100_000,
    writes=False,
)
_WORD = re.compile(r"\S+\s*|\s+")


class OfflineClient:
    def __init__(self) -> None:
        # Nobody limits it: this one never closes.
        self._gate = RateGate()

    @property
    def model(self) -> Model:
        return OFFLINE_MODEL

    @property
    def gate(self) -> RateGate:
        return self._gate

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[Delta]]:
        async with aclosing(_deltas(request)) as deltas:
            yield deltas


def _response(request: ModelRequest) -> Step | str:
    # Imported on first use: many patterns are compiled there, and most sessions have another model.
    from code_assistant.llm.offline.explorer import respond

    return respond(request)


async def _deltas(request: ModelRequest) -> AsyncGenerator[Delta]:
    yield ResponseBegun(f"offline_{uuid4().hex}", OFFLINE_MODEL.id)
    # Results can be long: reading them must not hold up a screen.
    response = await asyncio.to_thread(_response, request)
    text = response.words if isinstance(response, Step) else response
    for word in _WORD.findall(text):
        yield TextPiece(word)
    if text:
        yield BlockFinished(Text(text))
    if isinstance(response, Step):
        for call in response.calls:
            yield BlockFinished(ToolCall(f"offline_{uuid4().hex}", call.tool, call.arguments))
    yield UsageSeen(Usage())
    yield ResponseEnded("tool_use" if isinstance(response, Step) else "end_turn")


class OfflineFactory:
    """Makes explorers, whatever model is asked for: there is no other behind it."""

    def create(self, model: str) -> OfflineClient:
        del model
        return OfflineClient()

    async def close(self) -> None:
        """Nothing is open."""
