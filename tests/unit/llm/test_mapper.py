"""The mapper on its own: nonsense never passes, numbers are kept, characters are whole."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_assistant.errors import AssistantError, StreamBroken
from code_assistant.llm.anthropic.mapper import MessageMapper
from code_assistant.llm.provider import ResponseEnded, TextPiece, UsageSeen
from code_assistant.messages import Usage
from tests.rows import each_row

START = {"type": "message_start", "message": {"id": "m", "model": "x", "usage": {"input_tokens": 5}}}


def block_start(index: int = 0, kind: str = "text", **more: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **more}}


@each_row(
    "events",
    [
        [{}],
        [{"type": "message_start"}],
        [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}}],
        [block_start(), block_start()],
        [{"type": "content_block_stop", "index": 3}],
        [block_start(), {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 7}}],
        [block_start(kind="tool_use"), {"type": "content_block_stop", "index": 0}],
        [{"type": "message_delta", "delta": None}],
        [{"type": "message_delta", "delta": {}, "usage": {"output_tokens": "many"}}],
    ],
)
def test_safe_r7_events_that_make_no_sense_break_the_stream(events: list[dict[str, Any]]) -> None:
    mapper = MessageMapper()
    with pytest.raises(StreamBroken):
        for event in events:
            mapper.map(event)


def test_nulls_in_usage_keep_what_was_said_before() -> None:
    mapper = MessageMapper()
    mapper.map(START)
    seen = mapper.map({"type": "message_delta", "delta": {}, "usage": {"input_tokens": None, "output_tokens": 9}})
    assert seen == UsageSeen(Usage(input=5, output=9))


def test_an_unknown_stop_reason_counts_as_the_end() -> None:
    mapper = MessageMapper()
    mapper.map(START)
    mapper.map({"type": "message_delta", "delta": {"stop_reason": "tired"}, "usage": {"output_tokens": 1}})
    assert mapper.map({"type": "message_stop"}) == ResponseEnded("end_turn")


def test_lone_surrogates_are_replaced() -> None:
    mapper = MessageMapper()
    mapper.map(block_start())
    event = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a\ud800é"}}
    assert mapper.map(event) == TextPiece("a\ufffdé")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "index", "delta", "message", "content_block", "usage", "text", "id", "model"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)
KINDS = st.sampled_from(
    ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "error", "x"]
)


@given(st.lists(st.tuples(KINDS, st.dictionaries(st.text(max_size=6), JSON, max_size=3), JSON, JSON), max_size=6))
def test_safe_r7_random_events_raise_only_typed_errors(
    events: list[tuple[str, dict[str, Any], Any, Any]],
) -> None:
    mapper = MessageMapper()
    try:
        for kind, extra, delta, content in events:
            mapper.map({**extra, "type": kind, "index": 0, "delta": delta, "content_block": content, "message": delta})
    except AssistantError as error:
        assert error.person
