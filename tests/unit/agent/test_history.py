"""The validator: every rule the providers have, each with a history that breaks it."""

from __future__ import annotations

import pytest

from code_assistant.agent.history import History, validate
from code_assistant.errors import HistoryError
from code_assistant.messages import Block, Image, Message, Opaque, Text, Thinking, ToolCall, ToolResult
from tests.fakes.validate import check
from tests.rows import each_row


def user(*blocks: Block) -> Message:
    return Message("user", blocks)


def assistant(*blocks: Block) -> Message:
    return Message("assistant", blocks)


def called(call_id: str = "t1", name: str = "f") -> ToolCall:
    return ToolCall(call_id, name, {})


def result(call_id: str = "t1", text: str = "ok") -> ToolResult:
    return ToolResult(call_id, (Text(text),))


HI = user(Text("hi"))

GOOD: dict[str, list[Message]] = {
    "one prompt": [HI],
    "an answer": [HI, assistant(Text("hello"))],
    "a tool": [HI, assistant(Thinking("hm", "s"), called()), user(result())],
    "two tools, results in another order": [HI, assistant(called("a"), called("b")), user(result("b"), result("a"))],
    "words behind results": [HI, assistant(called()), user(result(), Text("and"))],
    "an image": [user(Text("see"), Image("image/png", "AAAA"))],
    "a paused answer": [HI, assistant(Text("wait"), Opaque({"type": "server_tool_use"}))],
}

BAD: dict[str, list[Message]] = {
    "nothing": [],
    "assistant first": [assistant(Text("hello"))],
    "empty message": [user()],
    "blank text": [user(Text(" \n"))],
    "blank answer": [HI, assistant(Text(""))],
    "blank result": [HI, assistant(called()), user(result(text=" "))],
    "two in a row": [HI, user(Text("again"))],
    "no result": [HI, assistant(called())],
    "no result before the next": [HI, assistant(called()), user(Text("well"))],
    "a result for nothing": [user(result())],
    "a result too many": [HI, assistant(called()), user(result(), result("t2"))],
    "answered twice": [HI, assistant(called()), user(result(), result())],
    "one of two unanswered": [HI, assistant(called("a"), called("b")), user(result("a"))],
    "result after words": [HI, assistant(called()), user(Text("well"), result())],
    "id used twice in a message": [HI, assistant(called(), called()), user(result(), result())],
    "id used again later": [HI, assistant(called()), user(result()), assistant(called()), user(result())],
    "empty id": [HI, assistant(called("")), user(result(""))],
    "illegal id": [HI, assistant(called("a b")), user(result("a b"))],
    "illegal name": [HI, assistant(called(name="no way")), user(result())],
    "person calls a tool": [user(called())],
    "assistant shows an image": [HI, assistant(Image("image/png", "AAAA"))],
    "assistant gives a result": [HI, assistant(called()), assistant(result())],
}


@each_row("name", GOOD)
def test_safe_r1_a_good_history_passes(name: str) -> None:
    validate(GOOD[name])


@each_row("name", BAD)
def test_safe_r1_a_bad_history_is_refused(name: str) -> None:
    with pytest.raises(HistoryError):
        validate(BAD[name])


def test_adding_keeps_the_roles_taking_turns() -> None:
    history = History()
    history.add_user((Text("a"),))
    history.add_user((Text("b"),))
    history.add_assistant((Text("c"),))
    history.add_assistant((Text("d"),))
    assert history.messages == (user(Text("a"), Text("b")), assistant(Text("c"), Text("d")))


def test_nothing_worth_keeping_adds_nothing() -> None:
    history = History([HI])
    assert history.add_assistant((Text(" "), Thinking("hm", ""))) is None
    assert history.add_assistant((Thinking("hm", "signed"),)) is None
    assert history.messages == (HI,)


def test_the_server_judges_the_same_way() -> None:
    """The scripted server has its own validator, written apart; ours must never let through what it refuses."""
    from code_assistant.llm.anthropic.body import request_body
    from code_assistant.llm.catalogue import Catalogue
    from code_assistant.llm.options import RequestOptions
    from code_assistant.llm.provider import ModelRequest, ToolSpecification

    tool = ToolSpecification("f", "d", {"type": "object"})
    for messages in GOOD.values():
        request = ModelRequest("s", (tool,), tuple(messages))
        body = request_body(request, Catalogue().find("sonnet"), RequestOptions(100, True, ""))
        if any(isinstance(block, Opaque) for message in messages for block in message.content):
            continue
        assert check(body, {"s"}) is None
