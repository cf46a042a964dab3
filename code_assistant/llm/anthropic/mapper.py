"""The one mapper from the events of a Messages stream to our own deltas, for both transports."""

from __future__ import annotations

import json
from typing import Any, cast, get_args

from code_assistant.errors import StreamBroken
from code_assistant.llm.anthropic.errors import error_of_kind, read_error
from code_assistant.llm.provider import (
    BlockFinished,
    Delta,
    ResponseBegun,
    ResponseEnded,
    TextPiece,
    ThinkingPiece,
    UsageSeen,
)
from code_assistant.llm.tool_input import parse_tool_input
from code_assistant.llm.wire_values import newest_count, whole_characters
from code_assistant.messages import (
    Block,
    Opaque,
    RedactedThinking,
    StopReason,
    Text,
    Thinking,
    ToolCall,
    Usage,
)

STOP_REASONS = frozenset(get_args(StopReason))


class _OpenBlock:
    """A content block that is still being written."""

    __slots__ = ("kind", "parts", "signature", "start")

    def __init__(self, start: dict[str, Any]) -> None:
        self.start = start
        self.kind: str = start["type"]
        self.parts: list[str] = []
        self.signature = [_text(start.get("signature"))]

    def begin(self) -> Delta | None:
        """What is said at the start already, as some services do it."""
        if self.kind not in ("text", "thinking"):
            return None
        said = whole_characters(_text(self.start.get(self.kind)))
        if not said:
            return None
        self.parts.append(said)
        return TextPiece(said) if self.kind == "text" else ThinkingPiece(said)

    def finish(self) -> Block | None:
        text = "".join(self.parts)
        match self.kind:
            case "text":
                return Text(text) if text else None
            case "thinking":
                return Thinking(text, "".join(self.signature))
            case "redacted_thinking":
                return RedactedThinking(_text(self.start["data"]))
            case "tool_use":
                return self._tool_call(text)
            case _:
                return Opaque({**self.start, "input": parse_tool_input(text)[0]} if text else self.start)

    def _tool_call(self, text: str) -> ToolCall:
        name, call_id = str(self.start["name"]), str(self.start["id"])
        # Some services give the whole input at the start instead of in pieces.
        parsed, problem = parse_tool_input(text or json.dumps(self.start.get("input") or {}))
        return ToolCall(call_id, name, parsed, problem)


class MessageMapper:
    """Maps one response. Unknown events are passed over, as the protocol asks; nonsense raises StreamBroken."""

    def __init__(self) -> None:
        self._open: dict[int, _OpenBlock] = {}
        self._usage = Usage()
        self._stop_reason: StopReason | None = None
        self._explanation: str | None = None
        self.ended = False

    def map(self, event: dict[str, Any]) -> Delta | None:
        """The delta of one event, or None when it says nothing to us."""
        try:
            kind = event["type"]
            if kind == "content_block_delta":
                return self._delta(event)
            return self._other(kind, event)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
            raise StreamBroken(f"The model's service sent an event that makes no sense ({error!r}).") from error

    def _delta(self, event: dict[str, Any]) -> Delta | None:
        block = self._open[event["index"]]
        delta = event["delta"]
        kind = delta["type"]
        if kind == "text_delta":
            text = whole_characters(delta["text"])
            block.parts.append(text)
            return TextPiece(text)
        if kind == "input_json_delta":
            block.parts.append(delta["partial_json"])
        elif kind == "thinking_delta":
            text = whole_characters(delta["thinking"])
            block.parts.append(text)
            return ThinkingPiece(text)
        elif kind == "signature_delta":
            block.signature.append(_text(delta["signature"]))
        return None

    def _other(self, kind: str, event: dict[str, Any]) -> Delta | None:
        match kind:
            case "message_start":
                message = event["message"]
                self._add_usage(message.get("usage") or {})
                return ResponseBegun(str(message["id"]), str(message["model"]))
            case "content_block_start":
                if event["index"] in self._open:
                    raise ValueError(f"block {event['index']} is open already")
                opened = self._open[event["index"]] = _OpenBlock(event["content_block"])
                return opened.begin()
            case "content_block_stop":
                block = self._open.pop(event["index"]).finish()
                return BlockFinished(block) if block is not None else None
            case "message_delta":
                return self._message_delta(event)
            case "message_stop":
                self.ended = True
                return ResponseEnded(self._stop_reason or "end_turn", self._explanation)
            case "error":
                raise error_of_kind(*(read_error(event) or ("api_error", "unknown error")))
            case _:
                pass
        return None

    def _message_delta(self, event: dict[str, Any]) -> UsageSeen:
        delta = event["delta"]
        reason = delta.get("stop_reason")
        if reason in STOP_REASONS:
            self._stop_reason = reason
        details = delta.get("stop_details")
        if isinstance(details, dict):
            fields = cast("dict[str, Any]", details)
            self._explanation = _text(fields.get("explanation")) or _text(fields.get("category")) or None
        self._add_usage(event.get("usage") or {})
        return UsageSeen(self._usage)

    def _add_usage(self, seen: dict[str, Any]) -> None:
        # Each report is cumulative; a field that is missing or null keeps what was said before.
        known = self._usage
        self._usage = Usage(
            input=newest_count(seen, "input_tokens", known.input),
            output=newest_count(seen, "output_tokens", known.output),
            cache_read=newest_count(seen, "cache_read_input_tokens", known.cache_read),
            cache_write=newest_count(seen, "cache_creation_input_tokens", known.cache_write),
        )

    @property
    def usage(self) -> Usage:
        return self._usage


def _text(value: Any) -> str:
    """What must be text, empty where there is none; raises TypeError for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:40]!r} is no text")
    return value
