"""The scripted model server, judged by the official SDK; and its validator, case by case."""

from __future__ import annotations

import asyncio
import copy
import http.client
import json
import socket
import threading
import typing
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from tests.fakes.script import (
    Gate,
    after,
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
    server_tool,
    status,
    text,
    thinking,
    turn,
)
from tests.fakes.server import LoggedRequest, ScriptedServer
from tests.fakes.validate import BLOCK_KEYS, BLOCK_TYPES, RESULT_BLOCK_TYPES, TOP_LEVEL_KEYS, check
from tests.hang_guard import HANG_GUARD

TOOLS = [{"name": "read_files", "input_schema": {"type": "object"}}]
HEADERS = {"x-api-key": "test-key-1", "anthropic-version": "2026-10-21"}


def said(content: Any, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": content}


def answered(call_id: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "done", **more}


def request_body(**changes: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9, "messages": [said("hello")], "stream": True, **changes}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture
async def client(server: ScriptedServer) -> AsyncIterator[Any]:
    import anthropic

    async with anthropic.AsyncAnthropic(base_url=server.url, api_key="test-key-1", max_retries=0) as opened:
        yield opened


async def ask(client: Any, *messages: Any, **options: Any) -> Any:
    """The whole answer, put together by the SDK."""
    asked = [said(each) if isinstance(each, str) else each for each in messages]
    async with client.messages.stream(model="m", max_tokens=100, messages=asked, **options) as stream:
        return await stream.get_final_message()


async def events(client: Any, message: str) -> list[Any]:
    """The raw events, as the SDK parses them."""
    stream = await client.messages.create(model="m", max_tokens=9, messages=[said(message)], stream=True)
    return [each async for each in stream]


def deltas(parsed: list[Any], field: str) -> list[str]:
    found = [each.delta for each in parsed if each.type == "content_block_delta"]
    return [getattr(delta, field) for delta in found if hasattr(delta, field)]


class TestTurns:
    async def test_a_conversation_with_a_tool(self, server: ScriptedServer, client: Any) -> None:
        first = turn(
            thinking("hm, tax", signature="sig1"),
            text("I will look."),
            call("read_files", {"paths": ["a.py"]}, id="toolu_1"),
        )
        server.script("How is tax", [first, turn(text("It is in a.py:3."))])
        question = said("How is tax computed?")

        message = await ask(client, question, tools=TOOLS)
        thought, words, made_call = message.content
        assert (thought.thinking, thought.signature, words.text) == ("hm, tax", "sig1", "I will look.")
        assert (made_call.id, made_call.name, made_call.input) == ("toolu_1", "read_files", {"paths": ["a.py"]})
        assert message.stop_reason == "tool_use"

        last = await ask(client, question, message.to_param(), said([answered("toolu_1")]), tools=TOOLS)
        assert [each.text for each in last.content] == ["It is in a.py:3."]
        assert last.stop_reason == "end_turn"
        assert server.problems == []

    async def test_the_log(self, server: ScriptedServer, client: Any) -> None:
        server.script("hello", [turn(text("a")), turn(text("b"))])
        await ask(client, "oh hello")
        await ask(client, "oh hello", system="be brief")
        one, two = server.requests
        assert (one.conversation, one.turn, two.turn) == ("hello", 1, 2)
        assert one.headers["authorization"] == "Bearer test-key-1"
        assert two.body["system"] == "be brief"
        assert json.loads(two.raw_body) == two.body
        assert one.finished and not one.closed_early
        assert server.connections == 1

    async def test_pieces(self, server: ScriptedServer, client: Any) -> None:
        words = text(" one two\nthree ")
        exact = text("onetwo", pieces=["on", "", "etwo"])
        thought = thinking("a b", pieces=["a", " b"], signature=None)
        asked = call("f", {"a": [1]}, pieces=['{"a', '": [1]}'])
        server.script_default([turn(words, exact, thought, asked)])
        parsed = await events(client, "hello")
        assert deltas(parsed, "text") == [" ", "one ", "two\n", "three ", "on", "", "etwo"]
        assert deltas(parsed, "thinking") == ["a", " b"]
        assert deltas(parsed, "signature") == []
        assert deltas(parsed, "partial_json") == ['{"a', '": [1]}']

    def test_pieces_that_do_not_add_up(self) -> None:
        with pytest.raises(ValueError, match="do not add up"):
            text("one", pieces=["two"])
        with pytest.raises(ValueError, match="do not add up"):
            call("f", {"a": 1}, pieces=['{"a": 2}'])

    async def test_input_is_split_and_ids_are_unique(self, server: ScriptedServer, client: Any) -> None:
        server.script_default([turn(call("f", {"a": "ü" * 9}), call("g", {}))] * 2)
        parsed = await events(client, "hello")
        assert len(deltas(parsed, "partial_json")) > 4
        messages = [await ask(client, text) for text in ("x", "y")]
        ids = [each.id for message in messages for each in message.content]
        assert [each.input for each in messages[0].content] == [{"a": "ü" * 9}, {}]
        assert len(set(ids)) == 4 and all(each.startswith("toolu_") for each in ids)

    async def test_raw_calls(self, server: ScriptedServer, client: Any) -> None:
        broken = raw_call("f", '{"a": ', id="toolu_x")
        server.script_default([turn(broken, raw_call("g", "[", closed=False), stop="max_tokens")])
        parsed = await events(client, "hello")
        assert deltas(parsed, "partial_json") == ['{"a": ', "["]
        assert [each.index for each in parsed if each.type == "content_block_stop"] == [0]
        assert parsed[-2].delta.stop_reason == "max_tokens"

    async def test_blocks_given_whole(self, server: ScriptedServer, client: Any) -> None:
        found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
        server.script_default(
            [turn(redacted("secret"), server_tool("web_search", {"query": "x"}), block(found), text("ok"))]
        )
        message = await ask(client, "hello")
        hidden, searched, result, _ = message.content
        assert (hidden.type, hidden.data) == ("redacted_thinking", "secret")
        assert (searched.type, searched.input) == ("server_tool_use", {"query": "x"})
        assert (result.type, result.content) == ("web_search_tool_result", [])
        assert message.stop_reason == "end_turn"

    async def test_noise_between_events(self, server: ScriptedServer, client: Any) -> None:
        custom = event("surprise", {"type": "surprise", "n": 1})
        bytes_of_a_ping = raw(b'event: ping\ndata: {"type": "ping"}\n\n')
        server.script_default([turn(ping(), comment(), custom, text("a", pieces=["a", ping()]), bytes_of_a_ping)])
        parsed = await events(client, "hello")
        assert [each.type for each in parsed] == [
            "message_start",
            "surprise",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
        ]

    async def test_usage(self, server: ScriptedServer, client: Any) -> None:
        usage = {"input_tokens": 7, "output_tokens": 8, "cache_read_input_tokens": 9}
        server.script_default([turn(text("a"), usage=usage), turn(text("b"))])
        first, second = (await ask(client, "x")).usage, (await ask(client, "x")).usage
        assert (first.input_tokens, first.output_tokens) == (7, 8)
        assert (first.cache_read_input_tokens, first.cache_creation_input_tokens) == (9, 0)
        assert (second.input_tokens, second.output_tokens) == (100, 20)

    @pytest.mark.parametrize(
        "reason", ["max_tokens", "stop_sequence", "pause_turn", "model_context_window_exceeded", "tool_use"]
    )
    async def test_stop_reasons(self, server: ScriptedServer, client: Any, reason: str) -> None:
        server.script_default([turn(text("a"), stop=reason)])
        assert (await ask(client, "x")).stop_reason == reason

    async def test_refusal(self, server: ScriptedServer, client: Any) -> None:
        details = {"type": "refusal", "category": "cyber", "explanation": "no"}
        server.script_default([turn(stop="refusal", stop_details=details)])
        message = await ask(client, "x")
        assert (message.stop_reason, message.content) == ("refusal", [])
        assert message.stop_details.category == "cyber"

    @pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("chunk", [None, 1, 2, 7, 64])
    async def test_splits(self, server: ScriptedServer, client: Any, chunk: int | None, newline: Any) -> None:
        steps = (text("größer 🙂 line"), comment(), call("f", {"é": "\u2028\r\n"}))
        server.script_default([turn(*steps, chunk=chunk, newline=newline)])
        message = await ask(client, "x")
        assert message.content[0].text == "größer 🙂 line"
        assert message.content[1].input == {"é": "\u2028\r\n"}

    async def test_lone_surrogates(self, server: ScriptedServer, client: Any) -> None:
        server.script_default([turn(text("a\ud800"))])
        assert deltas(await events(client, "x"), "text") == ["a\ud800"]

    async def test_a_turn_rendered_on_demand(self, server: ScriptedServer, client: Any) -> None:
        def echo(request: LoggedRequest) -> Any:
            return turn(thinking("t", signature="late"), text(f"turn {request.turn} of {request.body['model']}"))

        server.script_default([echo, echo])
        message = await ask(client, "x")
        again = await ask(client, "x", message.to_param(), "more")
        assert (message.content[1].text, again.content[1].text) == ("turn 1 of m", "turn 2 of m")
        assert server.problems == []

    def test_nothing_follows_an_ending(self) -> None:
        with pytest.raises(ValueError, match="nothing can follow the step cut"):
            turn(cut(), text("a"))


class TestGates:
    async def test_hold(self, server: ScriptedServer, client: Any) -> None:
        gate = Gate()
        server.script_default([turn(text("before"), hold(gate), text("after"))])
        seen: list[str] = []
        async with client.messages.stream(model="m", max_tokens=9, messages=[said("x")]) as stream:
            async for each in stream.text_stream:
                seen.append(each)
                if each == "before":
                    await gate.until_reached()
                    assert gate.reached and not server.requests[0].finished
                    gate.open()
        assert seen == ["before", "after"]
        assert await server.requests[0].until_finished()

    async def test_hold_within_a_block(self, server: ScriptedServer, client: Any) -> None:
        gate = Gate()
        server.script_default([turn(text("one two", pieces=["one", hold(gate), " two"]))])
        answer = asyncio.create_task(ask(client, "x"))
        await gate.until_reached()
        assert not answer.done()
        gate.open()
        assert (await answer).content[0].text == "one two"

    async def test_an_open_gate_holds_nothing(self, server: ScriptedServer, client: Any) -> None:
        gate = Gate()
        gate.open()
        server.script_default([turn(hold(gate), text("a"))])
        assert (await ask(client, "x")).content[0].text == "a"
        gate.wait_reached()

    async def test_after_holds_the_head_too(self, server: ScriptedServer, client: Any) -> None:
        gate = Gate()
        server.script_default([after(gate, status(529, "overloaded_error", "Overloaded")), turn(text("a"))])
        answer = asyncio.create_task(ask(client, "x"))
        await gate.until_reached()
        gate.open()
        with pytest.raises(Exception, match="Overloaded"):
            await answer
        assert (await ask(client, "x")).content[0].text == "a"

    @pytest.mark.parametrize("held_head", [True, False])
    async def test_a_client_that_leaves(self, server: ScriptedServer, client: Any, held_head: bool) -> None:
        gate = Gate()
        server.script_default([after(gate, turn()) if held_head else turn(text("a"), hold(gate))])
        answer = asyncio.create_task(ask(client, "x"))
        await gate.until_reached()
        answer.cancel()
        await asyncio.gather(answer, return_exceptions=True)
        [request] = server.requests
        assert await request.until_closed()
        assert request.wait_closed() and request.closed_early and not request.finished

    async def test_a_client_that_stays(self, server: ScriptedServer, client: Any) -> None:
        server.script_default([turn(text("a"))])
        await ask(client, "x")
        assert server.requests[0].wait_closed() is False
        assert await server.requests[0].until_closed() is False

    async def test_parallel_conversations(self, server: ScriptedServer, client: Any) -> None:
        gates = {name: Gate(name) for name in ("red", "green", "blue")}
        for name, gate in gates.items():
            server.script(name, [turn(text("so "), hold(gate), text(name)), turn(text(f"{name} again"))])
        answers = {name: asyncio.create_task(ask(client, f"paint {name}")) for name in gates}
        await server.until_requests(3)
        for name in ("blue", "red", "green"):
            await gates[name].until_reached()
            gates[name].open()
            assert (await answers[name]).content[1].text == name
        assert (await ask(client, "paint red")).content[0].text == "red again"
        assert server.connections == 3

    async def test_waits_have_an_end(self, server: ScriptedServer) -> None:
        with pytest.raises(TimeoutError, match=r"door reached by the server: not within 0\.01 s"):
            await Gate("door").until_reached(timeout=0.01)
        with pytest.raises(TimeoutError, match="door reached"):
            Gate("door").wait_reached(timeout=0.01)
        with pytest.raises(TimeoutError, match="2 requests arrived"):
            await server.until_requests(2, timeout=0.01)
        with pytest.raises(TimeoutError, match="the reply ended"):
            LoggedRequest("/", {}, b"", {}).wait_closed(timeout=0.01)


class TestBreakage:
    async def test_cut(self, server: ScriptedServer, client: Any) -> None:
        server.script_default([turn(text("a"), cut()), turn(text("b"))])
        with pytest.raises(Exception, match="peer closed connection"):
            await ask(client, "x")
        assert await server.requests[0].until_finished()
        assert (await ask(client, "x")).content[0].text == "b"
        assert server.connections == 2

    async def test_cut_within_a_block(self, server: ScriptedServer, client: Any) -> None:
        server.script_default([turn(text(pieces=["half", cut(), "never"]))])
        seen: list[str] = []
        with pytest.raises(Exception, match="peer closed connection"):
            async with client.messages.stream(model="m", max_tokens=9, messages=[said("x")]) as stream:
                async for each in stream.text_stream:
                    seen.append(each)  # noqa: PERF401 (what came before the cut must be kept)
        assert seen == ["half"]
        assert await server.requests[0].until_finished()

    async def test_reset(self, server: ScriptedServer) -> None:
        gate = Gate()
        server.script_default([turn(text("a"), hold(gate), reset())])
        reader, writer = await asyncio.open_connection(*_address(server))
        writer.write(_wire_request(request_body()))
        await reader.readuntil(b"content_block_stop")
        gate.open()
        with pytest.raises(ConnectionResetError):
            await reader.read()
        writer.close()

    async def test_reset_through_the_sdk(self, server: ScriptedServer, client: Any) -> None:
        import httpx2

        gate = Gate()
        server.script_default([turn(text("a"), hold(gate), reset())])
        with pytest.raises(httpx2.ReadError):
            async with client.messages.stream(model="m", max_tokens=9, messages=[said("x")]) as stream:
                async for each in stream.text_stream:
                    assert each == "a"
                    gate.open()

    async def test_no_stop(self, server: ScriptedServer, client: Any) -> None:
        server.script_default([turn(text("a"), no_stop()), turn(text("b"))])
        parsed = await events(client, "x")
        assert parsed[-1].type == "content_block_stop"
        await ask(client, "x")
        assert server.connections == 1

    @pytest.mark.parametrize("start", [True, False])
    async def test_error_event(self, server: ScriptedServer, client: Any, start: bool) -> None:
        import anthropic

        server.script_default([turn(error_event("overloaded_error", "Overloaded"), start=start)])
        with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
            await ask(client, "x")

    async def test_status(self, server: ScriptedServer, client: Any) -> None:
        import anthropic

        limited = status(429, "rate_limit_error", "slow down", headers={"retry-after": "7"})
        server.script_default([limited, status(502, "", "", body=b"<html>bad gateway"), turn(text("a"))])
        with pytest.raises(anthropic.RateLimitError) as caught:
            await ask(client, "x")
        assert caught.value.response.headers["retry-after"] == "7"
        body: Any = caught.value.body
        assert body["error"] == {"type": "rate_limit_error", "message": "slow down"}
        assert body["request_id"] == caught.value.response.headers["request-id"]
        with pytest.raises(anthropic.InternalServerError, match="bad gateway"):
            await ask(client, "x")
        assert (await ask(client, "x")).content[0].text == "a"
        assert (server.problems, server.connections) == ([], 1)

    async def test_hang_up(self, server: ScriptedServer, client: Any) -> None:
        import anthropic

        server.script_default([hang_up()])
        with pytest.raises(anthropic.APIConnectionError):
            await ask(client, "x")
        assert await server.requests[0].until_finished()


class TestScripts:
    async def test_the_longest_key_wins(self, server: ScriptedServer, client: Any) -> None:
        server.script_default([turn(text("default"))])
        server.script("tax", [turn(text("short"))])
        server.script("tax of", [turn(text("long"))])
        blocks = said([{"type": "text", "text": "and the tax of"}, {"type": "text", "text": "the tax"}])
        for message, expected in (("the tax", "short"), (blocks, "long"), ("other", "default")):
            assert (await ask(client, message)).content[0].text == expected

    async def test_conversations_of_one_script_count_apart(self, server: ScriptedServer, client: Any) -> None:
        server.script("child", [turn(text("one")), turn(text("two"))])
        texts = [(await ask(client, opening)).content[0].text for opening in ("child a", "child b", "child a")]
        assert texts == ["one", "one", "two"]

    async def test_the_end_of_a_script(self, server: ScriptedServer, client: Any) -> None:
        server.script("tax", [turn(text("a"))])
        await ask(client, "tax")
        with pytest.raises(Exception, match="script for 'tax' has no turn 2"):
            await ask(client, "tax")
        server.script("tax", [turn(text("b"))])
        assert (await ask(client, "tax")).content[0].text == "b"
        with pytest.raises(Exception, match="no script for 'other'"):
            await ask(client, "other")
        assert server.problems == ["script for 'tax' has no turn 2", "no script for 'other'"]

    async def test_turns_that_fail(self, server: ScriptedServer, client: Any) -> None:
        def fail(request: LoggedRequest) -> Any:
            raise LookupError(f"no file in {request.body['model']}")

        server.script("x", [fail, turn(event("odd", {"a": {1}}))])
        with pytest.raises(Exception, match="no file in m"):
            await ask(client, "x")
        with pytest.raises(Exception, match="not JSON serializable"):
            await ask(client, "x")
        assert [each.partition(": ")[0] for each in server.problems] == [
            "script for 'x', turn 1",
            "script for 'x', turn 2",
        ]


class TestRefusals:
    async def test_keys(self, server: ScriptedServer, client: Any) -> None:
        import anthropic

        server.script_default([turn(text("a"))])
        with pytest.raises(anthropic.AuthenticationError):
            await ask(client.with_options(api_key="wrong"), "x")
        server.keys = {"wrong"}
        assert (await ask(client.with_options(api_key="wrong"), "x")).content[0].text == "a"
        assert (server.problems, [each.turn for each in server.requests]) == ([], [0, 1])

    async def test_models(self, server: ScriptedServer, client: Any) -> None:
        import anthropic

        server.models = {"other"}
        with pytest.raises(anthropic.NotFoundError, match="model: m"):
            await ask(client, "x")
        assert server.problems == []

    async def test_signatures_belong_to_a_conversation(self, server: ScriptedServer, client: Any) -> None:
        import anthropic

        server.script_default([turn(thinking("t", signature="s"), text("a")), turn(text("b"))])
        message = await ask(client, "one")
        await ask(client, "one", message.to_param(), "more")
        with pytest.raises(anthropic.BadRequestError, match="Invalid `signature`"):
            await ask(client, "two", message.to_param(), "more")
        assert server.problems == ["messages.1.content.0: Invalid `signature` in `thinking` block"]

    @pytest.mark.parametrize(
        ("method", "path", "headers", "content", "code", "complaint"),
        [
            ("POST", "/v1/messages", {"x-api-key": "test-key-1"}, b"{}", 400, "anthropic-version"),
            ("POST", "/v1/messages", HEADERS, b"{", 400, "not valid JSON"),
            ("POST", "/v1/messages", HEADERS, b"[]", 400, "not valid JSON"),
            ("POST", "/v1/messages", HEADERS, b"{}", 400, "model: Field required"),
            ("POST", "/v1/messages", HEADERS, json.dumps(request_body(stream=False)), 400, "only streams"),
            ("POST", "/v1/complete", HEADERS, b"{}", 404, "POST /v1/complete"),
            ("GET", "/v1/messages", HEADERS, None, 404, "GET /v1/messages"),
        ],
    )
    async def test_requests_the_sdk_would_not_send(
        self, server: ScriptedServer, method: str, path: str, headers: Any, content: Any, code: int, complaint: str
    ) -> None:
        async with httpx.AsyncClient(base_url=server.url, headers=headers) as plain:
            response = await plain.request(method, path, content=content)
        assert response.status_code == code
        assert complaint in response.json()["error"]["message"]
        assert len(server.problems) == 1 and complaint in server.problems[0]


def _address(server: ScriptedServer) -> tuple[str, int]:
    url = httpx.URL(server.url)
    assert url.port is not None
    return url.host, url.port


def _wire_request(body: dict[str, Any], **headers: str) -> bytes:
    content = json.dumps(body).encode()
    lines = {**HEADERS, **headers, "content-length": str(len(content))}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST /v1/messages HTTP/1.1\r\n{head}\r\n".encode() + content


class TestWire:
    async def test_ready_bytes_go_out_as_one_chunk(self, server: ScriptedServer) -> None:
        steps = (text("one two three"), raw(b": raw\n\n"), raw(b""), call("f", {"a": 1}))
        server.script_default([turn(text("one two three")), turn(*steps), turn(text("one"), chunk=50)])
        async with httpx.AsyncClient(base_url=server.url, headers=HEADERS) as plain:
            replies = []
            for _ in range(3):
                async with plain.stream("POST", "/v1/messages", json=request_body()) as response:
                    replies.append([each async for each in response.aiter_raw()])
        assert [len(each) for each in replies[:2]] == [1, 3]
        assert replies[1][1] == b": raw\n\n"
        assert {len(each) for each in replies[2][:-1]} == {50}

    async def test_requests_in_bits_and_in_a_row(self, server: ScriptedServer) -> None:
        server.script_default([turn(text("first")), turn(text("second"))])
        reader, writer = await asyncio.open_connection(*_address(server))
        both = _wire_request(request_body()) + _wire_request(request_body(), connection="close")
        for at in range(0, len(both), 100):
            writer.write(both[at : at + 100])
            await writer.drain()
        replies = await asyncio.wait_for(reader.read(), timeout=HANG_GUARD)
        writer.close()
        assert replies.index(b"first") < replies.index(b"second")
        assert (len(server.requests), server.connections) == (2, 1)

    async def test_a_slow_reader_of_a_long_reply(self, server: ScriptedServer) -> None:
        long = "x" * 20_000_000
        server.script_default([turn(text(pieces=[long]))])
        reader, writer = await asyncio.open_connection(*_address(server))
        writer.write(_wire_request(request_body(), connection="close"))
        await server.until_requests(1)
        await reader.readuntil(b"text_delta")
        assert not server.requests[0].finished
        received = 0
        while piece := await asyncio.wait_for(reader.read(1 << 20), timeout=HANG_GUARD):
            received += len(piece)
        writer.close()
        assert received > len(long)
        assert await server.requests[0].until_finished()

    def test_from_a_thread_without_a_loop(self, server: ScriptedServer) -> None:
        gate = Gate()
        server.script_default([turn(text("a"), hold(gate), text("b"))])
        connection = http.client.HTTPConnection(*_address(server), timeout=HANG_GUARD)
        connection.request("POST", "/v1/messages", json.dumps(request_body()), HEADERS)
        server.wait_requests(1)
        gate.wait_reached()
        gate.open()
        assert b"message_stop" in connection.getresponse().read()
        assert server.requests[0].wait_finished()
        connection.close()


class TestShutdown:
    async def test_nothing_is_left(self) -> None:
        threads = threading.active_count()
        gate = Gate()
        with ScriptedServer() as server:
            server.script_default([turn(text("a"), hold(gate))])
            address = _address(server)
            reader, writer = await asyncio.open_connection(*address)
            writer.write(_wire_request(request_body()))
            idle = socket.create_connection(address)
            await gate.until_reached()
        assert threading.active_count() == threads
        await asyncio.wait_for(reader.read(), timeout=HANG_GUARD)
        assert not server.requests[0].finished and not server.requests[0].closed_early
        writer.close()
        idle.close()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address)

    def test_clients_that_connect_meanwhile(self) -> None:
        for _ in range(20):
            with ScriptedServer() as server:
                latecomers = [socket.create_connection(_address(server)) for _ in range(5)]
            for each in latecomers:
                each.close()


CALL = {"type": "tool_use", "id": "toolu_1", "name": "read_files", "input": {}}
OTHER_CALL = {**CALL, "id": "toolu_2"}
THOUGHT = {"type": "thinking", "thinking": "t", "signature": "known"}
MARK = {"type": "ephemeral"}


def history(*assistant_then_user: Any, **changes: Any) -> dict[str, Any]:
    """A request that goes on after the opening question, answers and results by turns."""
    roles = ("assistant", "user")
    messages = [said(content, roles[at % 2]) for at, content in enumerate(assistant_then_user)]
    return request_body(**{"messages": [said("hello"), *messages], "tools": TOOLS, **changes})


def words(*texts: str, **more: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": each, **more} for each in texts]


GOOD = {
    "the least": request_body(),
    "blocks": request_body(messages=[said(words("a", "b"))], system=words("s", cache_control=MARK)),
    "a call and its result": history([THOUGHT, CALL], [answered("toolu_1"), *words("and")]),
    "results in two messages": request_body(
        tools=TOOLS,
        messages=[
            said("hello"),
            said([CALL], "assistant"),
            said([OTHER_CALL], "assistant"),
            said([answered("toolu_2")]),
            said([answered("toolu_1", content=words("done"))]),
        ],
    ),
    "a role that repeats": request_body(messages=[said("a"), said("b"), said("c", "assistant")]),
    "an empty result": history([CALL], [answered("toolu_1", content="")]),
    "a result without content": history([CALL], [{"type": "tool_result", "tool_use_id": "toolu_1"}]),
    "an image result": history([CALL], [answered("toolu_1", content=[{"type": "image", "source": {}}])]),
    "four breakpoints": history(
        [{**CALL, "cache_control": MARK}],
        [answered("toolu_1", cache_control=MARK)],
        system=words("s", cache_control=MARK),
        tools=[{**TOOLS[0], "cache_control": MARK}],
    ),
    "cache_control that is only data": history(
        [{**CALL, "input": {"content": [{"cache_control": MARK}] * 9}}], [answered("toolu_1")]
    ),
    "a server's tool": request_body(tools=[{"type": "web_search_20260318", "name": "web_search"}]),
    "a choice of tools": request_body(tools=TOOLS, tool_choice={"type": "auto"}),
    "a system message on the way": request_body(
        messages=[said("a"), said("s", "system"), said("b", "assistant"), said("c")]
    ),
    "an unfinished answer": request_body(messages=[said("a"), said([], "assistant")]),
}


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD.keys())
def test_good_requests(body: dict[str, Any]) -> None:
    assert check(body, {"known"}) is None


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in request_body().items() if name != key}


NEEDS_TEXT = "text content blocks must contain non-whitespace text"
BAD = [
    (without("model"), "model: Field required"),
    (without("max_tokens"), "max_tokens: Field required"),
    (without("messages"), "messages: Field required"),
    (request_body(model=7), "model: Input should be a valid string"),
    (request_body(max_tokens="9"), "max_tokens: Input should be a valid integer"),
    (request_body(max_tokens=-1), "max_tokens: Input should be a valid integer"),
    (request_body(surprise=1), "surprise: Extra inputs are not permitted"),
    (request_body(temperature=1), "temperature: this parameter was removed"),
    (request_body(top_p=1), "top_p: this parameter was removed"),
    (request_body(top_k=1), "top_k: this parameter was removed"),
    (request_body(messages="hello"), "messages: Input should be a valid list"),
    (request_body(messages=[]), "messages: at least one message is required"),
    (request_body(messages=[said("a", "assistant")]), 'messages: first message must use the "user" role'),
    (request_body(messages=[said("a", "tool")]), "messages.0.role: Input should be"),
    (request_body(messages=[{"role": "user"}]), "messages.0: Input should be an object"),
    (request_body(messages=[said(None)]), "messages.0.content: Input should be a valid string or list"),
    (request_body(messages=[said("")]), "messages.0: all messages must have non-empty content"),
    (request_body(messages=[said("a"), said([], "assistant"), said("b")]), "messages.1: all messages must have"),
    (request_body(messages=[said(" \n")]), f"messages: {NEEDS_TEXT}"),
    (request_body(messages=[said(words("a", ""))]), f"messages: {NEEDS_TEXT}"),
    (request_body(messages=[said([{"type": "text", "text": 1}])]), "messages.0.content.0.text: Input should be"),
    (request_body(system=words(" ")), f"system: {NEEDS_TEXT}"),
    (request_body(system=[{"type": "image"}]), "system.0: Input tag 'image' does not match"),
    (request_body(system=3), "system: Input should be a valid string or list"),
    (request_body(messages=[said([{"type": "poem"}])]), "messages.0.content.0: Input tag 'poem' does not match"),
    (request_body(messages=[said(["a"])]), "messages.0.content.0: Input tag 'None' does not match"),
    (request_body(messages=[said(words("a", index=0))]), "messages.0.content.0.index: Extra inputs"),
    (request_body(messages=[said([CALL])]), "messages.0.content.0: `tool_use` blocks can only be in `assistant`"),
    (history([answered("toolu_1")]), "messages.1.content.0: `tool_result` blocks can only be in `user`"),
    (history([CALL, CALL], [answered("toolu_1")]), "messages: `tool_use` ids must be unique"),
    (history([{**CALL, "id": "a b"}]), "messages.1.content.0.id: String should match pattern"),
    (history([{**CALL, "id": "a\n"}]), "messages.1.content.0.id: String should match pattern"),
    (history([{**CALL, "name": "a.b"}]), "messages.1.content.0.name: String should match pattern"),
    (history([{**CALL, "name": "a" * 129}]), "messages.1.content.0.name: String should match pattern"),
    (history([{**CALL, "input": "{}"}]), "messages.1.content.0.input: Input should be an object"),
    (history([{"type": "tool_use", "id": "a", "name": "b"}]), "messages.1.content.0.input: Field required"),
    (history([CALL]), "messages: `tool_use` ids were found without `tool_result` blocks immediately after"),
    (history([CALL], "next"), "messages: `tool_use` ids were found without `tool_result` blocks"),
    (history([CALL, OTHER_CALL], [answered("toolu_1")]), "messages: `tool_use` ids were found without"),
    (history("a", [answered("toolu_1")]), "messages: unexpected `tool_use_id` found in `tool_result` blocks"),
    (
        history([CALL], [answered("toolu_1")], "a", [answered("toolu_1")]),
        "messages: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1",
    ),
    (history([CALL], [answered("toolu_1")] * 2), "messages: each tool_use must have a single result"),
    (history([CALL], [*words("a"), answered("toolu_1")]), "messages: `tool_result` blocks must come first"),
    (
        history([CALL], [answered("toolu_1", content=words(""))]),
        f"messages: {NEEDS_TEXT}",
    ),
    (
        history([CALL], [answered("toolu_1", content=[CALL])]),
        "messages.2.content.0.content.0: Input tag 'tool_use'",
    ),
    (history([CALL], [answered("toolu_1", content=1)]), "messages.2.content.0.content: Input should be"),
    (history([CALL], [answered("toolu_1", content="", is_error=True)]), "messages.2.content.0: content cannot be"),
    (history([{**THOUGHT, "signature": "forged"}]), "messages.1.content.0: Invalid `signature`"),
    (history([{"type": "thinking", "thinking": "t"}]), "messages.1.content.0.signature: Field required"),
    (history([{**THOUGHT, "cache_control": MARK}]), "messages.1.content.0.cache_control: thinking blocks cannot"),
    (
        request_body(messages=[said(words(*"abcd", cache_control=MARK))], cache_control=MARK),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    (
        history([CALL], [answered("toolu_1", content=words(*"abcde", cache_control=MARK))]),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    (request_body(tools=TOOLS * 2), "tools: Tool names must be unique."),
    (request_body(tools=[{"name": "a"}]), "tools.0.input_schema.type: Field required"),
    (request_body(tools=[{"name": "a", "input_schema": {}}]), "tools.0.input_schema.type: Field required"),
    (request_body(tools=[{"input_schema": {"type": "object"}}]), "tools.0.name: Field required"),
    (request_body(tools=[{**TOOLS[0], "name": "a b"}]), "tools.0.name: String should match pattern"),
    (request_body(tools={}), "tools: Input should be a valid list"),
    (request_body(tool_choice={"type": "auto"}), "tool_choice: tool_choice may only be specified"),
    (history([CALL], [answered("toolu_1")], tools=[]), "tools: Requests which include `tool_use`"),
]


@pytest.mark.parametrize(("body", "complaint"), BAD, ids=[complaint for _, complaint in BAD])
def test_bad_requests(body: dict[str, Any], complaint: str) -> None:
    found = check(body, {"known"})
    assert found is not None and found.startswith(complaint)


def _variants(value: Any) -> Iterator[Any]:
    """The value with one of its nodes at a time replaced by something else."""
    yield from (None, 5, "x", [], {}, ["x"], {"type": {}}, [[{}]])
    for key in value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        for variant in _variants(value[key]):
            changed = copy.copy(value)
            changed[key] = variant
            yield changed


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD.keys())
def test_no_shape_confuses_the_validator(body: dict[str, Any]) -> None:
    for variant in _variants(body):
        if isinstance(variant, dict):
            complaint = check(variant, {"known"})
            assert complaint is None or complaint


def test_the_validator_knows_what_the_sdk_can_send() -> None:
    from anthropic.types import ContentBlockParam, message_create_params, tool_result_block_param

    sent_as_headers = {"user_profile_id", "workspace_id"}
    keys = typing.get_type_hints(message_create_params.MessageCreateParamsStreaming).keys()
    assert keys - sent_as_headers == TOP_LEVEL_KEYS
    blocks = {_tag(each): each for each in typing.get_args(ContentBlockParam)}
    assert blocks.keys() == BLOCK_TYPES
    assert {_tag(each) for each in typing.get_args(tool_result_block_param.Content)} == RESULT_BLOCK_TYPES
    for kind, (required, optional) in BLOCK_KEYS.items():
        hints = typing.get_type_hints(blocks[kind], include_extras=True)
        assert {key for key, hint in hints.items() if typing.get_origin(hint) is typing.Required} == required
        assert hints.keys() - required == optional


def _tag(block_type: Any) -> str:
    return typing.get_args(typing.get_type_hints(block_type)["type"])[0]
