"""The provider protocol: what an agent sends to a model and the deltas that come back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from code_assistant.llm.model import Model
from code_assistant.llm.rate_gate import RateGate
from code_assistant.messages import Block, Exact, JsonObject, Message, StopReason, Usage


@dataclass(frozen=True, slots=True)
class ToolSpecification:
    name: str
    description: str
    input_schema: JsonObject


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request. With `allow_tools` false the tools stay listed (the cache holds) but none may be called.

    `max_output_tokens` lowers the limit on the answer that is configured; None leaves it.
    """

    system: str
    tools: tuple[ToolSpecification, ...]
    messages: tuple[Message, ...]
    allow_tools: bool = True
    max_output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ResponseBegun:
    id: Exact[str]
    model: str


@dataclass(frozen=True, slots=True)
class TextPiece:
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingPiece:
    text: str


@dataclass(frozen=True, slots=True)
class BlockFinished:
    """A content block is closed and complete. Only from such a block may a tool call be run."""

    block: Block


@dataclass(frozen=True, slots=True)
class UsageSeen:
    """The tokens of this response so far, cumulative."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class ResponseEnded:
    stop_reason: StopReason
    explanation: str | None = None


Delta: TypeAlias = ResponseBegun | TextPiece | ThinkingPiece | BlockFinished | UsageSeen | ResponseEnded


class ModelClient(Protocol):
    """One agent's connection to one model.

    Leaving the context of `stream` closes the connection at once, also when the reading task is cancelled.
    The deltas end with ResponseEnded; a stream that ends otherwise raises a ProviderError.
    """

    @property
    def model(self) -> Model: ...

    @property
    def gate(self) -> RateGate:
        """Where requests wait while a rate limit holds; one for all clients of a provider."""
        ...

    def stream(self, request: ModelRequest) -> AbstractAsyncContextManager[AsyncIterator[Delta]]: ...


class ClientFactory(Protocol):
    """Makes a client per agent over one connection pool, which `close` ends."""

    def create(self, model: str) -> ModelClient: ...

    async def close(self) -> None: ...
