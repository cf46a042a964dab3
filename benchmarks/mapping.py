"""What a stream event costs from bytes to our own delta, beside raw SSE and JSON."""

from __future__ import annotations

import json
import time
from statistics import median

from benchmarks.interleaved import RUNS
from benchmarks.rows import Row
from code_assistant.llm.anthropic.mapper import MessageMapper
from code_assistant.llm.anthropic.wire import parse_event
from code_assistant.llm.sse import EventParser

LIMIT = 1.5
EVENTS = 8000
CHUNK_BYTES = 1460


def _stream() -> list[bytes]:
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
    lines = b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)
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


def _mapped(chunks: list[bytes]) -> int:
    parser, mapper, count = EventParser(), MessageMapper(), 0
    for chunk in chunks:
        for event in parser.feed(chunk):
            mapper.map(parse_event(event))
            count += 1
    return count


def measure() -> list[Row]:
    chunks = _stream()
    raw: list[float] = []
    mapped: list[float] = []
    for _ in range(RUNS * 3):
        for contender, times in ((_raw, raw), (_mapped, mapped)):
            started = time.process_time()
            seen = contender(chunks)
            times.append(time.process_time() - started)
            if seen < EVENTS:
                raise RuntimeError(f"only {seen} of {EVENTS} events were seen")
    per_thousand = 1000 * 1000 / EVENTS
    return [
        Row("mapping: raw SSE + json, 1 000 events", median(raw) * per_thousand, "ms"),
        Row("mapping: to our deltas, 1 000 events", median(mapped) / median(raw), "x raw", LIMIT),
    ]
