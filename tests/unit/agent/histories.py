"""Random conversations that every provider must accept: tools, images, thinking, interruptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from code_assistant.agent.limits import INTERRUPTED_LINE
from code_assistant.messages import Block, Image, Message, RedactedThinking, Text, Thinking, ToolCall, ToolResult

WORDS = st.text(min_size=1, max_size=30).filter(lambda text: bool(text.strip()))
# Some of them large enough to be taken out.
LONG_WORDS = st.tuples(WORDS, st.integers(1, 400)).map(lambda both: both[0] * both[1])
IMAGES = st.just(Image("image/png", "aGk="))
PERSON = st.tuples(st.lists(IMAGES, max_size=2), LONG_WORDS.map(Text)).map(lambda both: (*both[0], both[1]))
BEFORE = st.lists(
    WORDS.map(Text) | WORDS.map(lambda text: Thinking(text, "signature")) | WORDS.map(RedactedThinking), max_size=3
)
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["read_files", "search_files", "edit"]),
        st.dictionaries(WORDS, WORDS, max_size=2),
        st.lists(LONG_WORDS.map(Text) | IMAGES, max_size=2),
        st.booleans(),
    ),
    min_size=1,
    max_size=3,
)
# A step is what the model says, and what it calls with what comes of it.
STEPS = st.lists(st.tuples(BEFORE, CALLS), max_size=3)
ENDS = st.sampled_from(["answer", "tools", "interrupted"])


@st.composite
def histories(draw: st.DrawFn) -> tuple[Message, ...]:
    """At least one answer is in it, and at its end anything that may be there before a request or between prompts."""
    messages: list[Message] = []
    for _ in range(draw(st.integers(1, 4))):
        _add(messages, Message("user", draw(PERSON)))
        for before, calls in draw(STEPS):
            _add_step(messages, before, calls)
        _add(messages, Message("assistant", (*draw(BEFORE), Text(draw(WORDS)))))
    match draw(ENDS):
        case "tools":
            _add(messages, Message("user", draw(PERSON)))
            _add_step(messages, draw(BEFORE), draw(CALLS))
        case "interrupted":
            _add(messages, Message("user", (*draw(PERSON), Text(INTERRUPTED_LINE))))
        case _:
            pass
    return tuple(messages)


def _add_step(messages: list[Message], before: Sequence[Block], calls: list[Any]) -> None:
    number = sum(len(message.tool_calls) for message in messages)
    called = [ToolCall(f"t{number + at}", name, given) for at, (name, given, _, _) in enumerate(calls)]
    results = [
        ToolResult(call.id, tuple(found), failed) for call, (_, _, found, failed) in zip(called, calls, strict=True)
    ]
    _add(messages, Message("assistant", (*before, *called)))
    _add(messages, Message("user", tuple(results)))


def _add(messages: list[Message], message: Message) -> None:
    if messages and messages[-1].role == message.role:
        message = Message(message.role, (*messages.pop().content, *message.content))
    messages.append(message)
