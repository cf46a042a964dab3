"""Stream events for --include-partial-messages: a response while it is written, as the Messages protocol tells it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias
from uuid import uuid4

from code_assistant.events import (
    BlockAdded,
    Event,
    Origin,
    ResponseAdded,
    ResponseCut,
    ResponseStarted,
    TextDelta,
    ThinkingDelta,
)
from code_assistant.headless.wire_format import SessionFacts
from code_assistant.json_forms import filtered_json
from code_assistant.message_json import block_object, usage_object
from code_assistant.messages import Block, Text, Thinking, ToolCall, Usage
from code_assistant.secrets import Masker, StreamMasker

Kind: TypeAlias = Literal["text", "thinking"]


class _Writing:
    """One origin's response: which block is open, how many were, and what of it may be a piece of a key."""

    def __init__(self, masker: Masker) -> None:
        self.index = -1
        self.open: Kind | None = None
        self.masker = StreamMasker(masker)


class PartialMessages:
    """Blocks have the indexes that they have in the message; a tool call's input comes in one piece."""

    def __init__(self, facts: SessionFacts, masker: Masker) -> None:
        self._facts = facts
        self._masker = masker
        self._writing: dict[str, _Writing] = {}

    def lines(self, event: Event) -> Iterator[dict[str, Any]]:
        for stream_event in self._stream_events(event):
            yield {
                "type": "stream_event",
                "event": stream_event,
                "parent_tool_use_id": event.origin.tool_call_id,
                "session_id": self._facts.session_id,
                "uuid": str(uuid4()),
            }

    def _stream_events(self, event: Event) -> Iterator[dict[str, Any]]:
        match event:
            case ResponseStarted(origin, response_id, model):
                self._writing[origin.agent_id] = _Writing(self._masker)
                yield {"type": "message_start", "message": _empty_message(response_id, model)}
            case TextDelta(origin, text):
                yield from self._piece(origin, "text", text)
            case ThinkingDelta(origin, text):
                yield from self._piece(origin, "thinking", text)
            case BlockAdded(origin, block):
                yield from self._block(self._writing[origin.agent_id], block)
            case ResponseAdded(origin, response):
                yield from self._end(origin, response.stop_reason, response.usage)
            case ResponseCut(origin):
                yield from self._end(origin, None, None)
            case _:
                pass

    def _piece(self, origin: Origin, kind: Kind, text: str) -> Iterator[dict[str, Any]]:
        writing = self._writing[origin.agent_id]
        if writing.open != kind:
            yield from self._close(writing)
            writing.open = kind
            writing.index += 1
            block = {"type": kind, kind: ""}
            yield {"type": "content_block_start", "index": writing.index, "content_block": block}
        yield from self._delta(writing, kind, writing.masker.feed(text))

    def _delta(self, writing: _Writing, kind: Kind, text: str) -> Iterator[dict[str, Any]]:
        if text:
            delta = {"type": f"{kind}_delta", kind: text}
            yield {"type": "content_block_delta", "index": writing.index, "delta": delta}

    def _close(self, writing: _Writing) -> Iterator[dict[str, Any]]:
        if writing.open is not None:
            yield from self._delta(writing, writing.open, writing.masker.flush())
            writing.open = None
            yield {"type": "content_block_stop", "index": writing.index}

    def _block(self, writing: _Writing, block: Block) -> Iterator[dict[str, Any]]:
        """The end of a block that was written in pieces, or the whole of one that was not."""
        if isinstance(block, Text | Thinking) and writing.open is not None:
            yield from self._close(writing)
            return
        writing.index += 1
        shown = block_object(block)
        delta = None
        if isinstance(block, ToolCall):
            # A key is not known any more once its marks are escaped twice.
            masked = filtered_json(shown["input"], self._masker.mask)
            delta = {"type": "input_json_delta", "partial_json": json.dumps(masked)}
            shown["input"] = {}
        yield {"type": "content_block_start", "index": writing.index, "content_block": shown}
        if delta is not None:
            yield {"type": "content_block_delta", "index": writing.index, "delta": delta}
        yield {"type": "content_block_stop", "index": writing.index}

    def _end(self, origin: Origin, stop_reason: str | None, usage: Usage | None) -> Iterator[dict[str, Any]]:
        writing = self._writing.pop(origin.agent_id, None)
        if writing is None:
            return
        yield from self._close(writing)
        if usage is not None:
            yield {"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": usage_object(usage)}
        yield {"type": "message_stop"}


def _empty_message(response_id: str, model: str) -> dict[str, Any]:
    return {
        "id": response_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "usage": usage_object(Usage()),
    }
