"""Conversation data: roles, content blocks, usage. Immutable, provider-neutral, imports nothing of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

Role: TypeAlias = Literal["user", "assistant"]
JsonObject: TypeAlias = Mapping[str, Any]
_Kept = TypeVar("_Kept")
# Ids, and what a provider takes back only unchanged: of these no file is without more than the configured keys.
AS_IT_IS = "as it is"
Exact: TypeAlias = Annotated[_Kept, AS_IT_IS]

# How the names of files end that may be sent as images.
IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text; never blank in a history."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """The model's reasoning. It is sent back unchanged, so the signature travels with it."""

    text: str
    signature: Exact[str]


@dataclass(frozen=True, slots=True)
class RedactedThinking:
    """Reasoning that only the provider can read; sent back unchanged."""

    data: Exact[str]


@dataclass(frozen=True, slots=True)
class Image:
    """An image as base64, with its media type."""

    media_type: str
    data: Exact[str]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of the model. `problem` says why its input cannot be used (then `input` is empty)."""

    id: Exact[str]
    name: str
    input: JsonObject
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The one answer to the tool call with the same id."""

    tool_call_id: Exact[str]
    content: tuple[Text | Image, ...]
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """A block of the provider's own that we do not interpret, kept to be sent back unchanged."""

    data: Exact[JsonObject]


Block: TypeAlias = Text | Thinking | RedactedThinking | Image | ToolCall | ToolResult | Opaque


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    content: tuple[Block, ...]

    @property
    def text(self) -> str:
        """The message's plain text, its text blocks joined."""
        return "".join(block.text for block in self.content if isinstance(block, Text))

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(block for block in self.content if isinstance(block, ToolCall))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more responses. The whole prompt is input + cache_read + cache_write."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )

    @property
    def prompt(self) -> int:
        """All tokens that were sent, cached or not."""
        return self.input + self.cache_read + self.cache_write

    @property
    def total(self) -> int:
        return self.prompt + self.output


StopReason: TypeAlias = Literal[
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
]


@dataclass(frozen=True, slots=True)
class Response:
    """One finished response of the model: what it said and how it ended."""

    id: Exact[str]
    model: str
    message: Message
    stop_reason: StopReason
    usage: Usage
    stop_explanation: str | None = None
