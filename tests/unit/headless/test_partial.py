"""Partial messages: a key that is split between two pieces stays masked, and nothing else is lost."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.events import MAIN, BlockAdded, Event, ResponseAdded, ResponseStarted, TextDelta, ThinkingDelta
from code_assistant.headless.partial import PartialMessages
from code_assistant.headless.wire_format import SessionFacts
from code_assistant.messages import Message, Response, ToolCall, Usage
from code_assistant.secrets import MASK, Masker

KEY = "sk-ant-secret-0123"
FACTS = SessionFacts("session", "/shop", "sonnet", "ask", ())
END = ResponseAdded(MAIN, Response("m", "x", Message("assistant", ()), "end_turn", Usage()))


@given(st.lists(st.tuples(st.sampled_from(["text", "thinking"]), st.integers(1, 9)), min_size=1, max_size=12))
def test_safe_k1_split_keys_stay_masked(cuts: list[tuple[str, int]]) -> None:
    whole = f"it is {KEY}, really {KEY}"
    events: list[Event] = [ResponseStarted(MAIN, "m", "x")]
    position = 0
    for kind, length in cuts:
        piece = whole[position : position + length]
        position += length
        events.append(TextDelta(MAIN, piece) if kind == "text" else ThinkingDelta(MAIN, piece))
    partial = PartialMessages(FACTS, Masker((KEY,)))
    lines = [line["event"] for event in (*events, END) for line in partial.lines(event)]
    for first, second in pairwise(lines):
        if first["type"] == second["type"] == "content_block_delta":
            assert first["delta"]["type"] == second["delta"]["type"]
    blocks: dict[int, str] = {}
    for line in lines:
        if line["type"] == "content_block_delta":
            delta = line["delta"]
            blocks[line["index"]] = blocks.get(line["index"], "") + delta.get("text", delta.get("thinking", ""))
    # A key is known as one where it stands whole in a block.
    assert not any(KEY in said for said in blocks.values())
    if not any("key removed" in said for said in blocks.values()):
        assert "".join(blocks.values()) == whole[:position]
    assert KEY not in json.dumps(lines)


def test_safe_k1_a_key_with_marks_is_masked_in_the_input_of_a_tool_and_in_json_within_it() -> None:
    key = 'sk-"odd\\-0123'
    call = ToolCall("1", "write_file", {"path": key, "content": json.dumps({"key": key})})
    partial = PartialMessages(FACTS, Masker((key,)))
    events = (ResponseStarted(MAIN, "m", "x"), BlockAdded(MAIN, call), END)
    lines = [line["event"] for event in events for line in partial.lines(event)]
    written = [line["delta"]["partial_json"] for line in lines if line["type"] == "content_block_delta"]
    assert [json.loads(each) for each in written] == [{"path": MASK, "content": json.dumps({"key": MASK})}]
