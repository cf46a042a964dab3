"""The chunk mapper on its own: text, thoughts and ends in every form that services send; nonsense never passes."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_assistant.errors import ProviderError, RateLimited, StreamBroken
from code_assistant.llm.openai.mapper import ChunkMapper
from code_assistant.llm.provider import BlockFinished, ResponseBegun, ResponseEnded, TextPiece, ThinkingPiece, UsageSeen
from code_assistant.messages import Text, Thinking, ToolCall, Usage
from tests.rows import each_row
from tests.unit.llm.openai.chunks import PROVIDER, blocks, called, chunk, entry, mapped, said


def test_text_in_pieces_with_nulls_around() -> None:
    opening = chunk({"role": "assistant", "content": None})
    assert mapped([opening, said("Hel"), said(""), said("lo"), chunk({}, "stop")]) == [
        ResponseBegun("c1", "m"),
        TextPiece("Hel"),
        TextPiece("lo"),
        BlockFinished(Text("Hello")),
        ResponseEnded("end_turn"),
    ]


def test_the_response_begins_with_the_first_choice() -> None:
    first = {"id": "", "model": "", "choices": [], "prompt_filter_results": []}
    assert mapped([first, said("a"), chunk({}, "stop")])[0] == ResponseBegun("c1", "m")


@each_row(
    "delta",
    [
        {"reasoning_content": "hm"},
        {"reasoning": "hm"},
        {"reasoning": "hm", "reasoning_content": "hm"},
        {"reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "hm"}, {"type": "reasoning.encrypted"}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]},
        {"content": "<think>hm</think>\n\n"},
    ],
)
def test_thoughts_under_every_name_are_shown_once(delta: dict[str, Any]) -> None:
    deltas = mapped([chunk(delta), said("yes"), chunk({}, "stop")])
    assert [each.text for each in deltas if isinstance(each, ThinkingPiece)] == ["hm"]
    assert blocks(deltas) == [Thinking("hm", ""), Text("yes")]


def test_reasoning_that_is_no_text_is_passed_over() -> None:
    assert blocks(mapped([chunk({"content": "a", "reasoning": {"effort": "low"}}), chunk({}, "stop")])) == [Text("a")]


def test_text_around_tool_calls() -> None:
    deltas = mapped([said("I look."), called(entry("{}", "f", "t1", 0)), said("And on."), chunk({}, "tool_calls")])
    assert blocks(deltas) == [Text("I look."), Text("And on."), ToolCall("t1", "f", {})]


@each_row(
    ("reason", "stop"),
    [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("model_length", "max_tokens"),
        ("content_filter", "refusal"),
        ("eos", "end_turn"),
        ("tool_calls", "end_turn"),
    ],
)
def test_every_finish_reason_has_a_meaning(reason: str, stop: str) -> None:
    ended = mapped([said("a"), chunk({}, reason)])[-1]
    assert isinstance(ended, ResponseEnded)
    assert ended.stop_reason == stop
    assert bool(ended.explanation) is (stop == "refusal")


@each_row("reason", ["stop", "tool_calls", "function_call", "tool_use"])
def test_calls_are_run_whatever_the_finish_reason_is_called(reason: str) -> None:
    assert mapped([called(entry("{}", "f", "t1", 0)), chunk({}, reason)])[-1] == ResponseEnded("tool_use")


@pytest.mark.parametrize("reason", ["error", "abort", "insufficient_system_resource"])
def test_a_service_that_gives_up_has_not_answered(reason: str) -> None:
    with pytest.raises(StreamBroken, match=reason):
        mapped([said("so far"), chunk({}, reason)])


def test_an_empty_finish_reason_is_none() -> None:
    mapper = ChunkMapper(PROVIDER, {})
    mapper.map(chunk({"content": "a"}, ""))
    assert not mapper.finished


def test_a_refusal_is_explained_in_its_own_words() -> None:
    deltas = mapped([chunk({"refusal": "I can"}), chunk({"refusal": "not."}), chunk({}, "stop")])
    assert deltas[-1] == ResponseEnded("refusal", "I cannot.")


def test_safe_r3_a_call_that_was_cut_has_a_problem() -> None:
    (call,) = blocks(mapped([called(entry('{"a": [1', "f", "t1", 0)), chunk({}, "length")]))
    assert isinstance(call, ToolCall)
    assert (call.input, call.problem is None) == ({}, False)


def test_a_function_call_of_old() -> None:
    first, second = (
        chunk({"function_call": {"name": "f", "arguments": '{"a"'}}),
        chunk({"function_call": {"arguments": ":1}"}}),
    )
    assert blocks(mapped([first, second, chunk({}, "function_call")])) == [ToolCall("", "f", {"a": 1})]


def test_nulls_for_fields_that_were_left_out_are_dropped_for_strict_tools_only() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]}
    chunks = [called(entry('{"a": "x", "b": null}', "f", "t1", 0)), chunk({}, "stop")]
    assert blocks(mapped(chunks, {"f": schema})) == [ToolCall("t1", "f", {"a": "x"})]
    assert blocks(mapped(chunks)) == [ToolCall("t1", "f", {"a": "x", "b": None})]


def test_usage_with_what_was_cached_counted_once() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 130}
    details = {"prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10}}
    seen = mapped([chunk({}, "stop"), {"choices": [], "usage": {**usage, **details}}])
    assert UsageSeen(Usage(input=30, output=30, cache_read=60, cache_write=10)) in seen


@each_row(
    ("reports", "expected"),
    [
        ([{"prompt_tokens": 5}, {"completion_tokens": 7}], Usage(5, 7)),
        ([{"prompt_tokens": 5, "completion_tokens": 1}, {"prompt_tokens": 5, "completion_tokens": 7}], Usage(5, 7)),
        ([{"prompt_tokens": 5, "completion_tokens": 7, "prompt_cache_hit_tokens": 2}], Usage(3, 7, 2)),
        ([{"prompt_tokens": 5, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 9}}], Usage(0, 7, 5)),
        # Some count what was thought only in the total.
        ([{"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 20}], Usage(5, 15)),
        ([{"prompt_tokens": 5, "completion_tokens": None, "prompt_tokens_details": None}], Usage(5, 0)),
    ],
)
def test_usage_is_cumulative_and_keeps_what_is_not_repeated(reports: list[dict[str, Any]], expected: Usage) -> None:
    seen = [delta for delta in mapped([chunk({}, usage=each) for each in reports]) if isinstance(delta, UsageSeen)]
    assert seen[-1] == UsageSeen(expected)


@each_row("number", ["many", 1.5, -1, 10**400, [1]])
def test_safe_r7_usage_that_is_no_number_makes_no_sense(number: object) -> None:
    with pytest.raises(StreamBroken):
        mapped([chunk({}, usage={"completion_tokens": number})])


def test_lone_surrogates_are_replaced() -> None:
    assert blocks(mapped([said("a\ud800é"), chunk({}, "stop")])) == [Text("a\ufffdé")]


def test_only_what_is_said_counts_as_heard() -> None:
    mapper = ChunkMapper(PROVIDER, {})
    silent = [chunk({"role": "assistant", "content": ""}), {"choices": []}, {"x": 1}, chunk({"content": None})]
    for each in silent:
        mapper.map(each)
    assert mapper.heard == 0
    for each in (said("<thi"), said("a"), called(entry("{")), chunk({"reasoning": "r"}), chunk({}, "stop")):
        before = mapper.heard
        mapper.map(each)
        assert mapper.heard > before


@each_row(
    ("error", "expected"),
    [
        ({"error": {"message": "busy", "type": "overloaded_error"}}, RateLimited),
        (
            {"error": {"code": 502, "message": "upstream"}, "choices": [{"delta": {}, "finish_reason": "error"}]},
            ProviderError,
        ),
        ({"error": "jinja"}, ProviderError),
        ({"object": "error", "message": "no", "code": 400}, ProviderError),
    ],
)
def test_errors_in_the_stream_are_typed(error: dict[str, Any], expected: type[ProviderError]) -> None:
    with pytest.raises(ProviderError) as raised:
        mapped([said("so far"), error])
    assert type(raised.value) is expected


@each_row(
    "nonsense",
    [
        {"choices": 7},
        {"choices": [None]},
        {"choices": [[]]},
        chunk("text"),
        chunk({"content": 7}),
        chunk({"content": [7]}),
        chunk({"content": [{"type": "text", "text": 7}]}),
        chunk({"tool_calls": 7}),
        chunk({"tool_calls": ["f"]}),
        chunk({"tool_calls": [{"function": "f"}]}),
        chunk({"tool_calls": [{"function": {"name": 7}}]}),
        chunk({"refusal": 7}),
        chunk({"reasoning_details": [7]}),
        chunk({}, usage="many"),
    ],
)
def test_safe_r7_chunks_that_make_no_sense_break_the_stream(nonsense: dict[str, Any]) -> None:
    with pytest.raises(StreamBroken):
        mapped([nonsense])


WHOLE = [
    {"id": "c", "model": "m", "choices": [], "prompt_filter_results": []},
    chunk({"role": "assistant", "content": None}),
    chunk({"reasoning_content": "hm"}),
    said("I look."),
    called(entry("", "f", "t1", 0)),
    called(entry('{"a":', index=0), entry('{"b": 1}', "g", "t2", 1)),
    called(entry("1}", index=0)),
    chunk(
        {},
        "tool_calls",
        usage={"prompt_tokens": 5, "completion_tokens": 6, "prompt_tokens_details": {"cached_tokens": 1}},
    ),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [path, *(found for key in keys for found in places(value[key], (*path, key)))]


@given(st.data())
def test_safe_r7_random_changes_to_chunks_raise_only_typed_errors(data: st.DataObject) -> None:
    chunks: Any = copy.deepcopy(WHOLE)
    for _ in range(data.draw(st.integers(1, 3))):
        *parents, key = data.draw(st.sampled_from([path for path in places(chunks) if len(path) > 1]))
        target = chunks
        for each in parents:
            target = target[each]
        target[key] = data.draw(JSON)
    try:
        mapped(each for each in chunks if isinstance(each, dict))
    except ProviderError as error:
        assert error.person


TEXTS = st.text(alphabet="ab <>/think{}\n", max_size=12)
INPUTS = st.dictionaries(st.sampled_from("abc"), st.text(alphabet='a{}"\\é', max_size=8) | st.integers(), max_size=3)


@given(TEXTS, st.lists(INPUTS, max_size=4), st.data())
def test_chunking_and_interleaving_change_nothing(text: str, inputs: list[dict[str, Any]], data: st.DataObject) -> None:
    """Parallel calls whose pieces come in any order, cut anywhere, give the same blocks."""
    queues = [
        [entry("", "f", f"t{number}", number), *(entry(piece, index=number) for piece in cut(json.dumps(each), data))]
        for number, each in enumerate(inputs)
    ]
    chunks = [said(piece) for piece in cut(text, data)]
    # The openings keep their order, as the index of a call is its place; the rest is mixed.
    chunks += [called(queue.pop(0)) for queue in queues]
    while any(queues):
        chunks.append(called(data.draw(st.sampled_from([queue for queue in queues if queue])).pop(0)))
    found = blocks(mapped([*chunks, chunk({}, "stop")]))
    whole = [said(text), *(called(entry(json.dumps(each), "f", f"t{at}", at)) for at, each in enumerate(inputs))]
    assert found == blocks(mapped([*whole, chunk({}, "stop")]))
    assert [each.input for each in found if isinstance(each, ToolCall)] == inputs


def cut(text: str, data: st.DataObject) -> list[str]:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
