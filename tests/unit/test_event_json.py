"""Events as JSON: every one comes back as it was, through real bytes, and what is no event is refused in words."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant import events
from code_assistant.errors import AssistantError
from code_assistant.event_json import EventFormatError, event_from, event_object
from code_assistant.events import (
    MAIN,
    AgentStatusChanged,
    BlockAdded,
    Event,
    GuidanceAdded,
    Origin,
    PermissionRequested,
    PermissionResolved,
    PromptStarted,
    ResponseAdded,
    ToolResultsAdded,
    ToolStarted,
    UsageAdded,
)
from code_assistant.json_forms import TwoFilters
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
from tests.rows import each_row
from tests.unit.json_values import JSON_VALUES, values

EVENTS: tuple[type[Any], ...] = get_args(Event)
MAIN_OBJECT = {"agent_id": "main", "name": "main", "depth": 1}


def through_bytes(event: Event) -> Event:
    return event_from(json.loads(json.dumps(event_object(event)).encode("utf-8")))


def test_the_union_has_every_event() -> None:
    with_an_origin = {
        each
        for each in vars(events).values()
        if is_dataclass(each) and "origin" in {field.name for field in fields(each)}
    }
    assert set(EVENTS) == with_an_origin


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_every_event_comes_back_as_it_was(kind: type[Any]) -> None:
    @settings(deadline=None)
    @given(values(kind))
    def round_trip(event: Event) -> None:
        assert through_bytes(event) == event
        assert event_object(event)["type"] == kind.__name__

    round_trip()


@each_row("kind", get_args(Block), ids=lambda kind: kind.__name__)
def test_every_block_comes_back_as_it_was(kind: type[Any]) -> None:
    @settings(deadline=None)
    @given(values(kind))
    def round_trip(block: Block) -> None:
        assert through_bytes(BlockAdded(MAIN, block)) == BlockAdded(MAIN, block)

    round_trip()


def test_a_whole_response() -> None:
    blocks = (
        Thinking("hm", "signature"),
        RedactedThinking("data"),
        Text("lone \ud83d and 😀"),
        Image("image/png", "AAAA"),
        ToolCall("id", "name", {"type": "Text", "deep": [{"a": None}]}, "problem"),
        ToolResult("id", (Text("a"), Image("image/png", "AAAA")), is_error=True),
        Opaque({"type": "server_thing", "data": [1, 2.5]}),
    )
    response = Response("id", "model", Message("assistant", blocks), "end_turn", Usage(1, 2, 3, 4), "explained")
    assert through_bytes(ResponseAdded(MAIN, response)) == ResponseAdded(MAIN, response)


def test_the_form_of_a_small_event() -> None:
    assert event_object(AgentStatusChanged(MAIN, "running")) == {
        "type": "AgentStatusChanged",
        "origin": {**MAIN_OBJECT, "parent_id": None, "tool_call_id": None, "colour": None},
        "status": "running",
    }


def test_two_halves_of_a_character_come_back_as_that_character() -> None:
    assert through_bytes(GuidanceAdded(MAIN, "\ud83d" + "\ude00")) == GuidanceAdded(MAIN, "😀")


def test_an_input_of_any_mapping_is_copied_to_its_depth() -> None:
    paths = ["a"]
    event = ToolStarted(MAIN, "id", "name", MappingProxyType({"paths": paths, "more": MappingProxyType({})}), "title")
    written = event_object(event)
    assert written["input"] == {"paths": ["a"], "more": {}}
    paths.append("b")
    assert written["input"]["paths"] == ["a"]


def test_an_input_may_be_nested_deeper_than_calls_can_be() -> None:
    nested: dict[str, Any] = {}
    for _ in range(5_000):
        nested = {"in": nested}
    written = event_object(ToolStarted(MAIN, "id", "name", nested, "title"))["input"]
    depth = 0
    while written:
        written, depth = written["in"], depth + 1
    assert depth == 5_000


def test_the_filter_sees_every_text_and_no_fixed_word() -> None:
    call = ToolCall("id", "name", {"key": ["value", {"inner": 1}]})
    result = ToolResult("id", (Text("text"),))
    added = event_object(ToolResultsAdded(MAIN, Message("user", (call, result))), str.upper)
    assert added["type"] == "ToolResultsAdded"
    assert added["origin"]["name"] == "MAIN"
    assert added["message"] == {
        "role": "user",
        "content": [
            {
                "type": "ToolCall",
                "id": "ID",
                "name": "NAME",
                "input": {"KEY": ["VALUE", {"INNER": 1}]},
                "problem": None,
            },
            {
                "type": "ToolResult",
                "tool_call_id": "ID",
                "content": [{"type": "Text", "text": "TEXT"}],
                "is_error": False,
            },
        ],
    }


@pytest.mark.parametrize(
    "block",
    [Thinking("", "signature"), RedactedThinking("data"), Opaque({"data": ["x", {"y": "z"}]})],
    ids=lambda block: type(block).__name__,
)
def test_safe_k3_what_a_provider_takes_back_passes_no_filter(block: Block) -> None:
    written = event_object(BlockAdded(Origin("a1", "A", 2, "p1", "c1"), block), TwoFilters(str.upper, exact=str))
    assert event_from(written) == BlockAdded(Origin("a1", "A".upper(), 2, "p1", "c1"), block)


def test_safe_k3_images_and_ids_pass_no_filter() -> None:
    image = Image("IMAGE/PNG", "iVBORw0KGgo=")
    event = PromptStarted(MAIN, "prompt_1", Message("user", (image,)))
    written = event_object(event, TwoFilters(str.upper, exact=str))
    assert written["prompt_id"] == "prompt_1"
    assert written["message"]["content"][0]["data"] == "iVBORw0KGgo="


def test_what_a_newer_version_adds_is_ignored() -> None:
    read = event_from({"type": "GuidanceAdded", "origin": {**MAIN_OBJECT, "shape": 1}, "text": "a", "new": [None]})
    assert read == GuidanceAdded(MAIN, "a")


def test_what_is_left_out_takes_its_default() -> None:
    fixed = {"origin": MAIN_OBJECT, "request_id": "1", "tool_call_id": "2", "resolution": "once"}
    assert event_from({"type": "PermissionResolved", **fixed}) == PermissionResolved(MAIN, "1", "2", "once")


def test_a_whole_number_is_a_number() -> None:
    usage: dict[str, Any] = {"type": "UsageAdded", "origin": MAIN_OBJECT, "model": "m", "usage": {}, "cost": 1}
    assert event_from(usage) == UsageAdded(MAIN, "m", Usage(), 1.0)


GUIDANCE = {"type": "GuidanceAdded", "origin": MAIN_OBJECT, "text": "a"}


@each_row(
    ("source", "words"),
    [
        (None, "event must be an object, not null"),
        ([GUIDANCE], "event must be an object, not a list"),
        ({}, "event.type must be a text, not null"),
        ({**GUIDANCE, "type": ["GuidanceAdded"]}, "event.type must be a text, not a list"),
        ({**GUIDANCE, "type": "Origin"}, "event has the unknown type 'Origin'"),
        ({"type": "GuidanceAdded", "origin": MAIN_OBJECT}, "GuidanceAdded.text is missing"),
        ({**GUIDANCE, "text": 3}, "GuidanceAdded.text must be a text, not a whole number"),
        ({**GUIDANCE, "text": None}, "GuidanceAdded.text must be a text, not null"),
        ({**GUIDANCE, "origin": "main"}, "GuidanceAdded.origin must be an object, not 'main'"),
        (
            {**GUIDANCE, "origin": {**MAIN_OBJECT, "depth": True}},
            "origin.depth must be a whole number, not true or false",
        ),
        ({**GUIDANCE, "origin": {**MAIN_OBJECT, "depth": 1.0}}, "origin.depth must be a whole number, not a number"),
        (
            {"type": "AgentStatusChanged", "origin": MAIN_OBJECT, "status": "asleep"},
            "one of 'queued', .*, not 'asleep'",
        ),
        ({"type": "AgentStatusChanged", "origin": MAIN_OBJECT, "status": {}}, "one of 'queued', .*, not an object"),
        ({"type": "BlockAdded", "origin": MAIN_OBJECT, "block": {"text": "a"}}, "block.type must be a text, not null"),
        (
            {"type": "BlockAdded", "origin": MAIN_OBJECT, "block": {"type": "Usage"}},
            "block has the unknown type 'Usage'",
        ),
        (
            {"type": "BlockAdded", "origin": MAIN_OBJECT, "block": {"type": "Opaque", "data": []}},
            "BlockAdded.block.data must be an object, not a list",
        ),
        (
            {"type": "ReferenceRetry", "origin": MAIN_OBJECT, "attempt": 1, "problems": ["a", 2]},
            r"ReferenceRetry.problems\[1\] must be a text, not a whole number",
        ),
        (
            {"type": "ReferenceRetry", "origin": MAIN_OBJECT, "attempt": 1, "problems": "a"},
            "ReferenceRetry.problems must be a list, not 'a'",
        ),
    ],
)
def test_what_is_no_event_is_refused_in_words(source: object, words: str) -> None:
    with pytest.raises(EventFormatError, match=words) as raised:
        event_from(source)
    assert isinstance(raised.value, AssistantError)


@settings(deadline=None)
@given(values(Event), st.data(), JSON_VALUES)
def test_a_spoilt_event_is_an_event_or_the_typed_error(event: Event, data: st.DataObject, spoilt: Any) -> None:
    source: Any = event_object(event)
    place = source
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[key], dict | list) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    if isinstance(place, dict) and data.draw(st.booleans()):
        del place[key]
    else:
        place[key] = spoilt
    with suppress(EventFormatError):
        assert isinstance(event_from(source), EVENTS)


def test_a_permission_prompt_of_an_older_session_can_be_read() -> None:
    asked = PermissionRequested(MAIN, "p1", "t1", "execute_command", "run a command", "make", "text", "Bash(make)")
    stored = event_object(replace(asked, more_rules=("Bash(npm)",), reason="it is new"))
    assert event_from(stored) == replace(asked, more_rules=("Bash(npm)",), reason="it is new")
    older = {name: value for name, value in stored.items() if name not in ("more_rules", "reason")}
    assert event_from(older) == asked
