"""Schemas in their strict form, and inputs brought back from it."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from code_assistant.llm.strict_schema import strict_schema, without_stand_ins
from tests.fakes.validate_chat import check_chat
from tests.rows import each_row


class Edge(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    weight: Annotated[int, Field(ge=1)] = 1


class Node(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str = Field(default="x", max_length=5, description="Its title.")
    type: Literal["a", "b"] | None = None
    properties: list[Edge] = []
    best: Edge = Field(default=Edge(name="e"), description="The best.")
    child: Node | None = None
    pair: Edge | list[Edge] = Edge(name="p")


class Graph(BaseModel):
    model_config = ConfigDict(extra="forbid")
    root: Node
    others: list[Node] = []


def complaint(parameters: Any) -> str | None:
    function = {"name": "f", "parameters": parameters, "strict": True}
    tool = {"type": "function", "function": function}
    return check_chat({"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [tool]})


def test_a_hard_schema_has_a_strict_form_and_stays_as_it_is() -> None:
    schema = Graph.model_json_schema()
    before = json.dumps(schema)
    strict = strict_schema(schema)
    assert complaint(schema) is not None
    assert complaint(strict) is None
    assert json.dumps(schema) == before


def test_fields_named_like_keywords_are_fields() -> None:
    schema = {"type": "object", "properties": {"properties": {"type": "string"}, "default": {"type": "integer"}}}
    strict = strict_schema(schema)
    assert strict is not None
    assert strict["required"] == ["properties", "default"]
    assert strict["properties"]["default"] == {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert complaint(strict) is None


def test_a_reference_stands_alone_and_words_stay_with_the_field() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A", "description": "An A."}, "b": {"$ref": "#/$defs/A"}},
        "required": ["a", "b"],
        "$defs": {"A": {"type": "object", "properties": {}, "title": "A"}},
    }
    strict = strict_schema(schema)
    assert strict is not None
    assert strict["properties"] == {
        "a": {"anyOf": [{"$ref": "#/$defs/A"}], "description": "An A."},
        "b": {"$ref": "#/$defs/A"},
    }
    assert strict["$defs"]["A"] == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def test_keywords_that_are_not_understood_are_dropped() -> None:
    field = {"type": "string", "minLength": 1, "format": "uri", "default": "x", "examples": ["y"], "pattern": "a"}
    strict = strict_schema({"type": "object", "properties": {"a": field}, "required": ["a"]})
    assert strict is not None
    assert strict["properties"]["a"] == {"type": "string", "pattern": "a"}


@each_row(
    "field",
    [
        {"type": "object"},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "array"},
        {"type": "array", "items": True},
        {"anyOf": [{"type": "object"}, {"type": "null"}]},
        {"allOf": [{"type": "string"}, {"pattern": "a"}]},
    ],
)
def test_what_cannot_be_said_strictly_has_no_strict_form(field: dict[str, Any]) -> None:
    assert strict_schema({"type": "object", "properties": {"a": field}}) is None


@given(
    st.builds(
        Node,
        title=st.text(max_size=5),
        type=st.sampled_from(["a", "b", None]),
        properties=st.lists(st.builds(Edge, name=st.text(max_size=3)), max_size=2),
        child=st.none() | st.builds(Node, title=st.text(max_size=3)),
        pair=st.lists(st.builds(Edge, name=st.just("x")), max_size=2),
    )
)
def test_left_out_or_null_is_the_same_to_the_tool(node: Node) -> None:
    """What the model leaves out it must give as null; the tool then gets what it would have got."""
    schema = Node.model_json_schema()
    told = _with_nulls(node.model_dump(exclude_defaults=True))
    assert Node.model_validate(without_stand_ins(told, schema)) == node


def _with_nulls(given: dict[str, Any]) -> dict[str, Any]:
    """The object as a model in strict mode would write it: every field, null where it has nothing to say."""
    filled = {name: given.get(name) for name in Node.model_fields}
    edges = {"name": None, "weight": None}
    filled["properties"] = [{**edges, **each} for each in given.get("properties", [])] or None
    if isinstance(given.get("pair"), list):
        filled["pair"] = [{**edges, **each} for each in given["pair"]]
    if given.get("child") is not None:
        filled["child"] = _with_nulls(given["child"])
    return filled


@each_row("value", [None, 7, "x", [None], {"unknown": None}, {"child": 7}, {"properties": [7, None]}])
def test_what_does_not_fit_the_schema_is_left_as_it_is(value: Any) -> None:
    assert without_stand_ins(value, Node.model_json_schema()) == value


def test_a_null_that_the_field_takes_stays() -> None:
    assert without_stand_ins({"type": None, "title": None}, Node.model_json_schema()) == {"type": None}
