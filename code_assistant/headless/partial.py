"""Stream events for --include-partial-messages: a response while it is written, as the Messages protocol tells it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias
from uuid import uuid4

from code_assistant.events import Event, Origin, RequestStarted, ResponseAdded, ResponseCut, TextDelta, ThinkingDelta
from code_assistant.headless.wire_format import SessionFacts
from code_assistant.message_json import block_object, usage_object
from code_assistant.messages import Response, ToolCall
from code_assistant.secrets import Masker, StreamMasker

Kind: TypeAlias = Literal["text", "thinking"]


class _Writing:
    """One origin's response: which block is open, how many were, and what of it may be a piece of a key."""

    def __init__(self, masker: Masker) -> None:
        self.index = -1
        self.open: Kind | None = None
        self.masker = StreamMasker(masker)


class PartialMessages:
    """Blocks open when their first piece comes and close when another kind, or the end, follows."""

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
            case RequestStarted(origin, _, model):
                self._writing[origin.agent_id] = _Writing(self._masker)
                yield {"type": "message_start", "message": {"role": "assistant", "model": model, "content": []}}
            case TextDelta(origin, text):
                yield from self._piece(origin, "text", text)
            case ThinkingDelta(origin, text):
                yield from self._piece(origin, "thinking", text)
            case ResponseAdded(origin, response):
                yield from self._end(self._writing[origin.agent_id], response)
            case ResponseCut(origin):
                yield from self._close(self._writing[origin.agent_id])
                yield {"type": "message_stop"}
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

    def _end(self, writing: _Writing, response: Response) -> Iterator[dict[str, Any]]:
        yield from self._close(writing)
        for block in response.message.content:
            if isinstance(block, ToolCall):
                writing.index += 1
                yield {"type": "content_block_start", "index": writing.index, "content_block": block_object(block)}
                yield {"type": "content_block_stop", "index": writing.index}
        yield {
            "type": "message_delta",
            "delta": {"stop_reason": response.stop_reason},
            "usage": usage_object(response.usage),
        }
        yield {"type": "message_stop"}
