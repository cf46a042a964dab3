"""The providers against the scripted server: every script through every transport and protocol, alike."""

from __future__ import annotations

import asyncio
import gzip
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal, TypeAlias

import pytest

from code_assistant.errors import (
    ConnectionFailed,
    CredentialError,
    PromptTooLong,
    ProviderError,
    RateLimited,
    StreamBroken,
    UnknownModel,
)
from code_assistant.llm.anthropic.client import AnthropicFactory
from code_assistant.llm.anthropic.wire import WireTransport
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.provider import (
    BlockFinished,
    ClientFactory,
    Delta,
    ResponseBegun,
    ResponseEnded,
    TextPiece,
    ThinkingPiece,
    UsageSeen,
)
from code_assistant.llm.stream import create_http_client
from code_assistant.messages import Message, Opaque, RedactedThinking, Text, Thinking, ToolCall, ToolResult, Usage
from tests.agent.providers import READ, AuthStyle, TransportName, ask, deltas, factory
from tests.fakes.script import (
    Gate,
    Scripted,
    block,
    call,
    comment,
    cut,
    error_event,
    event,
    hang_up,
    hold,
    no_stop,
    ping,
    raw,
    raw_call,
    redacted,
    reset,
    status,
    text,
    thinking,
    turn,
)
from tests.fakes.server import ScriptedServer

Make: TypeAlias = Callable[..., ClientFactory]
Newline: TypeAlias = Literal["\n", "\r\n", "\r"]


@asynccontextmanager
async def makers(transport: TransportName, server: ScriptedServer) -> AsyncGenerator[Make]:
    made: list[ClientFactory] = []

    def build(*, url: str | None = None, key: str = "test-key-1", auth: AuthStyle = "bearer") -> ClientFactory:
        made.append(factory(url or server.url, transport, key=key, auth=auth))
        return made[-1]

    yield build
    for each in made:
        await each.close()


@pytest.fixture(params=["wire", "sdk", "openai"])
async def make(request: pytest.FixtureRequest, server: ScriptedServer) -> AsyncIterator[Make]:
    """For what holds whichever protocol is spoken."""
    async with makers(request.param, server) as build:
        yield build


@pytest.fixture(params=["wire", "sdk"])
async def make_anthropic(request: pytest.FixtureRequest, server: ScriptedServer) -> AsyncIterator[Make]:
    """For what only the Messages protocol can say."""
    async with makers(request.param, server) as build:
        yield build


def blocks(seen: list[Delta]) -> list[object]:
    return [delta.block for delta in seen if isinstance(delta, BlockFinished)]


async def test_text_comes_in_pieces_and_once_more_as_a_whole(make: Make, server: ScriptedServer) -> None:
    server.script_default([turn(text(pieces=["Grüße ", "an ", "alle 👋"]))])
    seen = await deltas(make().create("sonnet"))
    assert [delta.text for delta in seen if isinstance(delta, TextPiece)] == ["Grüße ", "an ", "alle 👋"]
    assert blocks(seen) == [Text("Grüße an alle 👋")]
    assert isinstance(seen[0], ResponseBegun)
    assert seen[0].model == "claude-sonnet-5-5"
    assert seen[-1] == ResponseEnded("end_turn")
    assert server.problems == []


async def test_usage_is_cumulative_and_keeps_what_is_not_repeated(make: Make, server: ScriptedServer) -> None:
    usage = {
        "input_tokens": 12,
        "output_tokens": 34,
        "cache_read_input_tokens": 56,
        "cache_creation_input_tokens": 78,
    }
    server.script_default([turn(text("ok"), usage=usage)])
    seen = [delta.usage for delta in await deltas(make().create("sonnet")) if isinstance(delta, UsageSeen)]
    assert seen[-1] == Usage(input=12, output=34, cache_read=56, cache_write=78)
    assert seen[0].prompt == 12 + 56 + 78


async def test_thinking_is_kept_with_its_signature(make_anthropic: Make, server: ScriptedServer) -> None:
    server.script_default([turn(thinking("let me see", signature="sig-1"), redacted("secret"), text("yes"))])
    seen = await deltas(make_anthropic().create("sonnet"))
    assert "".join(delta.text for delta in seen if isinstance(delta, ThinkingPiece)) == "let me see"
    assert blocks(seen) == [Thinking("let me see", "sig-1"), RedactedThinking("secret"), Text("yes")]


async def test_thinking_is_sent_back_unchanged_and_the_server_takes_it(
    make_anthropic: Make, server: ScriptedServer
) -> None:
    server.script_default(
        [
            turn(thinking("hm", signature="sig-7"), redacted("blob"), call("read_files", {"paths": ["a"]}, id="t1")),
            turn(text("done")),
        ]
    )
    client = make_anthropic().create("sonnet")
    first = await deltas(client)
    said = Message("assistant", tuple(delta.block for delta in first if isinstance(delta, BlockFinished)))
    result = Message("user", (ToolResult("t1", (Text("content"),)),))
    request = ask()
    again = await deltas(
        client, type(request)(request.system, request.tools, (*request.messages, said, result), allow_tools=True)
    )
    assert blocks(again) == [Text("done")]
    assert server.problems == []
    sent = server.requests[1].body["messages"][1]["content"]
    assert sent[0] == {"type": "thinking", "thinking": "hm", "signature": "sig-7"}
    assert sent[1] == {"type": "redacted_thinking", "data": "blob"}


async def test_tool_calls_are_assembled_from_split_json(make: Make, server: ScriptedServer) -> None:
    server.script_default(
        [
            turn(
                text("I look."),
                call("read_files", {"paths": ["ä.py", "b\n.py"]}, id="t1"),
                call("list_files", {}, id="t2", pieces=[]),
            )
        ]
    )
    seen = await deltas(make().create("sonnet"))
    assert blocks(seen)[1:] == [
        ToolCall("t1", "read_files", {"paths": ["ä.py", "b\n.py"]}),
        ToolCall("t2", "list_files", {}),
    ]
    assert seen[-1] == ResponseEnded("tool_use")


@pytest.mark.parametrize(
    ("json_text", "problem"),
    [
        ('{"paths": ["a', "not complete, valid JSON"),
        ('["a"]', "must be a JSON object"),
        ('{"a": 1, "a": 2}', "a key is given twice"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": "\\ud800"}', "not complete, valid JSON"),
    ],
)
async def test_safe_r3_unusable_tool_input_is_named_never_guessed(
    make: Make, server: ScriptedServer, json_text: str, problem: str
) -> None:
    server.script_default([turn(raw_call("read_files", json_text, id="t1"))])
    (found,) = blocks(await deltas(make().create("sonnet")))
    assert isinstance(found, ToolCall)
    assert found.input == {}
    assert found.problem is not None
    assert problem in found.problem


async def test_safe_r3_a_tool_call_that_was_not_closed_is_no_call(make_anthropic: Make, server: ScriptedServer) -> None:
    server.script_default([turn(text("hm"), raw_call("read_files", '{"paths": []}', closed=False), stop="max_tokens")])
    seen = await deltas(make_anthropic().create("sonnet"))
    assert blocks(seen) == [Text("hm")]
    assert seen[-1] == ResponseEnded("max_tokens")


async def test_blocks_of_other_kinds_are_kept_as_they_are(make_anthropic: Make, server: ScriptedServer) -> None:
    found = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}}
    server.script_default([turn(block(found), text("ok"), stop="pause_turn")])
    seen = await deltas(make_anthropic().create("sonnet"))
    assert blocks(seen) == [Opaque(found), Text("ok")]
    assert seen[-1] == ResponseEnded("pause_turn")


async def test_a_refusal_says_why(make: Make, server: ScriptedServer) -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "No malware."}
    server.script_default([turn(stop="refusal", stop_details=details)])
    assert (await deltas(make().create("sonnet")))[-1] == ResponseEnded("refusal", "No malware.")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("chunk", [1, 7, None])
async def test_any_chunking_and_line_end_gives_the_same(
    make: Make, server: ScriptedServer, newline: Newline, chunk: int | None
) -> None:
    said = "naïve ☃ 👩‍👩‍👧 text\nwith lines"
    scripted = turn(
        ping(), comment("still here"), text(said), call("f", {"k": "é☃"}, id="t1"), chunk=chunk, newline=newline
    )
    server.script_default([scripted])
    assert blocks(await deltas(make().create("sonnet"))) == [Text(said), ToolCall("t1", "f", {"k": "é☃"})]


async def test_unknown_events_are_passed_over(make: Make, server: ScriptedServer) -> None:
    server.script_default([turn(event("brand_new", {"type": "brand_new", "x": 1}), text("ok"))])
    assert blocks(await deltas(make().create("sonnet"))) == [Text("ok")]


@pytest.mark.parametrize(
    ("reply", "expected", "words"),
    [
        (status(400, "invalid_request_error", "bad thing"), ProviderError, "bad thing"),
        (status(400, "invalid_request_error", "prompt is too long: 9 tokens > 8"), PromptTooLong, "context window"),
        (status(401, "authentication_error", "invalid key"), CredentialError, "_API_KEY"),
        (status(403, "permission_error", "not yours"), CredentialError, "not yours"),
        (status(413, "request_too_large", "too large"), PromptTooLong, "too large"),
        (status(429, "rate_limit_error", "slow", headers={"retry-after": "7"}), RateLimited, "in 7 s"),
        (status(529, "overloaded_error", "busy"), RateLimited, "overloaded"),
        (status(500, "api_error", "oops"), ProviderError, "oops"),
        (status(503, "", "", body=b"<html>bad\x1b[2J gateway</html>"), ProviderError, "failed"),
        (status(503, "", "", body=b"bad gateway"), ProviderError, "bad gateway"),
        (status(402, "billing_error", "no credit"), ProviderError, "cannot pay for the request: no credit"),
        (status(404, "not_found_error", "The requested model does not exist"), UnknownModel, "Choose another with -m"),
        (turn(text("so far"), error_event("timeout_error", "too slow")), ProviderError, "too slow"),
        (turn(text("so far"), error_event("overloaded_error", "busy")), RateLimited, "overloaded"),
        (turn(text("so far"), cut()), StreamBroken, "Try again"),
        (turn(text("so far"), reset()), StreamBroken, "Try again"),
        (turn(text("so far"), no_stop()), StreamBroken, "broke off"),
        (turn(text("so far"), raw(b"data: {nonsense\n\n"), cut()), StreamBroken, ""),
        (hang_up(), ConnectionFailed, "cannot be reached"),
    ],
)
async def test_every_failure_is_a_typed_error_in_words_that_help(
    make: Make, server: ScriptedServer, reply: Scripted, expected: type[ProviderError], words: str
) -> None:
    server.script_default([reply])
    with pytest.raises(ProviderError) as raised:
        await deltas(make().create("sonnet"))
    assert type(raised.value) is expected
    assert words in raised.value.person


@pytest.mark.parametrize(
    ("retryable", "reply"),
    [
        (True, status(529, "overloaded_error", "busy")),
        (True, status(500, "api_error", "oops")),
        (True, turn(text("x"), cut())),
        (True, turn(text("x"), error_event("timeout_error", "too slow"))),
        (False, status(400, "invalid_request_error", "bad")),
        (False, status(401, "authentication_error", "bad")),
    ],
)
async def test_errors_know_whether_trying_again_can_help(
    make: Make, server: ScriptedServer, reply: Scripted, retryable: bool
) -> None:
    server.script_default([reply])
    with pytest.raises(ProviderError) as raised:
        await deltas(make().create("sonnet"))
    assert raised.value.retryable is retryable


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("auth", ["bearer", "x-api-key"])
async def test_safe_k1_redirections_are_not_followed(
    make: Make, server: ScriptedServer, code: int, auth: AuthStyle
) -> None:
    """Elsewhere neither the key nor the conversation may arrive."""
    with ScriptedServer() as elsewhere:
        server.script_default([status(code, "", "", headers={"location": f"{elsewhere.url}/v1/messages"}, body=b"")])
        with pytest.raises(ProviderError, match="redirection"):
            await deltas(make(auth=auth).create("sonnet"))
        assert elsewhere.connections == 0


@pytest.mark.parametrize("transport", ["wire", "openai"])
async def test_safe_r7_compressed_answers_are_refused_unread(server: ScriptedServer, transport: TransportName) -> None:
    bomb = gzip.compress(gzip.compress(bytes(30_000_000)))
    headers = {"content-type": "text/event-stream", "content-encoding": "gzip, gzip"}
    server.script_default(
        [status(200, "", "", headers=headers, body=bomb), status(500, "", "", headers=headers, body=bomb)]
    )
    made = factory(server.url, transport)
    for words in ("compressed", "failed"):
        with pytest.raises(ProviderError, match=words):
            await deltas(made.create("sonnet"))
    assert server.requests[0].headers["accept-encoding"] == "identity"
    await made.close()


@pytest.mark.parametrize("given", [[1, 2], "abc", 7])
async def test_safe_r3_input_given_whole_must_be_an_object_too(
    make: Make, server: ScriptedServer, given: object
) -> None:
    odd = block({"type": "tool_use", "id": "t1", "name": "f", "input": given})
    fine = block({"type": "tool_use", "id": "t2", "name": "f", "input": {"a": 1}})
    server.script_default([turn(odd, fine, stop="tool_use")])
    first, second = blocks(await deltas(make().create("sonnet")))
    assert isinstance(first, ToolCall)
    assert first.problem is not None
    assert second == ToolCall("t2", "f", {"a": 1})


@pytest.mark.parametrize("number", ["many", 1.5, -1, 10**400, [1]])
async def test_safe_r7_usage_that_is_no_number_breaks_the_stream(
    make_anthropic: Make, server: ScriptedServer, number: object
) -> None:
    server.script_default([turn(text("ok"), usage={"output_tokens": number})])
    with pytest.raises(StreamBroken):
        await deltas(make_anthropic().create("sonnet"))


async def test_an_unknown_model_is_named_with_the_nearest_known_one(make: Make, server: ScriptedServer) -> None:
    server.models = {"claude-sonnet-5-5"}
    with pytest.raises(UnknownModel, match=r"'claude-sonet-5-5'.*Did you mean claude-sonnet-5-5\?"):
        await deltas(make().create("claude-sonet-5-5"))


async def test_nobody_listening_is_a_connection_failure(make: Make, server: ScriptedServer) -> None:
    with pytest.raises(ConnectionFailed, match=r"(?i)base_url"):
        await deltas(make(url="http://127.0.0.1:1").create("sonnet"))


async def test_an_answer_is_whole_at_its_last_event_whatever_follows(
    make_anthropic: Make, server: ScriptedServer
) -> None:
    """Gateways append a [DONE]; some keep the stream open for ever."""
    silence = Gate("silence")
    server.script_default(
        [
            turn(text("one"), event("message_stop", {"type": "message_stop"}), raw(b"data: [DONE]\n\n"), no_stop()),
            turn(text("two"), event("message_stop", {"type": "message_stop"}), hold(silence)),
        ]
    )
    client = make_anthropic().create("sonnet")
    for answer in ("one", "two"):
        assert blocks(await deltas(client)) == [Text(answer)]
    assert await server.requests[1].until_closed()


async def test_cancelling_closes_the_connection_at_once(make: Make, server: ScriptedServer) -> None:
    silence = Gate("silence")
    server.script_default([turn(text("so "), hold(silence), text("far"))])
    client = make().create("sonnet")
    task = asyncio.create_task(deltas(client))
    await silence.until_reached()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    # The gate stays shut: the server learns of the close although it has nothing to write.
    assert await server.requests[0].until_closed()


async def test_a_cancelled_stream_leaves_the_others_alone(make: Make, server: ScriptedServer) -> None:
    silence, pace = Gate("silence"), Gate("pace")
    server.script("one", [turn(hold(silence), text("never"))])
    server.script("two", [turn(text("first "), hold(pace), text("second"))])
    made = make()
    one = asyncio.create_task(deltas(made.create("sonnet"), ask("one")))
    two = asyncio.create_task(deltas(made.create("sonnet"), ask("two")))
    await silence.until_reached()
    await pace.until_reached()
    one.cancel()
    with pytest.raises(asyncio.CancelledError):
        await one
    pace.open()
    assert "".join(delta.text for delta in await two if isinstance(delta, TextPiece)) == "first second"


async def test_connections_are_used_again(make: Make, server: ScriptedServer) -> None:
    server.script_default([turn(text("a")), turn(text("b")), turn(text("c"))])
    made = make()
    for _ in range(3):
        await deltas(made.create("sonnet"))
    assert len(server.requests) == 3
    assert server.connections == 1


@pytest.mark.parametrize(("auth", "header"), [("bearer", "authorization"), ("x-api-key", "x-api-key")])
async def test_the_key_travels_in_the_chosen_header_only(
    make_anthropic: Make, server: ScriptedServer, auth: AuthStyle, header: str
) -> None:
    server.script_default([turn(text("ok"))])
    await deltas(make_anthropic(auth=auth).create("sonnet"))
    headers = server.requests[0].headers
    assert {name for name, value in headers.items() if "test-key-1" in value} == {header}


async def test_both_transports_send_the_same_body_and_protocol_headers(server: ScriptedServer) -> None:
    server.script_default([turn(text("ok")), turn(text("ok"))])
    for transport in ("wire", "sdk"):
        made = factory(server.url, transport, effort="high")
        await deltas(made.create("opus"))
        await made.close()
    wire, sdk = server.requests
    assert wire.body == sdk.body
    for name in ("accept", "content-type", "anthropic-version", "authorization"):
        assert wire.headers[name] == sdk.headers[name]


async def test_first_byte_bytes_and_content_are_told_apart(server: ScriptedServer) -> None:
    """Pings keep a connection alive without saying anything; later clocks must see the difference."""
    silent, pinging = Gate("silent"), Gate("pinging")
    server.script_default([turn(ping(), hold(silent), ping(), hold(pinging), text("at last"), start=False)])
    seconds = itertools.count()
    monitor = StreamMonitor(lambda: float(next(seconds)))
    transport = WireTransport(create_http_client(server.url, 5), server.url, "test-key-1", "bearer")
    assert monitor.first_byte is None
    body = {"model": "m", "max_tokens": 5, "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    async with transport.events(body, monitor) as events:
        assert (await anext(events))["type"] == "ping"
        first = monitor.first_byte
        assert first is not None
        assert monitor.last_bytes == first
        await silent.until_reached()
        silent.open()
        assert (await anext(events))["type"] == "ping"
        assert monitor.first_byte == first
        assert monitor.last_bytes is not None
        assert monitor.last_bytes > first
        assert monitor.last_content is None
    await transport.close()


async def test_everything_but_a_ping_is_content(server: ScriptedServer) -> None:
    """A long tool input is content too, or the clock for silence would end it."""
    moments: list[float] = []

    class Watched(WireTransport):
        @asynccontextmanager
        async def events(self, body: dict[str, Any], monitor: StreamMonitor) -> AsyncGenerator[Any]:
            async with super().events(body, monitor) as stream:

                async def noted() -> AsyncIterator[dict[str, Any]]:
                    async for each in stream:
                        before = monitor.last_content
                        yield each
                        moments.append(0 if monitor.last_content == before else 1)

                yield noted()

    server.script_default([turn(ping(), thinking("hm"), call("f", {"k": "v"}, pieces=['{"k": ', '"v"}']))])
    transport = Watched(create_http_client(server.url, 5), server.url, "test-key-1", "bearer")
    made = AnthropicFactory(transport, RequestOptions(100, True, ""), Catalogue())
    seen = await deltas(made.create("sonnet"))
    assert isinstance(seen[-1], ResponseEnded)
    # Every event but the ping moved the clock: message_start, then one per start, delta, stop and end.
    assert moments.count(0) == 1
    assert len(moments) > 10
    await made.close()


async def test_a_request_that_may_call_no_tool_still_lists_them(make_anthropic: Make, server: ScriptedServer) -> None:
    server.script_default([turn(text("ok"))])
    request = ask()
    await deltas(
        make_anthropic().create("sonnet"), type(request)(request.system, (READ,), request.messages, allow_tools=False)
    )
    assert server.requests[0].body["tool_choice"] == {"type": "none"}
    assert server.requests[0].body["tools"][0]["name"] == "read_files"
