"""How long the event loop is held at most while the worst comes from a model's service, and while it is shown (R7)."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from benchmarks.rows import Row
from code_assistant.errors import StreamBroken
from code_assistant.llm.anthropic.client import AnthropicFactory
from code_assistant.llm.anthropic.wire import WireTransport
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.model import Provider
from code_assistant.llm.openai.client import OpenAIFactory
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.provider import ClientFactory, ModelRequest
from code_assistant.llm.sse import MAX_EVENT_BYTES
from code_assistant.messages import Message, Text

LIMIT_MS = 250
CHUNK_BYTES = 64 * 1024
ROOM = MAX_EVENT_BYTES - 400
# What JSON can be at its worst, as large as an event may be.
WORST_JSON = {
    "nested lists": "[" + ",".join(["[" * 300 + "]" * 300] * (ROOM // 601)) + "]",
    "small lists": "[" + "[]," * (ROOM // 3) + "[]]",
    "small objects": "[" + ",".join(['{"a":1}'] * (ROOM // 8)) + "]",
    "numbers": "[" + "1.5," * (ROOM // 4) + "1]",
}
CHARACTERS = 1_000_000
# What text can be at its worst for whoever cleans it and cuts it into pieces.
WORST_TEXTS = {
    "one line": "x" * CHARACTERS,
    "paragraphs": "a\n\n" * (CHARACTERS // 3),
    "lists": "- a\n" * (CHARACTERS // 4),
    "a table": "|a|b|\n|-|-|\n" + "|a|b|\n" * (CHARACTERS // 6),
    "turned text": "\u202e" * CHARACTERS,
}
DELTAS = 20_000
QUIET_SECONDS = 1.0


class _Ticker:
    """Takes a turn whenever there is one; the longest time of this thread between two of them is the largest gap."""

    def __init__(self) -> None:
        self.largest = 0.0

    async def run(self) -> None:
        last = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            self.largest = max(self.largest, now - last)
            last = now


@asynccontextmanager
async def _ticking() -> AsyncIterator[_Ticker]:
    ticker = _Ticker()
    task = asyncio.create_task(ticker.run())
    await asyncio.sleep(0)
    yield ticker
    task.cancel()
    await asyncio.wait([task])


class _AtOnce(httpx.AsyncByteStream):
    """A service that is never waited for."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self._body), CHUNK_BYTES):
            yield self._body[start : start + CHUNK_BYTES]


def _http(body: bytes) -> httpx.AsyncClient:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=_AtOnce(body))

    return httpx.AsyncClient(transport=httpx.MockTransport(answer))


def _messages(body: bytes) -> ClientFactory:
    return AnthropicFactory(
        WireTransport(_http(body), "http://m", "k", "bearer"),
        RequestOptions(1000, thinking=True, effort=""),
        Catalogue(),
    )


def _chat(body: bytes) -> ClientFactory:
    provider = Provider("openai", "openai", "OpenAI", "http://m/v1", "OPENAI_API_KEY")
    return OpenAIFactory(provider, _http(body), "k", RequestOptions(1000, thinking=True, effort=""), Catalogue())


def _messages_events(block: str, *deltas: str) -> bytes:
    """One block with these deltas."""
    events = [
        '{"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":1}}}',
        f'{{"type":"content_block_start","index":0,"content_block":{block}}}',
        *(f'{{"type":"content_block_delta","index":0,"delta":{delta}}}' for delta in deltas),
        '{"type":"content_block_stop","index":0}',
        '{"type":"message_stop"}',
    ]
    return "".join(f"data: {event}\n\n" for event in events).encode()


def _chat_events(*deltas: str) -> bytes:
    events = [
        *(f'{{"id":"c","model":"x","choices":[{{"index":0,"delta":{delta}}}]}}' for delta in deltas),
        '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
        "[DONE]",
    ]
    return "".join(f"data: {event}\n\n" for event in events).encode()


def _input_deltas(value: str) -> list[str]:
    """A tool's input in pieces, as large as it may be."""
    text = f'{{"a":{value}}}'
    pieces = [text[start : start + CHUNK_BYTES] for start in range(0, len(text), CHUNK_BYTES)]
    return [f'{{"type":"input_json_delta","partial_json":{json.dumps(piece)}}}' for piece in pieces]


def _messages_worst() -> list[bytes]:
    call = '{"type":"tool_use","id":"t","name":"n","input":{}}'
    return [
        *(_messages_events(f'{{"type":"odd","x":{worst}}}') for worst in WORST_JSON.values()),
        *(
            _messages_events(f'{{"type":"tool_use","id":"t","name":"n","input":{{"a":{w}}}}}')
            for w in WORST_JSON.values()
        ),
        *(_messages_events(call, *_input_deltas(worst)) for worst in WORST_JSON.values()),
        _messages_events('{"type":"text"}', *['{"type":"text_delta","text":"ab "}'] * DELTAS),
        _messages_events('{"type":"thinking"}', *['{"type":"signature_delta","signature":"abc"}'] * DELTAS),
        b"data: {}\n" * (2 * ROOM // 9),
        b"data: [" + b"[]," * ROOM + b"\n\n",
    ]


def _chat_worst() -> list[bytes]:
    call = '{{"tool_calls":[{{"index":0,"id":"t","function":{{"name":"n","arguments":{0}}}}}]}}'
    return [
        *(_chat_events(f'{{"content":"a","odd":{worst}}}') for worst in WORST_JSON.values()),
        *(_chat_events(call.format(worst)) for worst in WORST_JSON.values()),
        _chat_events(*['{"content":"ab "}'] * DELTAS),
        b"data: [" + b"[]," * ROOM + b"\n\n",
    ]


async def _stream_gap(clients: Callable[[bytes], ClientFactory], body: bytes) -> float:
    factory = clients(body)
    request = ModelRequest("Be brief.", (), (Message("user", (Text("hi"),)),))
    async with _ticking() as ticker:
        try:
            async with factory.create("sonnet").stream(request) as deltas:
                async for _ in deltas:
                    pass
        except StreamBroken:
            # To be refused is one way of getting through it.
            pass
    await factory.close()
    return ticker.largest


async def _screen_gap(pieces: list[str]) -> float:
    """Until all of it was taken, and for a while after that, in which the rest is painted."""
    # What is left of the screen before this one is not this one's to clear away.
    gc.collect()
    from benchmarks.screen.control import Obeying
    from benchmarks.screen.stage import Play, Stage

    play = Play()
    orders = os.pipe()
    with tempfile.TemporaryDirectory() as folder:
        app = Stage(Path(folder), play, Obeying([str(each) for each in orders]))
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            async with _ticking() as ticker:
                play.say(pieces)
                while app.state.working_since is not None or not app.transcript.blocks:  # noqa: ASYNC110 (nothing else tells)
                    await asyncio.sleep(0.01)
                await asyncio.sleep(QUIET_SECONDS)
    for each in orders:
        os.close(each)
    return ticker.largest


def _largest_ms(gaps: list[float]) -> float:
    return 1000 * max(gaps)


def measure() -> list[Row]:
    messages = [asyncio.run(_stream_gap(_messages, body)) for body in _messages_worst()]
    chat = [asyncio.run(_stream_gap(_chat, body)) for body in _chat_worst()]
    # As the program does when it starts.
    gc.disable()
    texts = [asyncio.run(_screen_gap([text])) for text in WORST_TEXTS.values()]
    many = asyncio.run(_screen_gap(["ab "] * DELTAS))
    gc.enable()
    return [
        Row("gaps: the loop is held by a Messages stream", _largest_ms(messages), "ms", LIMIT_MS),
        Row("gaps: the loop is held by a chat stream", _largest_ms(chat), "ms", LIMIT_MS),
        Row("gaps: the screen is held by 1 MB of text at once", _largest_ms(texts), "ms", LIMIT_MS),
        Row("gaps: the screen is held by 20,000 deltas at once", 1000 * many, "ms", LIMIT_MS),
    ]
