"""The body of a Chat Completions request, held against the rules that the strictest services have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.model import Model
from code_assistant.llm.openai.body import request_body
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.provider import ModelRequest, ToolSpecification
from code_assistant.messages import Image, Message, Opaque, RedactedThinking, Text, Thinking, ToolCall, ToolResult
from code_assistant.tools.builtin import builtin_tools
from tests.fakes.validate_chat import check_chat
from tests.rows import each_row
from tests.unit.agent.test_history import GOOD

MODEL = Model("m", "vendor/m", "local", 100_000, 5000, images=True, effort=True)
OPTIONS = RequestOptions(1000, True, "")
TOOL = ToolSpecification("f", "Does f.", {"type": "object", "properties": {"a": {"type": "string"}}})
IMAGE = Image("image/png", "aGk=")
HI = Message("user", (Text("hi"),))
OPENAI_MODELS = [each for each in Catalogue().models if each.provider == "openai"]


def body(*messages: Message, model: Model = MODEL, options: RequestOptions = OPTIONS, **more: Any) -> dict[str, Any]:
    request = ModelRequest("Be brief.", (TOOL,), messages or (HI,), **more)
    made = request_body(request, model, options, "max_completion_tokens")
    assert check_chat(made) is None
    return made


def test_the_whole_of_a_small_request() -> None:
    assert body() == {
        "model": "vendor/m",
        "max_completion_tokens": 1000,
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}],
        "tools": [
            {"type": "function", "function": {"name": "f", "description": "Does f.", "parameters": TOOL.input_schema}}
        ],
    }


def test_without_system_and_tools_there_is_neither() -> None:
    made = request_body(ModelRequest("", (), (HI,)), MODEL, OPTIONS, "max_tokens")
    assert made["messages"] == [{"role": "user", "content": "hi"}]
    assert "tools" not in made
    assert made["max_tokens"] == 1000


def test_the_lowest_limit_counts() -> None:
    assert body(max_output_tokens=7)["max_completion_tokens"] == 7
    assert body(options=RequestOptions(9_000_000, True, ""))["max_completion_tokens"] == 5000


def test_tools_stay_listed_where_none_may_be_called() -> None:
    made = body(allow_tools=False)
    assert made["tool_choice"] == "none"
    assert len(made["tools"]) == 1


@each_row(("wanted", "sent"), [("low", "low"), ("high", "high"), ("xhigh", "high"), ("max", "high")])
def test_effort_in_levels_that_every_such_model_knows(wanted: str, sent: str) -> None:
    options = RequestOptions(1000, True, wanted)
    assert body(options=options)["reasoning_effort"] == sent
    assert "reasoning_effort" not in body(options=options, model=replace(MODEL, effort=False))
    assert "reasoning_effort" not in body()


def test_calls_and_results_are_messages_of_their_own() -> None:
    asked = (
        Text("I look."),
        Thinking("hm", "sig"),
        ToolCall("t1", "f", {"a": "é"}),
        ToolCall("t2", "f", {}),
        Text("And."),
    )
    results = (
        ToolResult("t2", (Text("one"), Text("two"))),
        ToolResult("t1", (Text("no"),), is_error=True),
        Text("go on"),
    )
    made = body(HI, Message("assistant", asked), Message("user", results))
    assert made["messages"][2:] == [
        {
            "role": "assistant",
            "content": "I look.\n\nAnd.",
            "tool_calls": [
                {"id": "t1", "type": "function", "function": {"name": "f", "arguments": '{"a": "é"}'}},
                {"id": "t2", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "t2", "content": "one\ntwo"},
        {"role": "tool", "tool_call_id": "t1", "content": "[error] no"},
        {"role": "user", "content": "go on"},
    ]


def test_images_are_data_uris_and_those_of_results_follow_them() -> None:
    called = Message("assistant", (ToolCall("t1", "f", {}), ToolCall("t2", "f", {})))
    results = (ToolResult("t1", (IMAGE,)), ToolResult("t2", (Text("words"),)), Text("see?"))
    made = body(Message("user", (Text("look"), IMAGE)), called, Message("user", results))
    shown = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    assert made["messages"][1]["content"] == [{"type": "text", "text": "look"}, shown]
    assert made["messages"][2]["content"] is None
    assert [each["content"] for each in made["messages"][3:5]] == ["(no text)", "words"]
    after = made["messages"][5]["content"]
    assert after[1:] == [shown, {"type": "text", "text": "see?"}]
    assert "t1" in after[0]["text"]


def test_a_model_without_eyes_reads_words() -> None:
    made = body(
        Message("user", (Text("look"), IMAGE)),
        Message("assistant", (ToolCall("t1", "f", {}),)),
        Message("user", (ToolResult("t1", (IMAGE,)),)),
        model=replace(MODEL, images=False),
    )
    assert "image_url" not in str(made)
    assert "cannot see" in made["messages"][1]["content"][1]["text"]
    assert "cannot see" in made["messages"][3]["content"]


def test_what_only_another_provider_understands_is_left_out() -> None:
    thought = (Thinking("hm", "sig"), RedactedThinking("x"), Opaque({"type": "server_tool_use"}))
    made = body(HI, Message("assistant", (*thought, Text("yes"))), HI, Message("assistant", thought), HI)
    assert [each["role"] for each in made["messages"]] == ["system", "user", "assistant", "user", "user"]
    assert made["messages"][2] == {"role": "assistant", "content": "yes"}


def test_strict_tools_where_the_model_wants_them() -> None:
    (strict,) = body(model=replace(MODEL, strict_tools=True))["tools"]
    assert strict["function"]["strict"] is True
    assert strict["function"]["parameters"]["required"] == ["a"]
    loose = ToolSpecification("g", "Takes anything.", {"type": "object"})
    made = request_body(ModelRequest("", (loose,), (HI,)), replace(MODEL, strict_tools=True), OPTIONS, "max_tokens")
    assert made["tools"][0]["function"] == {
        "name": "g",
        "description": "Takes anything.",
        "parameters": {"type": "object"},
    }


def test_our_own_tools_have_a_strict_form() -> None:
    specifications = tuple(
        ToolSpecification(tool.name, tool.description, tool.input_schema) for tool in builtin_tools().offered("main")
    )
    made = request_body(
        ModelRequest("", specifications, (HI,)), replace(MODEL, strict_tools=True), OPTIONS, "max_tokens"
    )
    assert check_chat(made) is None
    assert all(each["function"].get("strict") for each in made["tools"])


@pytest.mark.parametrize("messages", GOOD.values(), ids=GOOD)
def test_every_good_history_makes_a_good_request(messages: tuple[Message, ...]) -> None:
    body(*messages)


@each_row("wanted", ["", "high"])
@each_row("model", OPENAI_MODELS, ids=lambda model: model.name)
def test_every_model_of_the_catalogue_takes_our_tools(model: Model, wanted: str) -> None:
    """Some call tools in this protocol only when they are told not to reason, some when nothing is said of it."""
    made = body(model=model, options=replace(OPTIONS, effort=wanted))
    assert made.get("reasoning_effort") == ("none" if model.tools_effort == "none" else None)
    without = request_body(ModelRequest("", (), (HI,)), model, replace(OPTIONS, effort=wanted), "max_tokens")
    assert without.get("reasoning_effort") == (wanted or None)
