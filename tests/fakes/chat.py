"""Scripted turns as a Chat Completions stream, in the way of OpenAI or of one of those who follow it loosely."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tests.fakes.script import Block, Comment, Ending, Event, Hold, Interruption, Pause, Raw, Status, Turn, json_bytes

FINISH_REASONS = {"tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}
ChatPart: TypeAlias = bytes | Raw | Hold | Pause | Ending


@dataclass(frozen=True)
class Dialect:
    """How a service differs from OpenAI's own; the defaults are OpenAI's.

    `ids` says where a call's id stands; "later_empty" is an empty one in all pieces but the first, "fresh" a new one
    in each. `reasoning` is the field that thoughts come in, or "tags", "parts", "details".
    """

    usage: Literal["last", "with_finish", "every", "never"] = "last"
    index: Literal["given", "zero", "missing"] = "given"
    ids: Literal["first", "every", "later_empty", "fresh", "empty", "missing"] = "first"
    names: Literal["first", "every"] = "first"
    role: Literal["first", "every"] = "first"
    reasoning: str = "reasoning_content"
    arguments: Literal["text", "object"] = "text"
    content: Literal["text", "parts"] = "text"
    whole_calls: bool = False
    calls_as: Literal["tool_calls", "function_call"] = "tool_calls"
    calls_finish: str = "tool_calls"
    empty_first: bool = False
    comment: str = ""
    done: bool = True


OPENAI = Dialect()
DIALECTS: Mapping[str, Dialect] = {
    "openai": OPENAI,
    "azure": Dialect(empty_first=True),
    "openrouter": Dialect(reasoning="details", comment="OPENROUTER PROCESSING", role="every", usage="with_finish"),
    "ollama": Dialect(reasoning="reasoning", whole_calls=True, index="zero", role="every"),
    "old ollama": Dialect(
        reasoning="tags", whole_calls=True, index="missing", ids="missing", calls_finish="stop", usage="never"
    ),
    "empty ids": Dialect(whole_calls=True, index="zero", ids="empty", calls_finish="stop"),
    "lm studio": Dialect(ids="every", calls_finish="stop"),
    "llama.cpp": Dialect(ids="later_empty", usage="with_finish", reasoning="tags"),
    "vllm": Dialect(reasoning="reasoning", names="every", ids="every", usage="every"),
    "old vllm": Dialect(ids="fresh", usage="never", done=False),
    "deepseek": Dialect(usage="with_finish", comment="keep-alive"),
    "mistral": Dialect(index="missing", whole_calls=True, content="parts", reasoning="parts", usage="with_finish"),
    "no indexes": Dialect(index="missing", usage="never"),
    "names only": Dialect(index="missing", ids="missing", names="every", done=False),
    "objects": Dialect(arguments="object", whole_calls=True, index="zero"),
    "functions": Dialect(calls_as="function_call", calls_finish="function_call", usage="never"),
}


@dataclass(frozen=True)
class ChatTurn:
    """One turn on its way to a client."""

    turn: Turn
    dialect: Dialect
    id: str
    model: str
    next_id: Callable[[str], str]
    asks_for_usage: bool = True

    def parts(self) -> Iterator[ChatPart]:
        for part in self._rendered():
            yield part
            if isinstance(part, Ending):
                return

    def _rendered(self) -> Iterator[ChatPart]:
        if self.turn.start:
            if self.dialect.empty_first:
                yield self._event(
                    {"id": "", "model": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]}
                )
            yield from self._comment()
            yield self._chunk({"role": "assistant", "content": None, "refusal": None})
        calls = 0
        for step in self.turn.steps:
            if not isinstance(step, Block):
                yield from self._interruption(step)
                continue
            yield from self._block(step, calls)
            calls += step.opening["type"] == "tool_use"
        yield from self._end()

    def _end(self) -> Iterator[bytes]:
        reason = FINISH_REASONS.get(self.turn.stop_reason, "stop")
        if reason == "tool_calls":
            reason = self.dialect.calls_finish
        details = self.turn.stop_details or {}
        if details.get("explanation"):
            yield self._chunk({"refusal": details["explanation"]})
        usage = {"usage": self._usage()} if self.dialect.usage == "with_finish" else {}
        yield self._chunk({}, finish=reason, **usage)
        if self.dialect.usage == "last" and self.asks_for_usage:
            yield self._event({**self._frame(), "choices": [], "usage": self._usage()})
        if self.dialect.done:
            end = self.turn.newline.encode()
            yield b"data: [DONE]" + end + end

    def _block(self, step: Block, number: int) -> Iterator[ChatPart]:
        yield from self._comment()
        match step.opening["type"]:
            case "text":
                yield from self._said(step, "text", self._text)
            case "thinking":
                yield from self._thought(step)
            case "tool_use":
                yield from self._call(step, number)
            case _:
                # What only the other protocol knows is not said in this one.
                yield from self._said(step, "", self._text)

    def _said(self, step: Block, key: str, written: Callable[[str], bytes]) -> Iterator[ChatPart]:
        for delta in step.deltas:
            if not isinstance(delta, Mapping):
                yield from self._interruption(delta)
            elif key in delta:
                yield written(delta[key])

    def _text(self, text: str) -> bytes:
        content = [{"type": "text", "text": text}] if self.dialect.content == "parts" else text
        return self._chunk({"content": content})

    def _thought(self, step: Block) -> Iterator[ChatPart]:
        tags = self.dialect.reasoning == "tags"
        if tags:
            yield self._chunk({"content": "<think>"})
        yield from self._said(step, "thinking", self._thinking)
        if tags:
            yield self._chunk({"content": "</think>\n\n"})

    def _thinking(self, text: str) -> bytes:
        match self.dialect.reasoning:
            case "tags":
                return self._chunk({"content": text})
            case "parts":
                part = {"type": "thinking", "thinking": [{"type": "text", "text": text}]}
                return self._chunk({"content": [part]})
            case "details":
                details = [{"type": "reasoning.text", "text": text, "index": 0}]
                return self._chunk({"content": "", "reasoning": text, "reasoning_details": details})
            case field:
                return self._chunk({"content": None, field: text})

    def _call(self, step: Block, number: int) -> Iterator[ChatPart]:
        call_id = self.next_id("call") if step.opening["id"] is None else step.opening["id"]
        given = step.opening["input"]
        if given or self.dialect.whole_calls:
            texts = [delta["partial_json"] for delta in step.deltas if isinstance(delta, Mapping)]
            for delta in step.deltas:
                if not isinstance(delta, Mapping):
                    yield from self._interruption(delta)
            yield self._call_piece(step, number, call_id, given or self._whole("".join(texts)), first=True)
            return
        yield self._call_piece(step, number, call_id, "", first=True)
        yield from self._said(
            step, "partial_json", lambda piece: self._call_piece(step, number, call_id, piece, first=False)
        )

    def _whole(self, text: str) -> Any:
        if self.dialect.arguments == "text":
            return text
        try:
            return json.loads(text)
        except ValueError:
            return text

    def _call_piece(self, step: Block, number: int, call_id: str, arguments: Any, *, first: bool) -> bytes:
        dialect = self.dialect
        function: dict[str, Any] = {"arguments": arguments}
        if first or dialect.names == "every":
            function = {"name": step.opening["name"], **function}
        if dialect.calls_as == "function_call":
            return self._chunk({"function_call": function})
        entry: dict[str, Any] = {"function": function}
        if first:
            entry = {"type": "function", **entry}
        if dialect.index != "missing":
            entry["index"] = number if dialect.index == "given" else 0
        if dialect.ids == "empty" or (dialect.ids == "later_empty" and not first):
            entry["id"] = ""
        elif dialect.ids == "fresh" and not first:
            entry["id"] = self.next_id("fresh")
        elif (first and dialect.ids != "missing") or dialect.ids == "every":
            entry["id"] = call_id
        return self._chunk({"tool_calls": [entry]})

    def _interruption(self, step: Interruption) -> Iterator[ChatPart]:
        if isinstance(step, Comment):
            yield self._comment_bytes(step.text)
        elif isinstance(step, Event):
            # Of the other protocol's events only a ping has its like here.
            yield self._comment_bytes("ping") if step.name == "ping" else self._event(step.data)
        else:
            if isinstance(step, Ending) and step.last_event:
                yield self._event(step.last_event.data)
            yield step

    def _comment(self) -> Iterator[bytes]:
        if self.dialect.comment:
            yield self._comment_bytes(self.dialect.comment)

    def _comment_bytes(self, text: str) -> bytes:
        return f": {text}{self.turn.newline}{self.turn.newline}".encode()

    def _chunk(self, delta: Mapping[str, Any], *, finish: str | None = None, **more: Any) -> bytes:
        if self.dialect.role == "every":
            delta = {"role": "assistant", **delta}
        if self.dialect.usage == "every":
            more = {"usage": self._usage()}
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return self._event({**self._frame(), "choices": [choice], **more})

    def _frame(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": 1_790_000_000,
            "model": self.model,
            "system_fingerprint": "fp_test",
        }

    def _event(self, data: Mapping[str, Any]) -> bytes:
        end = self.turn.newline.encode()
        return b"data: %b%b%b" % (json_bytes(data), end, end)

    def _usage(self) -> dict[str, Any]:
        told = self.turn.full_usage
        cached, written = told["cache_read_input_tokens"], told["cache_creation_input_tokens"]
        prompt = told["input_tokens"] + cached + written
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": told["output_tokens"],
            "prompt_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written},
            "completion_tokens_details": {"reasoning_tokens": 0},
        }
        if type(told["output_tokens"]) is int:
            usage["total_tokens"] = prompt + told["output_tokens"]
        return usage


def chat_error(status: Status) -> dict[str, Any]:
    """An error answer in this protocol's form."""
    return {"error": {"message": status.message, "type": status.error_type, "param": None, "code": None}}
