"""What a conversation is replaced by: always valid, with the person's last words, and shorter each time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.agent.compaction import (
    GO_ON_LINE,
    LEFT_OUT,
    RESULTS_HEADING,
    SUMMARY_HEADING,
    WORDS_LINE,
    can_compact,
    last_words,
    shorter,
    summary_messages,
)
from code_assistant.agent.history import validate
from code_assistant.agent.limits import INTERRUPTED_LINE
from code_assistant.agent.news import PLAN_LINE
from code_assistant.agent.shell import NOTE
from code_assistant.agent.tokens import messages_tokens
from code_assistant.messages import Image, Message, Text, ToolCall, ToolResult
from tests.unit.agent.histories import histories

ASKED = Message("user", (Text("How is tax computed?"),))
ANSWERED = Message("assistant", (Text("In tax.py."),))
IMAGE = Image("image/png", "x")


def said(*texts: str) -> Message:
    return Message("user", tuple(map(Text, texts)))


def tools(**results: str) -> tuple[Message, Message]:
    calls = tuple(ToolCall(name, f"tool_{name}", {"of": name}) for name in results)
    answers = tuple(ToolResult(name, (Text(text),)) for name, text in results.items())
    return Message("assistant", calls), Message("user", answers)


def texts(message: Message) -> list[str]:
    return [block.text for block in message.content if isinstance(block, Text)]


def test_between_prompts_the_last_exchange_stays_as_it_was() -> None:
    short = shorter((ASKED, ANSWERED, said("And tested?"), ANSWERED), "## Goal\nTax.\n", 10_000, goes_on=False)
    assert texts(short.messages[0]) == [
        f"{SUMMARY_HEADING}\n\n## Goal\nTax.",
        WORDS_LINE,
        "How is tax computed?",
        "And tested?",
    ]
    assert short.messages[1:] == (ANSWERED,)
    assert short.kept == ("a summary", "your last 2 messages", "the last answer")


def test_in_the_middle_of_work_the_results_are_quoted_and_it_goes_on() -> None:
    messages = (ASKED, *tools(a="first"), *tools(b="RATE = 0.2", c="y" * 5000))
    (message,) = shorter(messages, "So far.", 10_000, goes_on=True).messages
    *_, results, last = texts(message)
    assert results.startswith(RESULTS_HEADING)
    assert 'tool_b {"of": "b"}\nRATE = 0.2' in results
    assert 'tool_c {"of": "c"}\n(too large' in results
    assert "first" not in results
    assert last == GO_ON_LINE


def test_lines_of_the_program_are_nobodys_words() -> None:
    note = NOTE.format(command="ls", output="tax.py")
    messages = (ASKED, ANSWERED, said("Do it."), ANSWERED, said(INTERRUPTED_LINE, PLAN_LINE, note))
    assert last_words(messages, 10_000) == (Text("How is tax computed?"), Text("Do it."))


def test_words_are_kept_as_long_as_there_is_room_the_newest_always() -> None:
    messages = (said("a" * 3500), ANSWERED, said("b" * 350), ANSWERED, said("c" * 14_000))
    assert [block.text[0] for block in last_words(messages, 100_000) if isinstance(block, Text)] == ["a", "b", "c"]
    # A tenth of the room is for words, and the newest have it all.
    assert last_words(messages, 10_000) == (Text("c" * 14_000),)
    (cut,) = last_words(messages, 1000)
    assert isinstance(cut, Text)
    assert LEFT_OUT in cut.text
    assert len(cut.text) < 2000


def test_images_stay_with_the_newest_words_only() -> None:
    old, new = (Message("user", (IMAGE, Text(text))) for text in ("old", "new"))
    assert last_words((old, ANSWERED, new), 100_000) == (Text("old"), IMAGE, Text("new"))
    assert last_words((old, ANSWERED, new), 1000) == (Text("old"), Text("new"))
    assert last_words((ASKED, ANSWERED, Message("user", (IMAGE,))), 100_000) == (*ASKED.content, IMAGE)


def test_there_must_be_an_answer() -> None:
    assert not can_compact(())
    assert not can_compact((ASKED,))
    assert can_compact((ASKED, ANSWERED))


@pytest.mark.parametrize("messages", [(ASKED, ANSWERED), (ASKED, *tools(a="x"))])
def test_a_summary_is_asked_for_behind_the_conversation_as_it_is(messages: tuple[Message, ...]) -> None:
    """So that the service finds all of it in its cache."""
    asked = summary_messages(messages, 100_000, " the tax tests ")
    validate(asked)
    whole = [block for message in messages for block in message.content]
    assert [block for message in asked for block in message.content][: len(whole)] == whole
    assert texts(asked[-1])[-1].endswith("The person asks to keep above all: the tax tests")
    assert "keep above all" not in texts(summary_messages(messages, 100_000, "")[-1])[-1]


def test_what_does_not_fit_is_told_as_text_without_its_middle() -> None:
    messages = (ASKED, *tools(a="z" * 50_000), ANSWERED, said("m" * 20_000), ANSWERED, said("And tested?"))
    (asked,) = summary_messages(messages, 2000, "")
    conversation, _ = texts(asked)
    assert "How is tax computed?" in conversation
    assert "And tested?" in conversation
    assert "zzz" not in conversation
    assert LEFT_OUT in conversation
    assert messages_tokens((asked,)) < 2050


@settings(max_examples=80, deadline=None)
@given(histories(), st.booleans(), st.sampled_from([1000, 20_000, 1_000_000]))
def test_whatever_the_conversation_the_new_one_is_valid_and_has_the_last_words(
    messages: tuple[Message, ...], goes_on: bool, room: int
) -> None:
    validate(summary_messages(messages, room, "focus"))
    first = shorter(messages, "All of it.", room, goes_on=goes_on).messages
    validate(first)
    newest = last_words(messages, 1_000_000)[-1]
    assert isinstance(newest, Text)
    kept = last_words(first, 1_000_000)[-1]
    assert isinstance(kept, Text)
    assert kept == newest or LEFT_OUT in kept.text
    assert room < 1_000_000 or kept == newest
    # Once more, with nothing in between: nothing is lost or piled up.
    if can_compact(first):
        again = shorter(first, "All of it.", room, goes_on=False).messages
        validate(again)
        assert messages_tokens(again) <= messages_tokens(first) + 50
