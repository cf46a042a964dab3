"""The scripted server's Chat Completions, judged by the official package; and the validator, case by case."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.fakes.chat import DIALECTS, Dialect
from tests.fakes.script import (
    Gate,
    call,
    comment,
    cut,
    error_event,
    event,
    hang_up,
    hold,
    no_stop,
    ping,
    raw_call,
    redacted,
    reset,
    status,
    text,
    thinking,
    turn,
)
from tests.fakes.server import ScriptedServer
from tests.fakes.validate_chat import check_chat
from tests.rows import each_row

TOOLS = [{"type": "function", "function": {"name": "read_files", "parameters": {"type": "object"}}}]


@pytest.fixture
async def client(server: ScriptedServer) -> AsyncIterator[Any]:
    import openai

    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="test-key-1", max_retries=0) as opened:
        yield opened


def said(content: Any, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


async def chunks(client: Any, *messages: Any, **options: Any) -> list[Any]:
    """The raw chunks, as the package parses them."""
    asked = [said(each) if isinstance(each, str) else each for each in messages]
    options = {"stream_options": {"include_usage": True}, **options}
    stream = await client.chat.completions.create(model="m", messages=asked, stream=True, **options)
    return [each async for each in stream]


async def ask(client: Any, *messages: Any, **options: Any) -> Any:
    """The whole answer, put together by the package."""
    asked = [said(each) if isinstance(each, str) else each for each in messages]
    options = {"stream_options": {"include_usage": True}, **options}
    async with client.chat.completions.stream(model="m", messages=asked, **options) as stream:
        return await stream.get_final_completion()


class TestTurns:
    async def test_a_conversation_with_tools(self, server: ScriptedServer, client: Any) -> None:
        first = turn(
            thinking("hm, tax"),
            text("I will look."),
            call("read_files", {"paths": ["ä.py"]}, id="t1"),
            call("read_files", {}),
        )
        server.script("How is tax", [first, turn(text("It is in a.py:3."))])
        question = said("How is tax computed?")

        answer = (await ask(client, question, tools=TOOLS)).choices[0]
        one, other = answer.message.tool_calls
        assert answer.message.content == "I will look."
        assert (one.id, one.function.name, one.function.arguments) == ("t1", "read_files", '{"paths": ["ä.py"]}')
        assert other.id.startswith("call_") and other.function.arguments == "{}"
        assert answer.finish_reason == "tool_calls"

        calls = [{"id": each.id, "type": "function", "function": each.function.to_dict()} for each in (one, other)]
        for each in calls:
            each["function"].pop("parsed_arguments", None)
        results = [said("done", "tool", tool_call_id=each["id"]) for each in calls]
        spoken = said("I will look.", "assistant", tool_calls=calls)
        last = await ask(client, question, spoken, *results, tools=TOOLS)
        assert last.choices[0].message.content == "It is in a.py:3."
        assert last.choices[0].finish_reason == "stop"
        assert server.problems == []
        assert [each.turn for each in server.requests] == [1, 2]

    async def test_pieces_and_thoughts(self, server: ScriptedServer, client: Any) -> None:
        server.script_default(
            [turn(thinking("a b"), redacted("x"), text("one two"), call("f", {"a": 1}, pieces=['{"a"', ": 1}"]))]
        )
        deltas = [each.choices[0].delta for each in await chunks(client, "x") if each.choices]
        assert [each.content for each in deltas if each.content] == ["one ", "two"]
        assert [each.reasoning_content for each in deltas if hasattr(each, "reasoning_content")] == ["a ", "b"]
        entries = [each.tool_calls[0] for each in deltas if each.tool_calls]
        assert [each.function.arguments for each in entries] == ["", '{"a"', ": 1}"]
        assert [each.index for each in entries] == [0, 0, 0]
        assert [each.id is None for each in entries] == [False, True, True]

    async def test_usage_where_it_is_asked_for(self, server: ScriptedServer, client: Any) -> None:
        usage = {"input_tokens": 7, "output_tokens": 8, "cache_read_input_tokens": 9, "cache_creation_input_tokens": 1}
        server.script_default([turn(text("a"), usage=usage)] * 2)
        told = (await ask(client, "x")).usage
        assert (told.prompt_tokens, told.completion_tokens, told.total_tokens) == (17, 8, 25)
        assert told.prompt_tokens_details.cached_tokens == 9
        assert (await ask(client, "x", stream_options={"include_usage": False})).usage is None

    @pytest.mark.parametrize(
        ("stop", "reason"),
        [("end_turn", "stop"), ("max_tokens", "length"), ("refusal", "content_filter"), ("tool_use", "tool_calls")],
    )
    async def test_finish_reasons(self, server: ScriptedServer, client: Any, stop: str, reason: str) -> None:
        server.script_default([turn(text("a"), stop=stop)])
        parsed = await chunks(client, "x")
        assert [each.choices[0].finish_reason for each in parsed if each.choices][-1] == reason

    async def test_a_refusal(self, server: ScriptedServer, client: Any) -> None:
        server.script_default([turn(stop="refusal", stop_details={"type": "refusal", "explanation": "No."})])
        deltas = [each.choices[0].delta for each in await chunks(client, "x") if each.choices]
        assert [each.refusal for each in deltas if each.refusal] == ["No."]

    @pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("chunk", [None, 1, 7])
    async def test_splits_and_noise(self, server: ScriptedServer, client: Any, chunk: int | None, newline: Any) -> None:
        noise = (ping(), comment("OPENROUTER PROCESSING"))
        server.script_default(
            [turn(*noise, text("größer 🙂 line"), call("f", {"é": "\u2028"}), chunk=chunk, newline=newline)]
        )
        message = (await ask(client, "x")).choices[0].message
        assert message.content == "größer 🙂 line"
        assert message.tool_calls[0].function.arguments == '{"é": "\u2028"}'

    async def test_models(self, server: ScriptedServer, client: Any) -> None:
        server.models = {"b", "a"}
        assert [each.id async for each in await client.models.list()] == ["a", "b"]


class TestFailures:
    @pytest.mark.parametrize(
        ("code", "name"),
        [
            (400, "BadRequestError"),
            (401, "AuthenticationError"),
            (404, "NotFoundError"),
            (429, "RateLimitError"),
            (500, "InternalServerError"),
        ],
    )
    async def test_statuses(self, server: ScriptedServer, client: Any, code: int, name: str) -> None:
        import openai

        server.script_default([status(code, "some_error", "words", headers={"retry-after": "3"})])
        with pytest.raises(getattr(openai, name)) as raised:
            await ask(client, "x")
        assert raised.value.body["message"] == "words"
        assert raised.value.response.headers["retry-after"] == "3"

    async def test_an_error_in_the_stream(self, server: ScriptedServer, client: Any) -> None:
        import openai

        server.script_default([turn(text("so far"), error_event("server_error", "broke"))])
        with pytest.raises(openai.APIError, match="broke"):
            await ask(client, "x")

    @pytest.mark.parametrize("ending", [cut(), reset()])
    async def test_streams_that_break(self, server: ScriptedServer, client: Any, ending: Any) -> None:
        import openai

        server.script_default([turn(text("so far"), ending)])
        with pytest.raises(openai.APIConnectionError):
            await chunks(client, "x")

    async def test_a_stream_without_its_end(self, server: ScriptedServer, client: Any) -> None:
        server.script_default([turn(text("so far"), no_stop())])
        parsed = await chunks(client, "x")
        assert all(each.choices[0].finish_reason is None for each in parsed)

    async def test_hanging_up(self, server: ScriptedServer, client: Any) -> None:
        import openai

        server.script_default([hang_up()])
        with pytest.raises(openai.APIConnectionError):
            await ask(client, "x")

    async def test_unknown_models_and_keys(self, server: ScriptedServer, client: Any) -> None:
        import openai

        server.models = {"other"}
        with pytest.raises(openai.NotFoundError, match="does not exist"):
            await ask(client, "x")
        with pytest.raises(openai.AuthenticationError):
            await ask(client.with_options(api_key="wrong"), "x")
        server.models = server.keys = None
        server.script_default([turn(text("ok"))])
        assert (await ask(client.with_options(api_key="any"), "x")).choices[0].message.content == "ok"

    async def test_holding_notices_a_client_that_leaves(self, server: ScriptedServer, client: Any) -> None:
        gate = Gate()
        server.script_default([turn(text("one "), hold(gate), text("two"))])
        stream = await client.chat.completions.create(model="m", messages=[said("x")], stream=True)
        await gate.until_reached()
        await stream.close()
        assert await server.requests[0].until_closed()


class TestDialects:
    async def answer(self, server: ScriptedServer, client: Any, dialect: Dialect) -> list[Any]:
        server.dialect = dialect
        server.script_default(
            [turn(thinking("hm"), text("I look."), call("f", {"a": 1}, id="t1"), call("f", {}, id="t2"))]
        )
        return await chunks(client, "x")

    async def entries(self, server: ScriptedServer, client: Any, dialect: Dialect) -> list[Any]:
        parsed = await self.answer(server, client, dialect)
        return [entry for each in parsed if each.choices for entry in each.choices[0].delta.tool_calls or ()]

    async def test_ids(self, server: ScriptedServer, client: Any) -> None:
        seen: dict[str, list[Any]] = {}
        for ids in ("every", "later_empty", "fresh", "empty", "missing"):
            with ScriptedServer() as fresh:
                made = client.with_options(base_url=f"{fresh.url}/v1")
                seen[ids] = [each.id for each in await self.entries(fresh, made, Dialect(ids=ids))][:3]
        assert seen["every"] == ["t1", "t1", "t1"]
        assert seen["later_empty"] == ["t1", "", ""]
        assert seen["fresh"][0] == "t1" and len(set(seen["fresh"])) == 3
        assert seen["empty"] == ["", "", ""]
        assert seen["missing"] == [None, None, None]

    async def test_whole_calls_at_one_index(self, server: ScriptedServer, client: Any) -> None:
        entries = await self.entries(server, client, Dialect(whole_calls=True, index="zero"))
        assert [(each.index, each.function.arguments) for each in entries] == [(0, '{"a": 1}'), (0, "{}")]

    async def test_objects_and_no_index(self, server: ScriptedServer, client: Any) -> None:
        entries = await self.entries(server, client, Dialect(whole_calls=True, index="missing", arguments="object"))
        assert [(getattr(each, "index", None), each.function.arguments) for each in entries] == [
            (None, {"a": 1}),
            (None, {}),
        ]

    async def test_functions_of_old(self, server: ScriptedServer, client: Any) -> None:
        parsed = await self.answer(server, client, Dialect(calls_as="function_call", calls_finish="function_call"))
        deltas = [each.choices[0].delta for each in parsed if each.choices]
        assert [each.function_call.name for each in deltas if each.function_call and each.function_call.name] == [
            "f",
            "f",
        ]

    async def test_tags_and_parts(self, server: ScriptedServer, client: Any) -> None:
        parsed = await self.answer(server, client, Dialect(reasoning="tags"))
        contents = [each.choices[0].delta.content for each in parsed if each.choices]
        assert "".join(each for each in contents if each) == "<think>hm</think>\n\nI look."

    @pytest.mark.parametrize(("usage", "number"), [("last", 1), ("with_finish", 1), ("never", 0)])
    async def test_usage(self, server: ScriptedServer, client: Any, usage: Any, number: int) -> None:
        parsed = await self.answer(server, client, Dialect(usage=usage))
        assert len([each for each in parsed if each.usage]) == number
        assert bool(parsed[-1].choices) is (usage != "last")

    @pytest.mark.parametrize("name", DIALECTS)
    async def test_every_dialect_is_read_to_its_end(self, server: ScriptedServer, client: Any, name: str) -> None:
        parsed = await self.answer(server, client, DIALECTS[name])
        assert [each.choices[0].finish_reason for each in parsed if each.choices][-1] == DIALECTS[name].calls_finish
        assert await server.requests[0].until_finished()


CALL = {"id": "t1", "type": "function", "function": {"name": "read_files", "arguments": "{}"}}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
GOOD: dict[str, Any] = {
    "model": "m",
    "max_tokens": 9,
    "stream": True,
    "stream_options": {"include_usage": True},
    "tools": TOOLS,
    "messages": [
        said("be brief", "system"),
        said(
            [{"type": "text", "text": "hi"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}]
        ),
        said(None, "assistant", tool_calls=[CALL]),
        said("done", "tool", tool_call_id="t1"),
        said("more"),
        said("yes", "assistant"),
        said("again"),
    ],
}


def test_a_good_request_passes() -> None:
    assert check_chat(GOOD) is None


@each_row(
    ("change", "words"),
    [
        (lambda body: body.pop("model"), "Missing required parameter"),
        (lambda body: body.update(thinking={}), "Unrecognized request argument"),
        (lambda body: body.update(max_completion_tokens=5), "at the same time"),
        (lambda body: body.update(max_tokens=0), "Invalid value for the limit"),
        (lambda body: body.update(stream=False), "stream_options"),
        (lambda body: body.update(reasoning_effort="max"), "reasoning_effort"),
        (lambda body: body.update(messages=[]), "at least one message"),
        (lambda body: body["messages"].pop(1), "begin with a message of the user"),
        (lambda body: body["messages"].append(said("x", "system")), "at the beginning"),
        (lambda body: body["messages"].append(said("x", "robot")), "'robot' is not one of"),
        (lambda body: body["messages"].append(said(" ")), "not blank"),
        (lambda body: body["messages"].append(said([])), "at least one part"),
        (lambda body: body["messages"].append(said([{"type": "text", "text": " "}])), "neither text"),
        (lambda body: body["messages"].append(said([{"type": "input_audio"}])), "neither text"),
        (lambda body: body["messages"][1]["content"][1]["image_url"].update(url="file:///a"), "not a data URI"),
        (lambda body: body["messages"].append(said(None, "assistant")), "not blank"),
        (lambda body: body["messages"][5].update(reasoning_content="hm"), "'reasoning_content' is not permitted"),
        (lambda body: body["messages"][2].update(tool_calls=[]), "not blank"),
        (lambda body: body["messages"][2]["tool_calls"][0].update(id=""), "no id"),
        (lambda body: body["messages"][2]["tool_calls"][0].update(type="custom"), "not a call"),
        (lambda body: body["messages"][2]["tool_calls"][0]["function"].update(arguments={}), "not a call"),
        (lambda body: body["messages"][2]["tool_calls"][0]["function"].update(arguments='["a"'), "JSON of an object"),
        (lambda body: body["messages"][2]["tool_calls"][0]["function"].update(name="a b"), "illegal name"),
        (lambda body: body["messages"][2]["tool_calls"].append(CALL), "unique"),
        (lambda body: body["messages"].pop(3), "did not have response messages"),
        (lambda body: body["messages"].insert(3, said("first")), "did not have response messages"),
        (lambda body: body["messages"].insert(4, said("twice", "tool", tool_call_id="t1")), "must be a response"),
        (lambda body: body["messages"][3].update(tool_call_id="t2"), "must be a response"),
        (lambda body: body["messages"].append(said(None, "assistant", tool_calls=[{**CALL, "id": "t9"}])), "t9"),
        (lambda body: body.update(tools=[]), "empty array"),
        (lambda body: body.update(tools=TOOLS * 2), "unique"),
        (lambda body: body.update(tools=[{"type": "function", "function": {"name": "f"}}]), "not a function"),
        (lambda body: (body.pop("tools"), body.update(tool_choice="none")), "only allowed when"),
        (lambda body: body["tools"][0]["function"].update(strict=True), "additionalProperties"),
    ],
)
def test_what_the_services_refuse(change: Any, words: str) -> None:
    body = copy.deepcopy(GOOD)
    change(body)
    assert words in (check_chat(body) or "")


async def test_a_bad_request_is_a_problem(server: ScriptedServer, client: Any) -> None:
    import openai

    server.script_default([turn(text("never"))])
    with pytest.raises(openai.BadRequestError):
        await chunks(client, " ")
    assert "not blank" in server.problems[0]
    with pytest.raises(openai.BadRequestError, match="only streams"):
        await client.chat.completions.create(model="m", messages=[said("hi")])


async def test_what_is_no_chunk_is_sent_as_it_is(server: ScriptedServer, client: Any) -> None:
    server.script_default([turn(event("brand_new", {"x": 1}), raw_call("f", "{", closed=False), stop="max_tokens")])
    parsed = await chunks(client, "x")
    assert any(getattr(each, "x", None) == 1 for each in parsed)
