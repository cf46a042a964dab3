"""The lines of a recording: one JSON object each, in the forms of `json_forms`.

First RecordingBegun. ModelUsed stands before the first request of a model. RequestSent, its DeltaCame and its
RequestEnded have the same number; requests that ran side by side stand among each other, as they happened.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, TypeAlias

from code_assistant.json_forms import FormError, value_from, value_object
from code_assistant.llm.model import Model
from code_assistant.llm.provider import Delta, ModelRequest, ToolSpecification
from code_assistant.llm.recorded_errors import RecordedError
from code_assistant.messages import Exact, Message, Text

VERSION = 1
MAX_LINE_BYTES = 32 * 1024 * 1024

# The answer came to its end, failed with an error, or was left before either.
RequestEnd: TypeAlias = Literal["whole", "failed", "cut"]


@dataclass(frozen=True, slots=True)
class RecordingBegun:
    version: int
    program: str


@dataclass(frozen=True, slots=True)
class ModelUsed:
    model: Model


@dataclass(frozen=True, slots=True)
class RequestSent:
    """`system` and `tools` are null, and the first `kept` messages left out, where they are those of the request
    before it in the same conversation. `left_out` is the size of what was too large to be written.
    """

    number: int
    at: float
    conversation: int
    digest: Exact[str]
    model: str
    system: str | None
    tools: tuple[ToolSpecification, ...] | None
    kept: int
    messages: tuple[Message, ...]
    allow_tools: bool
    max_output_tokens: int | None
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class DeltaCame:
    request: int
    at: float
    delta: Delta


@dataclass(frozen=True, slots=True)
class RequestEnded:
    request: int
    at: float
    end: RequestEnd
    error: RecordedError | None = None


Line: TypeAlias = RecordingBegun | ModelUsed | RequestSent | DeltaCame | RequestEnded


def line_text(line: Line, text_filter: Callable[[str], str] = str) -> str:
    """Its JSON; raises ValueError for what JSON cannot hold. Texts are filtered before they become JSON."""
    try:
        return json.dumps(value_object(Line, line, text_filter), separators=(",", ":"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def line_from(text: bytes) -> Line:
    """Raises FormError for what is no such line."""
    try:
        source: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormError(f"it is not JSON ({error})") from error
    return value_from(Line, source, "line")


def opening(request: ModelRequest) -> str:
    """What a conversation begins with, which tells it from others.

    Only the first text: what is said next may join the same message and changes nothing of who is talking.
    """
    first = request.messages[0].content if request.messages else ()
    return next((block.text for block in first if isinstance(block, Text)), "")


def conversation_digest(model: str, opening_text: str) -> str:
    return sha256(json.dumps([model, opening_text]).encode()).hexdigest()[:32]
