"""Lines of a session's file: every event comes back, its kind is known without reading it, what is none is refused."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given, settings

from code_assistant.event_json import EventFormatError
from code_assistant.event_parts import Origin
from code_assistant.events import MAIN, Event, GuidanceAdded
from code_assistant.json_forms import value_object
from code_assistant.session.header import (
    FORMAT,
    AgentHeader,
    ForkPoint,
    LaterFormatError,
    SessionFormatError,
    SessionHeader,
    header_from,
    header_line,
)
from code_assistant.session.lines import entry_from, event_line, kind_of
from tests.unit.json_values import values

OWN: dict[str, Any] = value_object(Origin, MAIN)
CHILD = Origin("agent_1", "explore-1", 2, "main", "toolu_1", 3)
HEADER = SessionHeader(FORMAT, "id", 1.5, "/work", "1.0", "main", ForkPoint("other", "p1"))


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
def test_every_event_comes_back_from_its_line(kind: type[Any]) -> None:
    @settings(max_examples=20, deadline=None)
    @given(values(kind))
    def round_trip(event: Event) -> None:
        line = event_line(event, 1700000000.12345, MAIN, str)
        assert line.isascii()
        assert line.count(b"\n") == 1
        assert line.endswith(b"}\n")
        assert kind_of(line) == kind.__name__
        entry = entry_from(line, OWN)
        assert entry.event == event
        assert entry.at == 1700000000.123

    round_trip()


def test_what_the_file_says_already_is_left_out() -> None:
    own, other = GuidanceAdded(MAIN, "x"), GuidanceAdded(CHILD, "x")
    assert json.loads(event_line(own, 1, MAIN, str)) == {"type": "GuidanceAdded", "at": 1, "text": "x"}
    assert "origin" in json.loads(event_line(other, 1, MAIN, str))
    assert "origin" not in json.loads(event_line(other, 1, CHILD, str))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff",
        b"[]",
        b'"text"',
        b"{}",
        b'{"type":"GuidanceAdded","text":"x"}',
        b'{"type":"GuidanceAdded","at":"now","text":"x"}',
        b'{"type":"GuidanceAdded","at":true,"text":"x"}',
        b'{"type":"GuidanceAdded","at":1}',
        b'{"type":"Unheard","at":1}',
        b'{"at":' + b"[" * 100_000,
    ],
)
def test_what_is_no_event_is_refused_in_words(line: bytes) -> None:
    with pytest.raises(EventFormatError):
        entry_from(line, OWN)


def test_a_kind_is_only_found_where_it_must_stand() -> None:
    assert kind_of(b'{"at":1,"type":"Notice"}') == ""
    assert kind_of(b'{"type": "Notice"}') == ""


@pytest.mark.parametrize("header", [HEADER, AgentHeader(FORMAT, "id", 1.5, CHILD)])
def test_a_header_comes_back(header: SessionHeader | AgentHeader) -> None:
    line = header_line(header)
    assert line.startswith(b'{"type":"')
    assert header_from(line) == header


def test_a_header_may_say_more_than_is_known() -> None:
    source = json.loads(header_line(HEADER)) | {"mood": "good"}
    assert header_from(json.dumps(source).encode()) == HEADER


@pytest.mark.parametrize("line", [b"", b"x", b"[]", b"{}", b'{"type":"SessionHeader"}', b"[" * 100_000, b"\xff\n"])
def test_what_is_no_header_is_refused_in_words(line: bytes) -> None:
    with pytest.raises(SessionFormatError, match="no file of a session"):
        header_from(line)


def test_a_format_that_is_not_known_yet_says_what_to_do() -> None:
    later = header_line(HEADER).replace(b'"version":2', b'"version":3')
    with pytest.raises(LaterFormatError, match="Update code-assistant"):
        header_from(later)
    with pytest.raises(SessionFormatError, match="no format 0"):
        header_from(header_line(HEADER).replace(b'"version":2', b'"version":0'))
