"""Answers that no service should give: each costs a request at most, never the conversation, a key, or our patience."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from code_assistant.errors import CredentialError, ProviderError, RateLimited, StreamBroken
from code_assistant.llm import stream
from code_assistant.llm.anthropic.mapper import MessageMapper
from code_assistant.llm.event_data import parse_event
from code_assistant.llm.stream import whole_words
from code_assistant.llm.tool_input import parse_tool_input
from tests.agent.providers import TransportName, deltas, factory
from tests.hang_guard import HANG_GUARD
from tests.rows import each_row

KEY = "sk-ant-api03-SECRETSECRETSECRET"


@each_row("number", ["1e999", "-1e999", "Infinity", "NaN"])
def test_safe_r3_numbers_that_cannot_be_sent_back(number: str) -> None:
    """They would make every later request one that no service takes."""
    parsed, problem = parse_tool_input(f'{{"limit": {number}}}')
    assert parsed == {}
    assert problem is not None
    with pytest.raises(StreamBroken):
        parse_event(f'{{"type": "x", "value": {number}}}'.encode())


@each_row(
    "block",
    [
        {"type": "redacted_thinking", "data": {"a": [1]}},
        {"type": "thinking", "thinking": "", "signature": {"a": 1}},
        {"type": "thinking", "thinking": ["x"], "signature": ""},
        {"type": "text", "text": 5},
    ],
)
def test_safe_r7_blocks_of_the_wrong_kind(block: dict[str, Any]) -> None:
    mapper = MessageMapper()
    with pytest.raises(StreamBroken):
        mapper.map({"type": "content_block_start", "index": 0, "content_block": block})
        mapper.map({"type": "content_block_stop", "index": 0})


def test_a_lone_surrogate_at_the_start_of_a_block() -> None:
    mapper = MessageMapper()
    mapper.map({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "\ud800x"}})
    assert "\ud800" not in repr(mapper.map({"type": "content_block_stop", "index": 0}))


@each_row(
    ("text", "most", "kept"),
    [("one two three", 9, "one two"), ("one two", 7, "one two"), ("one two", 3, "one"), ("onetwothree", 5, "")],
)
def test_safe_k4_words_are_not_cut_in_two(text: str, most: int, kept: str) -> None:
    assert whole_words(text, most) == kept
    assert whole_words(text.encode(), most) == kept.encode()


@asynccontextmanager
async def answering(head: bytes) -> AsyncIterator[str]:
    """A service that says this much, and then nothing for as long as somebody listens."""
    listening: list[asyncio.StreamWriter] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        listening.append(writer)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head)
        await writer.drain()
        await reader.read()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        for writer in listening:
            writer.close()
        server.close()


def refusal(status: str, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "content-type: application/json", "content-length: 500", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n" + '{"error": {"type": "x", "mess').encode()


@pytest.mark.parametrize("transport", ["wire", "openai"])
@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (refusal("401 Unauthorized"), CredentialError),
        (refusal("429 Too Many Requests", "retry-after: 3600"), RateLimited),
    ],
)
async def test_safe_r4_an_error_that_hangs_is_known_by_its_status(
    monkeypatch: pytest.MonkeyPatch, transport: TransportName, head: bytes, kind: type[ProviderError]
) -> None:
    monkeypatch.setattr(stream, "ERROR_SECONDS", 0.05)
    async with answering(head) as url:
        clients = factory(url, transport)
        try:
            async with asyncio.timeout(HANG_GUARD):
                with pytest.raises(kind) as caught:
                    await deltas(clients.create("sonnet"))
        finally:
            await clients.close()
    if kind is RateLimited:
        assert caught.value.retry_after == 3600


async def test_safe_k4_no_piece_of_a_key_is_left_in_a_long_error() -> None:
    body = '{"error": {"message": "' + "x " * 490 + KEY + ' and more"}}'
    head = f"HTTP/1.1 400 Bad\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n{body}"
    async with answering(head.encode()) as url:
        clients = factory(url, "openai")
        try:
            with pytest.raises(ProviderError) as caught:
                await deltas(clients.create("gpt-6-sol"))
        finally:
            await clients.close()
    assert caught.value.person.endswith("…")
    assert "sk-ant" not in caught.value.person
    assert KEY[-6:] not in caught.value.person
