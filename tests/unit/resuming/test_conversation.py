"""The history that events say: whatever is missing of it, every provider must accept what is left."""

from __future__ import annotations

from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.agent.history import validate
from code_assistant.events import (
    MAIN,
    Compacted,
    Event,
    GuidanceAdded,
    MessageDelivered,
    PromptReturned,
    PromptStarted,
    ResponseAdded,
    ResponseCut,
    ToolResultsAdded,
)
from code_assistant.messages import (
    Block,
    Image,
    Message,
    Opaque,
    RedactedThinking,
    Response,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from code_assistant.resuming.conversation import LOST_RESULT, mended, messages_of
from tests.unit.json_values import values

# Few ids, so that calls and results meet, and often are there twice; some that no provider takes.
IDS = st.sampled_from(["a", "b", "c", "", "not legal", "ä"])
TEXTS = st.sampled_from(["", " \n", "words", "more words"]).map(Text)
RESULT_PARTS = st.lists(TEXTS | st.just(Image("image/png", "AA==")), max_size=2).map(tuple)
BLOCKS: st.SearchStrategy[Block] = st.one_of(
    TEXTS,
    st.builds(ToolCall, IDS, st.sampled_from(["echo", "", "no name"]), st.just({})),
    st.builds(ToolResult, IDS, RESULT_PARTS, st.booleans()),
    st.builds(Thinking, st.just("hm"), st.sampled_from(["", "signed"])),
    st.just(RedactedThinking("x")),
    st.just(Image("image/png", "AA==")),
    st.just(Opaque({"type": "server_tool_use"})),
)
MESSAGES = st.builds(Message, st.sampled_from(["user", "assistant"]), st.lists(BLOCKS, max_size=5).map(tuple))


def accepted(messages: tuple[Message, ...]) -> None:
    """An empty one is as good as a new session; all others must be valid."""
    if messages:
        validate(messages)


@settings(max_examples=400, deadline=None)
@given(st.lists(MESSAGES, max_size=8))
def test_safe_r1_any_messages_become_a_valid_history(messages: list[Message]) -> None:
    first = mended(messages)
    accepted(first)
    assert mended(first) == first


@settings(max_examples=100, deadline=None)
@given(st.lists(values(Message), max_size=4))
def test_really_any_messages_become_a_valid_history(messages: list[Message]) -> None:
    accepted(mended(messages))


def test_a_valid_history_is_left_as_it_is() -> None:
    history = (
        Message("user", (Text("hi"),)),
        Message(
            "assistant", (Thinking("hm", "s"), Text("I look."), ToolCall("a", "echo", {}), ToolCall("b", "echo", {}))
        ),
        Message("user", (ToolResult("b", (Text("2"),)), ToolResult("a", ()), Text("and"))),
        Message("assistant", (Opaque({"type": "x"}),)),
    )
    validate(history)
    assert mended(history) == history


def test_a_lost_result_is_said_and_a_lost_call_takes_its_result_along() -> None:
    call = Message("assistant", (ToolCall("a", "echo", {}),))
    asked = Message("user", (Text("hi"),))
    lost = ToolResult("a", (Text(LOST_RESULT),), is_error=True)
    assert mended((asked, call)) == (asked, call, Message("user", (lost,)))
    assert mended((asked, call, asked)) == (asked, call, Message("user", (lost, Text("hi"))))
    assert mended((asked, Message("user", (ToolResult("a", ()), Text("then"))))) == (
        Message("user", (Text("hi"), Text("then"))),
    )


CONVERSATION = st.one_of(
    st.builds(PromptStarted, st.just(MAIN), IDS, MESSAGES),
    st.builds(PromptReturned, st.just(MAIN), IDS, st.lists(MESSAGES, max_size=3).map(tuple)),
    st.builds(ToolResultsAdded, st.just(MAIN), MESSAGES),
    st.builds(GuidanceAdded, st.just(MAIN), st.sampled_from(["", "go on"])),
    st.builds(MessageDelivered, st.just(MAIN), st.just("person"), st.just("stop")),
    st.builds(ResponseCut, st.just(MAIN), st.none() | MESSAGES),
    MESSAGES.map(lambda message: ResponseAdded(MAIN, Response("r", "m", message, "end_turn", Usage()))),
    st.lists(MESSAGES, max_size=2).map(lambda some: Compacted(MAIN, "asked", 2, 1, (), "", tuple(some))),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(CONVERSATION, max_size=10))
def test_any_events_become_a_valid_history(events: list[Event]) -> None:
    accepted(mended(messages_of(events)))


def test_what_events_are_no_part_of_a_history_change_nothing() -> None:
    names = {kind.__name__ for kind in get_args(Event)}
    assert {"PromptStarted", "Compacted", "PromptReturned", "MessageDelivered"} <= names
    asked = PromptStarted(MAIN, "p", Message("user", (Text("hi"),)))
    assert messages_of([asked, PromptReturned(MAIN, "p", ())]) == ()
    before = PromptStarted(MAIN, "o", Message("user", (Text("before"),)))
    assert messages_of([before, asked, PromptReturned(MAIN, "p", (before.message,))]) == (before.message,)


def test_a_lost_result_stands_before_what_was_said_after_it() -> None:
    """The line with the results is gone: the answer that followed must not join the calls."""
    asked = PromptStarted(MAIN, "p", Message("user", (Text("hi"),)))
    calls = Message("assistant", (Text("I look."), ToolCall("a", "echo", {})))
    answer = Message("assistant", (Text("Seen."),))
    responses = [ResponseAdded(MAIN, Response("r", "m", each, "end_turn", Usage())) for each in (calls, answer)]
    lost = ToolResult("a", (Text(LOST_RESULT),), is_error=True)
    assert messages_of([asked, *responses]) == (asked.message, calls, Message("user", (lost,)), answer)
