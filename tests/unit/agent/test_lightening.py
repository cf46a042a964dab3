"""Large old tool results are the first to go; the newest stay, and so does everything that was said."""

from __future__ import annotations

from hypothesis import given, settings

from code_assistant.agent.history import validate
from code_assistant.agent.lightening import lightened
from code_assistant.agent.tokens import messages_tokens
from code_assistant.messages import Image, Message, Text, Thinking, ToolCall, ToolResult
from tests.unit.agent.histories import histories

LARGE = "x" * 7000


def result(call_id: str, text: str = LARGE) -> ToolResult:
    return ToolResult(call_id, (Text(text),))


def reading(call_id: str, text: str = LARGE, name: str = "read_files") -> tuple[Message, Message]:
    """A tool call, thought about before, and its result."""
    return (
        Message("assistant", (Thinking("hm", f"s{call_id}"), ToolCall(call_id, name, {}))),
        Message("user", (result(call_id, text),)),
    )


ASKED = Message("user", (Text("How?"),))


def test_only_old_and_large_results_are_taken_out() -> None:
    messages = (ASKED, *reading("t1"), *reading("t2", "small"), *reading("t3"), *reading("t4"))
    light = lightened(messages, 4500)
    assert light.taken_out == (("read_files", 1),)
    stub = light.messages[2].content[0]
    assert isinstance(stub, ToolResult)
    assert stub.content == (
        Text(
            "[The result of read_files was taken out to save room (7,000 characters). "
            "Run the tool again if it is needed.]"
        ),
    )
    assert [light.messages[at] for at in (0, 1, 4, 6, 8)] == [messages[at] for at in (0, 1, 4, 6, 8)]


def test_thinking_goes_from_where_something_is_different() -> None:
    messages = (ASKED, *reading("t1", "small"), *reading("t2"), *reading("t3"))
    light = lightened(messages, 0)
    thoughts = [[isinstance(block, Thinking) for block in message.content].count(True) for message in light.messages]
    assert thoughts == [0, 1, 0, 1, 0, 0, 0]


def test_the_last_results_stay_however_large_they_are() -> None:
    last = Message("user", (result("t2"), result("t3")))
    calls = Message("assistant", (ToolCall("t2", "read_files", {}), ToolCall("t3", "search_files", {})))
    messages = (ASKED, *reading("t1"), calls, last)
    assert lightened(messages, 0).messages[-1] == last
    assert lightened(messages, 0, keeps_last=False).taken_out == (("read_files", 2), ("search_files", 1))


def test_images_are_named_and_errors_stay_errors() -> None:
    shot = ToolResult("t1", (Image("image/png", "x"), Image("image/png", "y")), is_error=True)
    messages = (
        ASKED,
        Message("assistant", (ToolCall("t1", "read_files", {}),)),
        Message("user", (shot,)),
        *reading("t2"),
    )
    stub = lightened(messages, 0).messages[2].content[0]
    assert isinstance(stub, ToolResult)
    assert stub.is_error
    assert "(2 images)" in str(stub.content)


def test_where_nothing_is_large_nothing_changes() -> None:
    messages = (ASKED, *reading("t1", "small"), *reading("t2", "small"))
    light = lightened(messages, 0)
    assert light.messages == messages
    assert light.taken_out == ()


@settings(max_examples=60, deadline=None)
@given(histories())
def test_whatever_the_conversation_it_stays_valid_and_gets_no_larger(messages: tuple[Message, ...]) -> None:
    for keeps_last in (True, False):
        light = lightened(messages, 500, keeps_last=keeps_last)
        validate(light.messages)
        assert messages_tokens(light.messages) <= messages_tokens(messages)
        assert [message.text for message in light.messages] == [message.text for message in messages]
        assert lightened(light.messages, 500, keeps_last=keeps_last).messages == light.messages
