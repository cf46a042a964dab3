"""The mapper from the chunks of a Chat Completions stream to our own deltas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from code_assistant.errors import StreamBroken
from code_assistant.llm.model import Provider
from code_assistant.llm.openai.calls import OpenCalls
from code_assistant.llm.openai.errors import error_in_stream
from code_assistant.llm.openai.think_tags import ThinkTags
from code_assistant.llm.openai.usage import usage_of
from code_assistant.llm.provider import (
    BlockFinished,
    Delta,
    ResponseBegun,
    ResponseEnded,
    TextPiece,
    ThinkingPiece,
    UsageSeen,
)
from code_assistant.llm.strict_schema import without_stand_ins
from code_assistant.llm.wire_values import whole_characters
from code_assistant.messages import JsonObject, StopReason, Text, Thinking, ToolCall, Usage

CUT_REASONS = frozenset({"length", "max_tokens", "model_length"})
FILTERED = "content_filter"
# The service itself gave up: what came so far is not an answer.
FAILED_REASONS = frozenset({"error", "abort", "insufficient_system_resource"})
NONSENSE = (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
FILTER_WORDS = "the service's content filter stopped the answer"


class ChunkMapper:
    """Maps one response. What is unknown is passed over; nonsense raises StreamBroken.

    The answer is whole once a finish reason came; usage may still follow. `end` then gives the last deltas.
    `schemas` are those of tools whose inputs come in the strict form. `heard` counts what was said: pieces of text,
    thoughts and tool calls, but no chunks that only keep the connection alive.
    """

    def __init__(self, provider: Provider, schemas: Mapping[str, JsonObject]) -> None:
        self._provider = provider
        self._schemas = schemas
        self._begun = False
        self._tags = ThinkTags()
        self._parts: list[str] = []
        self._is_thinking = False
        self._calls = OpenCalls()
        self._refusal: list[str] = []
        self._finish_reason = ""
        self._usage = Usage()
        self.heard = 0

    @property
    def finished(self) -> bool:
        return bool(self._finish_reason)

    def map(self, chunk: dict[str, Any]) -> list[Delta]:
        """The deltas of one chunk."""
        try:
            return self._map(chunk)
        except NONSENSE as error:
            raise StreamBroken(f"The model's service sent a chunk that makes no sense ({error!r}).") from error

    def end(self) -> Iterator[Delta]:
        """What is known only at the end: the open blocks, each decoded when it is asked for, and how it ended."""
        try:
            yield from self._end()
        except NONSENSE as error:
            raise StreamBroken(f"The model's service sent a tool call that makes no sense ({error!r}).") from error

    def _end(self) -> Iterator[Delta]:
        deltas: list[Delta] = []
        for text, is_thinking in self._tags.finish():
            self._say(text, is_thinking, deltas)
        self._close(deltas)
        yield from deltas
        for call in self._calls:
            # A call that the answer's limit cut has a problem: its JSON is not complete.
            yield BlockFinished(self._in_own_form(call.finish()))
        explanation = "".join(self._refusal) or (FILTER_WORDS if self._finish_reason == FILTERED else None)
        yield ResponseEnded(self._stop_reason(), explanation)

    def _map(self, chunk: dict[str, Any]) -> list[Delta]:
        if chunk.get("error") or chunk.get("object") == "error":
            raise error_in_stream(self._provider, chunk)
        deltas: list[Delta] = []
        choices = chunk.get("choices")
        if choices:
            if not self._begun:
                self._begun = True
                deltas.append(ResponseBegun(str(chunk.get("id") or ""), str(chunk.get("model") or "")))
            self._choice(choices[0], deltas)
        usage = chunk.get("usage")
        if usage:
            self._usage = usage_of(usage, self._usage)
            deltas.append(UsageSeen(self._usage))
        return deltas

    def _choice(self, choice: dict[str, Any], deltas: list[Delta]) -> None:
        delta = choice.get("delta")
        if delta:
            content = delta.get("content")
            # Nearly all chunks hold a piece of text and nothing else.
            if len(delta) > 1 or not content:
                self._beside_content(delta, deltas)
            if content:
                if self._tags.are_over and isinstance(content, str):
                    self._say(content, False, deltas)
                else:
                    self._content(content, deltas)
        reason = choice.get("finish_reason")
        if reason:
            self._finish(str(reason))

    def _beside_content(self, delta: dict[str, Any], deltas: list[Delta]) -> None:
        for thought in _thoughts(delta):
            self._say(thought, True, deltas)
        refusal = delta.get("refusal")
        if refusal:
            self.heard += 1
            self._refusal.append(whole_characters(refusal))
        if delta.get("tool_calls") or delta.get("function_call"):
            self._tool_calls(delta, deltas)

    def _content(self, content: Any, deltas: list[Delta]) -> None:
        for text, is_thinking in _content_pieces(content):
            if is_thinking:
                self._say(text, True, deltas)
                continue
            self.heard += 1
            for piece, is_tagged in self._tags.feed(text):
                self._say(piece, is_tagged, deltas)

    def _say(self, text: str, is_thinking: bool, deltas: list[Delta]) -> None:
        if is_thinking is not self._is_thinking:
            self._close(deltas)
            self._is_thinking = is_thinking
        self.heard += 1
        text = whole_characters(text)
        self._parts.append(text)
        deltas.append(ThinkingPiece(text) if is_thinking else TextPiece(text))

    def _close(self, deltas: list[Delta]) -> None:
        """End the text or the thoughts that are being written."""
        if self._parts:
            text = "".join(self._parts)
            # Thoughts are not signed in this protocol, and not sent back.
            deltas.append(BlockFinished(Thinking(text, "") if self._is_thinking else Text(text)))
            self._parts = []

    def _tool_calls(self, delta: dict[str, Any], deltas: list[Delta]) -> None:
        self._close(deltas)
        for entry in delta.get("tool_calls") or ():
            function: dict[str, Any] = entry.get("function") or {}
            self.heard += bool(entry.get("id") or any(function.values()))
            self._calls.add(entry)
        if delta.get("function_call"):
            self.heard += 1
            self._calls.add({"function": delta["function_call"]})

    def _finish(self, reason: str) -> None:
        self.heard += 1
        if reason in FAILED_REASONS:
            raise StreamBroken(f"The service gave up in the middle of its answer ({reason}). Try again.")
        # A service that ends twice says the second time no more than "stop".
        self._finish_reason = self._finish_reason or reason

    def _stop_reason(self) -> StopReason:
        if self._refusal or self._finish_reason == FILTERED:
            return "refusal"
        if self._finish_reason in CUT_REASONS:
            return "max_tokens"
        # Many services say "stop" also where they call tools.
        return "tool_use" if self._calls else "end_turn"

    def _in_own_form(self, call: ToolCall) -> ToolCall:
        schema = self._schemas.get(call.name)
        if schema is None:
            return call
        return ToolCall(call.id, call.name, without_stand_ins(dict(call.input), schema), call.problem)


def _thoughts(delta: dict[str, Any]) -> Iterable[str]:
    """The reasoning in a delta. Services that send it under several names mean the same thing by all of them."""
    for field in ("reasoning_content", "reasoning"):
        text = delta.get(field)
        if text and isinstance(text, str):
            return (text,)
    details = delta.get("reasoning_details")
    if not isinstance(details, list):
        return ()
    entries = cast("list[dict[str, Any]]", details)
    return [text for entry in entries for text in (entry.get("text") or entry.get("summary"),) if text]


def _content_pieces(content: Any) -> Iterable[tuple[str, bool]]:
    """Text, and whether it is thinking; some services give content as a list of parts."""
    if isinstance(content, str):
        return ((content, False),)
    pieces: list[tuple[str, bool]] = []
    for part in cast("list[dict[str, Any]]", content):
        if part["type"] == "text":
            pieces.append((part["text"], False))
        elif part["type"] == "thinking":
            pieces += [(text, True) for text, _ in _content_pieces(part["thinking"])]
    return [(text, is_thinking) for text, is_thinking in pieces if text]
