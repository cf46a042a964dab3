"""What only Chat Completions services do: their dialects, their ends, keys that are not needed, addresses."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from code_assistant.errors import CredentialError, ProviderError, StreamBroken
from code_assistant.llm.model import Model, Provider
from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.openai.client import OpenAIClient, OpenAIFactory
from code_assistant.llm.openai.wire import CompletionsTransport
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.provider import (
    BlockFinished,
    Delta,
    ModelRequest,
    ResponseBegun,
    ResponseEnded,
    TextPiece,
    ThinkingPiece,
    ToolSpecification,
    UsageSeen,
)
from code_assistant.llm.stream import create_http_client
from code_assistant.messages import Message, Text, Thinking, ToolCall, ToolResult, Usage
from tests.agent.providers import READ, ask, chat_provider, deltas, knowing
from tests.fakes.chat import DIALECTS, Dialect
from tests.fakes.script import (
    Gate,
    Turn,
    call,
    comment,
    cut,
    hold,
    no_stop,
    ping,
    raw,
    text,
    thinking,
    turn,
)
from tests.fakes.server import ScriptedServer

MODEL = Model("m", "m", "local", 100_000, 8000)


@asynccontextmanager
async def talking(
    server: ScriptedServer, provider: Provider | None = None, key: str | None = "test-key-1", model: Model = MODEL
) -> AsyncIterator[OpenAIClient]:
    provider = provider or chat_provider(server.url)
    options = RequestOptions(1000, True, "")
    made = OpenAIFactory(provider, create_http_client(server.url, 5), key, options, knowing(model))
    try:
        yield made.create(model.name)
    finally:
        await made.close()


async def answer(server: ScriptedServer, scripted: Turn, dialect: Dialect | None = None) -> list[Delta]:
    server.dialect = dialect or server.dialect
    server.script_default([scripted])
    async with talking(server) as client:
        return await deltas(client)


def blocks(seen: list[Delta]) -> list[object]:
    return [delta.block for delta in seen if isinstance(delta, BlockFinished)]


def without_ids(found: list[object]) -> list[object]:
    return [replace(each, id="") if isinstance(each, ToolCall) else each for each in found]


@pytest.mark.parametrize("chunk", [None, 5])
@pytest.mark.parametrize("name", DIALECTS)
async def test_every_dialect_says_the_same(server: ScriptedServer, name: str, chunk: int | None) -> None:
    dialect = DIALECTS[name]
    said = (thinking("let me see"), text("I look, "), text("thus:"))
    calls = [
        call("read_files", {"paths": ["ä.py"]}, id="t1"),
        call("f", {}, id="t2"),
        call("read_files", {"a": 2}, id="t3"),
    ]
    if dialect.calls_as == "function_call":
        del calls[1:]
    usage = {"input_tokens": 5, "cache_read_input_tokens": 3, "output_tokens": 7}
    seen = await answer(server, turn(*said, *calls, usage=usage, chunk=chunk), dialect)
    expected: list[object] = [
        Thinking("let me see", ""),
        Text("I look, thus:"),
        ToolCall("t1", "read_files", {"paths": ["ä.py"]}),
        ToolCall("t2", "f", {}),
        ToolCall("t3", "read_files", {"a": 2}),
    ][: 2 + len(calls)]
    has_ids = dialect.ids not in {"empty", "missing"} and dialect.calls_as == "tool_calls"
    assert blocks(seen) == (expected if has_ids else without_ids(expected))
    assert isinstance(seen[0], ResponseBegun)
    assert "".join(each.text for each in seen if isinstance(each, ThinkingPiece)) == "let me see"
    assert "".join(each.text for each in seen if isinstance(each, TextPiece)) == "I look, thus:"
    told = [each.usage for each in seen if isinstance(each, UsageSeen)]
    assert told[-1:] == ([] if dialect.usage == "never" else [Usage(5, 7, 3)])
    assert seen[-1] == ResponseEnded("tool_use")
    assert server.problems == []


async def test_the_answer_and_its_results_go_back_as_the_service_wants_them(server: ScriptedServer) -> None:
    first = turn(
        thinking("hm"), text("I look."), call("read_files", {"a": 1}, id="t1"), call("read_files", {}, id="t2")
    )
    server.script_default([first, turn(text("done"))])
    async with talking(server) as client:
        spoken = Message(
            "assistant", tuple(each.block for each in await deltas(client) if isinstance(each, BlockFinished))
        )
        results = Message("user", (ToolResult("t1", (Text("x"),)), ToolResult("t2", (Text("y"),), is_error=True)))
        request = ask()
        again = ModelRequest(request.system, request.tools, (*request.messages, spoken, results))
        assert blocks(await deltas(client, again)) == [Text("done")]
    assert server.problems == []
    assert "hm" not in str(server.requests[1].body)


@pytest.mark.parametrize("stream_stays_open", [False, True])
async def test_an_answer_is_whole_at_its_finish_whatever_follows(
    server: ScriptedServer, stream_stays_open: bool
) -> None:
    """Some send no usage and no [DONE], some never close the stream."""
    silence = Gate("silence")
    finish = raw(b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n')
    server.script_default([turn(text("one"), finish, hold(silence) if stream_stays_open else no_stop())])
    async with talking(server) as client:
        seen = await deltas(client)
    assert blocks(seen) == [Text("one")]
    assert seen[-1] == ResponseEnded("end_turn")
    if stream_stays_open:
        assert await server.requests[0].until_closed()


async def test_what_breaks_after_the_finish_costs_nothing(server: ScriptedServer) -> None:
    finish = raw(b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: {nonsense\n\n')
    seen = await answer(server, turn(text("one"), finish, cut()))
    assert blocks(seen) == [Text("one")]


async def test_a_done_without_a_finish_is_no_end(server: ScriptedServer) -> None:
    with pytest.raises(StreamBroken, match="broke off"):
        await answer(server, turn(text("so far"), raw(b"data: [DONE]\n\n"), no_stop()))


async def test_a_server_without_keys_gets_none(server: ScriptedServer) -> None:
    server.keys = None
    server.script_default([turn(text("ok"))])
    async with talking(server, key=None) as client:
        assert blocks(await deltas(client)) == [Text("ok")]
    assert "authorization" not in server.requests[0].headers


async def test_the_key_travels_in_one_header_only(server: ScriptedServer) -> None:
    await answer(server, turn(text("ok")))
    holding = {name for name, value in server.requests[0].headers.items() if "test-key-1" in value}
    assert holding == {"authorization"}


async def test_a_refused_key_names_its_variable(server: ScriptedServer) -> None:
    provider = replace(chat_provider(server.url), title="Router", key_variable="ROUTER_KEY")
    async with talking(server, provider, key="wrong") as client:
        with pytest.raises(CredentialError, match=r"Router refused the key.*ROUTER_KEY"):
            await deltas(client)


@pytest.mark.parametrize("ending", ["/v1", "/v1/", "/v1/chat/completions", "/v1/chat/completions/"])
async def test_addresses_as_people_write_them(server: ScriptedServer, ending: str) -> None:
    server.script_default([turn(text("ok"))])
    provider = replace(chat_provider(server.url), base_url=server.url + ending)
    async with talking(server, provider) as client:
        assert blocks(await deltas(client)) == [Text("ok")]


async def test_an_address_without_its_end_says_what_is_missing(server: ScriptedServer) -> None:
    async with talking(server, replace(chat_provider(server.url), base_url=server.url)) as client:
        with pytest.raises(ProviderError, match="the base_url of openai, which mostly ends in /v1"):
            await deltas(client)


async def test_the_limit_is_called_what_the_service_calls_it(server: ScriptedServer) -> None:
    server.script_default([turn(text("ok")), turn(text("ok"))])
    for name in ("max_tokens", "max_completion_tokens"):
        async with talking(server, replace(chat_provider(server.url), limit_field=name)) as client:
            await deltas(client)
    assert ["max_tokens" in each.body for each in server.requests] == [True, False]


async def test_strict_tools_and_their_inputs(server: ScriptedServer) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]}
    server.script_default([turn(call("f", {"a": "x", "b": None}, id="t1"))])
    async with talking(server, model=replace(MODEL, strict_tools=True)) as client:
        seen = await deltas(client, ask(tools=(ToolSpecification("f", "Does f.", schema), READ)))
    assert blocks(seen) == [ToolCall("t1", "f", {"a": "x"})]
    assert [each["function"]["strict"] for each in server.requests[0].body["tools"]] == [True, True]
    assert server.problems == []


async def test_first_byte_and_content_are_told_apart(server: ScriptedServer) -> None:
    """Comments keep a connection alive without saying anything; later clocks must see the difference."""
    silent, spoken = Gate("silent"), Gate("spoken")
    server.script_default(
        [turn(ping(), hold(silent), comment("OPENROUTER PROCESSING"), text("a"), hold(spoken), start=False)]
    )
    seconds = itertools.count()
    monitor = StreamMonitor(lambda: float(next(seconds)))
    transport = CompletionsTransport(create_http_client(server.url, 5), chat_provider(server.url), "test-key-1")
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    async with transport.events(body, monitor) as chunks:
        silent.open()
        assert (await anext(chunks))["choices"][0]["delta"] == {"content": "a"}
        assert monitor.first_byte is not None
        assert monitor.last_content is None
        spoken.open()
    await transport.close()


async def test_chunks_that_say_nothing_are_not_content(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long tool input is content too, or the clock for silence would end it."""
    marks: list[str] = []
    monkeypatch.setattr(StreamMonitor, "saw_content", lambda _: marks.append("content"))
    empty = raw(b'data: {"choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n')
    steps = (empty, empty, thinking("a b"), text("c d"), call("f", {"k": 1}, id="t", pieces=['{"k"', ": 1}"]), empty)
    await answer(server, turn(*steps))
    # Two thoughts, two words, the call and its two pieces, the finish.
    assert marks == ["content"] * 8
