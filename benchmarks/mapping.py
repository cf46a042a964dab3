"""What a stream event costs from bytes to our own delta, beside raw SSE and JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from benchmarks.interleaved import RUNS
from benchmarks.rows import Row
from code_assistant.llm.anthropic.mapper import MessageMapper
from code_assistant.llm.event_data import parse_event
from code_assistant.llm.model import Provider
from code_assistant.llm.openai.mapper import ChunkMapper
from code_assistant.llm.sse import EventParser

LIMIT = 1.5
EVENTS = 8000
CHUNK_BYTES = 1460


def _messages_stream() -> list[bytes]:
    start = {"id": "m", "model": "x", "usage": {"input_tokens": 1, "output_tokens": 1}}
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ]
    events += [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f" word{number}"}}
        for number in range(EVENTS)
    ]
    events.append({"type": "content_block_stop", "index": 0})
    return _cut(b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events))


def _chat_stream() -> list[bytes]:
    frame = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "x", "system_fingerprint": "f"}
    events = [
        {**frame, "choices": [{"index": 0, "delta": {"content": f" word{number}"}, "finish_reason": None}]}
        for number in range(EVENTS)
    ]
    return _cut(b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in events))


def _cut(lines: bytes) -> list[bytes]:
    return [lines[start : start + CHUNK_BYTES] for start in range(0, len(lines), CHUNK_BYTES)]


def _raw(chunks: list[bytes]) -> int:
    count, rest = 0, b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                json.loads(line[5:])
                count += 1
    return count


def _messages(chunks: list[bytes]) -> int:
    return _mapped(chunks, MessageMapper().map)


def _chat(chunks: list[bytes]) -> int:
    return _mapped(chunks, ChunkMapper(Provider("x", "openai", "X"), {}).map)


def _mapped(chunks: list[bytes], mapping: Callable[[dict[str, Any]], object]) -> int:
    parser, count = EventParser(), 0
    for chunk in chunks:
        for event in parser.feed(chunk):
            mapping(parse_event(event))
            count += 1
    return count


def _medians(chunks: list[bytes], mapped: Callable[[list[bytes]], int]) -> tuple[float, float]:
    """The seconds of raw reading and of mapping, in turns."""
    times: dict[Callable[[list[bytes]], int], list[float]] = {_raw: [], mapped: []}
    for _ in range(RUNS * 3):
        for contender, spent in times.items():
            started = time.process_time()
            seen = contender(chunks)
            spent.append(time.process_time() - started)
            if seen < EVENTS:
                raise RuntimeError(f"only {seen} of {EVENTS} events were seen")
    return median(times[_raw]), median(times[mapped])


def measure() -> list[Row]:
    raw, messages = _medians(_messages_stream(), _messages)
    raw_chat, chat = _medians(_chat_stream(), _chat)
    per_thousand = 1000 * 1000 / EVENTS
    return [
        Row("mapping: raw SSE + json, 1 000 events", raw * per_thousand, "ms"),
        Row("mapping: to our deltas, 1 000 events", messages / raw, "x raw", LIMIT),
        Row("mapping: raw SSE + json, 1 000 chat chunks", raw_chat * per_thousand, "ms"),
        Row("mapping: to our deltas, 1 000 chat chunks", chat / raw_chat, "x raw", LIMIT),
    ]
