"""Where in a file what stands: the same as going through all of its lines, also after any rewinding."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.events import (
    MAIN,
    Event,
    GuidanceAdded,
    Notice,
    PromptFinished,
    PromptStarted,
    RequestStarted,
    Rewound,
    ToolStarted,
)
from code_assistant.messages import Message, Text
from code_assistant.session.header import FORMAT, SessionHeader, header_line
from code_assistant.session.lines import event_line
from code_assistant.session.reader import SessionFileReader
from code_assistant.session.segments import before_prompt, find_call_ids, find_prompts, find_segments, prompts_of

# Texts that look like lines of the format are only texts.
NASTY = '\n{"type":"PromptStarted","at":1.0,"prompt_id":"p0"'
STEPS = st.lists(
    st.one_of(
        st.just("prompt"),
        st.just("request"),
        st.just("line"),
        st.tuples(st.just("rewind"), st.integers(0, 12)),
    ),
    max_size=25,
)


def events_of(steps: list[str | tuple[str, int]]) -> list[Event]:
    events: list[Event] = []
    prompts = 0
    for step in steps:
        match step:
            case "prompt":
                events.append(PromptStarted(MAIN, f"p{prompts}", Message("user", (Text(NASTY),))))
                prompts += 1
            case "request":
                events.append(RequestStarted(MAIN, 1, "m"))
            case ("rewind", int(number)):
                events.append(Rewound(MAIN, f"p{number}"))
            case _:
                events.append(Notice(MAIN, "info", NASTY))
    return events


def naive(events: list[Event]) -> list[Event]:
    """What counts, by going through all of it: a rewinding itself stays, as the line behind which it goes on."""
    live: list[Event] = []
    for event in events:
        if isinstance(event, Rewound):
            starts = [at for at, each in enumerate(live) if isinstance(each, PromptStarted)]
            for at in starts:
                if getattr(live[at], "prompt_id", None) == event.prompt_id:
                    live = live[:at]
                    break
        live.append(event)
    return live


def write(path: Path, events: list[Event]) -> int:
    header = header_line(SessionHeader(FORMAT, "id", 1.0, "/", "1"))
    path.write_bytes(header + b"".join(event_line(event, 1.25, MAIN, str) for event in events))
    return len(header)


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_segments_with_any_rewinding_are_what_counts(steps: list[str | tuple[str, int]]) -> None:
    events = events_of(steps)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        segments = find_segments(path, write(path, events))
        reader = SessionFileReader(path)
        found = [entry.event for each in segments for entry in reader.entries(each.start, each.end)]
    expected = naive(events)
    assert found == expected
    prompts = [event.prompt_id for event in expected if isinstance(event, PromptStarted)]
    assert prompts_of(segments) == prompts
    for prompt_id in prompts:
        kept = before_prompt(segments, prompt_id)
        assert prompts_of(kept) == prompts[: prompts.index(prompt_id)]
    # The id of a segment is that of the prompt it belongs to.
    current = ""
    for each in segments:
        current = each.prompt_id if each.is_prompt else current
        assert each.prompt_id == current


def test_each_request_begins_a_segment_and_the_end_is_taken_in(tmp_path: Path) -> None:
    asked = PromptStarted(MAIN, "p", Message("user", (Text("hi"),)))
    request, again = RequestStarted(MAIN, 1, "m"), RequestStarted(MAIN, 2, "m")
    ended = PromptFinished(MAIN, "p", "completed", "", 2, 1.0)
    events: list[Event] = [Notice(MAIN, "info", "early"), asked, request, GuidanceAdded(MAIN, "x"), again, ended]
    path = tmp_path / "session.jsonl"
    segments = find_segments(path, write(path, events))
    assert [(each.prompt_id, each.is_prompt) for each in segments] == [
        ("", False),
        ("p", True),
        ("p", False),
        ("p", False),
    ]
    assert segments[-1].end == path.stat().st_size


def test_a_file_without_a_body_has_none(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    assert find_segments(path, write(path, [])) == ()


def test_all_ids_of_tool_calls_are_found(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    calls = [ToolStarted(MAIN, f"call-{number}", "echo", {"a": '"tool_call_id":"no"'}, "t") for number in range(3)]
    write(path, [*calls, Rewound(MAIN, "p")])
    assert find_call_ids(path) == {"call-0", "call-1", "call-2"}


def steps_taken(path: Path, body: int) -> int:
    """How many lines of Python are run to find the segments of a file."""
    count = 0

    def traced(_frame: FrameType, kind: str, _argument: object) -> Any:
        nonlocal count
        count += kind == "line"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        find_segments(path, body)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("target", ["p{0}", "unheard", "p0"])
def test_many_rewindings_take_as_long_as_the_file_is(tmp_path: Path, target: str) -> None:
    taken: list[int] = []
    for count in (200, 400):
        path = tmp_path / f"{count}.jsonl"
        prompts = [PromptStarted(MAIN, f"p{number}", Message("user", (Text("go"),))) for number in range(count)]
        body = write(path, [*prompts, *(Rewound(MAIN, target.format(number)) for number in reversed(range(count)))])
        taken.append(steps_taken(path, body))
    assert taken[1] < 2.5 * taken[0]


@pytest.mark.parametrize(("bad", "read"), [(b"\xc3\xa9", "é"), (b"\xff", "\N{REPLACEMENT CHARACTER}")])
def test_bytes_that_are_no_ascii_are_read_as_well_as_they_can_be(tmp_path: Path, bad: bytes, read: str) -> None:
    path = tmp_path / "session.jsonl"
    asked = PromptStarted(MAIN, "pX", Message("user", (Text("go"),)))
    body = write(path, [asked, ToolStarted(MAIN, "cX", "echo", {}, "t"), Rewound(MAIN, "pX"), asked])
    path.write_bytes(path.read_bytes().replace(b'X"', bad + b'"'))
    assert prompts_of(find_segments(path, body)) == [f"p{read}"]
    assert find_prompts(path, body) == [f"p{read}"] * 2
    assert find_call_ids(path) == {f"c{read}"}
