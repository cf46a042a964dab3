"""Tool calls told apart: by index, else by id, else by name, as far as services give any of them."""

from __future__ import annotations

from typing import Any

import pytest

from code_assistant.messages import ToolCall
from tests.rows import each_row
from tests.unit.llm.openai.chunks import blocks, called, chunk, entry, mapped


def calls(*entries: dict[str, Any]) -> list[tuple[str, str, Any]]:
    """Each entry in a chunk of its own."""
    found = blocks(mapped([*(called(each) for each in entries), chunk({}, "stop")]))
    return [(each.id, each.name, each.input) for each in found if isinstance(each, ToolCall) and each.problem is None]


A, B = '{"a": 1}', '{"b": 2}'


@each_row(
    ("entries", "expected"),
    [
        pytest.param(
            [entry("", "f", "t1", 0), entry("", "f", "t2", 1), entry(A, index=0), entry(B, index=1)],
            [("t1", "f", {"a": 1}), ("t2", "f", {"b": 2})],
            id="by index",
        ),
        pytest.param(
            [entry(A, "f", "t1", 0), entry(B, "f", "t2", 0)],
            [("t1", "f", {"a": 1}), ("t2", "f", {"b": 2})],
            id="one index for all, own ids",
        ),
        pytest.param(
            [entry(A, "f", "", 0), entry(B, "f", "", 0)],
            [("", "f", {"a": 1}), ("", "f", {"b": 2})],
            id="one index for all, empty ids, whole",
        ),
        pytest.param(
            [entry(A, "f"), entry(B, "f"), entry("{}", "g")],
            [("", "f", {"a": 1}), ("", "f", {"b": 2}), ("", "g", {})],
            id="nothing but names, whole",
        ),
        pytest.param(
            [entry('{"a"', "f"), entry(": 1}", "f"), entry("", "f")],
            [("", "f", {"a": 1})],
            id="the name in every piece, no ids",
        ),
        pytest.param(
            [entry('{"a"', "f", "t1"), entry(": 1}"), entry('{"b"', "f", "t2"), entry(": 2}")],
            [("t1", "f", {"a": 1}), ("t2", "f", {"b": 2})],
            id="no indexes, ids once",
        ),
        pytest.param(
            [
                entry('{"a"', "f", "t1"),
                entry('{"b"', "f", "t2"),
                entry(": 1}", call_id="t1"),
                entry(": 2}", call_id="t2"),
            ],
            [("t1", "f", {"a": 1}), ("t2", "f", {"b": 2})],
            id="no indexes, ids in every piece, mixed",
        ),
        pytest.param(
            [entry('{"a"', "f", "t1", 0), entry(": 1", call_id="x", index=0), entry("}", call_id="y", index=0)],
            [("t1", "f", {"a": 1})],
            id="a new id in every piece",
        ),
        pytest.param(
            [entry('{"a"', "f", "t1", 0), entry(": 1}", "f", "t1", 0)],
            [("t1", "f", {"a": 1})],
            id="id and name repeated",
        ),
        pytest.param(
            [entry('{"a"', "f", "t1", 0), entry(": 1}", "", "", 0)],
            [("t1", "f", {"a": 1})],
            id="empty id and name later",
        ),
        pytest.param(
            [entry("", call_id="t1", index=0), entry(None, "f", index=0), entry(A, index=0)],
            [("t1", "f", {"a": 1})],
            id="the name after the id",
        ),
        pytest.param([entry({"a": 1}, "f", "t1", 0)], [("t1", "f", {"a": 1})], id="an object instead of its text"),
        pytest.param(
            [entry({"a": 1}, "f"), entry({"a": 1}, "f")], [("", "f", {"a": 1})] * 2, id="objects, nothing but names"
        ),
        pytest.param([entry(None, "f", "t1", 0), entry(" ", index=0)], [("t1", "f", {})], id="no arguments at all"),
        pytest.param(
            [entry(None, "f", "t1", 0), entry(None, "g", None, 0)], [("t1", "f", {}), ("", "g", {})], id="another name"
        ),
        pytest.param([entry(A, index=3)], [("", "", {"a": 1})], id="no name"),
    ],
)
def test_calls_are_told_apart(entries: list[dict[str, Any]], expected: list[tuple[str, str, Any]]) -> None:
    assert calls(*entries) == expected


def test_several_calls_in_one_chunk() -> None:
    found = blocks(mapped([called(entry(A, "f"), entry(B, "g"), entry(A, "g")), chunk({}, "stop")]))
    assert found == [ToolCall("", "f", {"a": 1}), ToolCall("", "g", {"b": 2}), ToolCall("", "g", {"a": 1})]


@each_row("arguments", [[1], 7, '["a"]', '{"a": 1}{"b": 2}', '{"a": 1, "a": 2}'])
def test_safe_r3_arguments_that_are_no_one_object_are_a_problem(arguments: Any) -> None:
    (found,) = blocks(mapped([called(entry(arguments, "f", "t1", 0)), chunk({}, "stop")]))
    assert isinstance(found, ToolCall)
    assert found.problem is not None
