"""Events about the room that a conversation has in its model's window; their order is told in `events`."""

from __future__ import annotations

from dataclasses import dataclass

from code_assistant.event_parts import CompactionReason, Origin
from code_assistant.messages import Message


@dataclass(frozen=True, slots=True)
class ContextMeasured:
    """How much of the model's window the conversation fills: counted by the service, and estimated since then."""

    origin: Origin
    tokens: int
    window: int


@dataclass(frozen=True, slots=True)
class CompactionStarted:
    """The conversation, of about so many tokens, is being made shorter."""

    origin: Origin
    reason: CompactionReason
    tokens: int


@dataclass(frozen=True, slots=True)
class Compacted:
    """The conversation is shorter: `messages` are the whole history from now on.

    `kept` says for people what is left of it, a line each. `summary` is what the model wrote about the rest, empty
    where only large tool results were taken out.
    """

    origin: Origin
    reason: CompactionReason
    tokens_before: int
    tokens_after: int
    kept: tuple[str, ...]
    summary: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class CompactionFailed:
    """The history is what it was; `error` says why, None when it was interrupted."""

    origin: Origin
    error: str | None
