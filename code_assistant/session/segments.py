"""Where in a session's file what stands: a part for each prompt and each request, without what was rewound.

A file is long, and of most of it only these places need to be known.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from code_assistant.session.regular_files import open_regular

# Written by `event_line`: the kind first, then the time, then the fields in their order.
_MARK = re.compile(
    rb'\n\{"type":"(PromptStarted|RequestStarted|Rewound)","at":[0-9.e+-]+'
    rb'(?:,"prompt_id":"([^"\\]*)"|,"turn":([0-9]+))?',
    re.ASCII,
)
_CALL = re.compile(rb'\n\{"type":"ToolStarted","at":[0-9.e+-]+,"tool_call_id":"([^"\\]*)"', re.ASCII)


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines from `start` to `end` that belong to one prompt; `is_prompt` where they begin with it.

    What comes before the first prompt, and behind a rewinding, has the id of the prompt before, if any.
    """

    start: int
    end: int
    prompt_id: str
    is_prompt: bool


def find_segments(path: Path, body: int) -> tuple[Segment, ...]:
    """All that counts, in order; `body` is where the first line behind the header begins."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= body:
            return ()
        with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as data:
            return tuple(_live(list(_marks(data, body)), body, size))


def find_prompts(path: Path, body: int) -> list[str]:
    """The ids of all prompts there ever were, in order, also of those that were rewound."""
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size <= body:
            return []
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return [mark.prompt_id for mark in _marks(data, body) if mark.kind == b"PromptStarted"]


def find_call_ids(path: Path) -> set[str]:
    """The ids of all tool calls that were begun, also of what was rewound."""
    with open_regular(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return {_text(found[1]) for found in _CALL.finditer(data)}


def prompts_of(segments: Sequence[Segment]) -> list[str]:
    return [segment.prompt_id for segment in segments if segment.is_prompt]


def joined(segments: Sequence[Segment]) -> Iterator[tuple[int, int]]:
    """From where to where to read for some segments: those that follow each other in the file are one part."""
    start = end = 0
    for segment in segments:
        if segment.start != end:
            if end:
                yield start, end
            start = segment.start
        end = segment.end
    if end:
        yield start, end


def before_prompt(segments: Sequence[Segment], prompt_id: str) -> tuple[Segment, ...]:
    """What comes before a prompt; all of it where there is no such prompt."""
    for index, segment in enumerate(segments):
        if segment.is_prompt and segment.prompt_id == prompt_id:
            return tuple(segments[:index])
    return tuple(segments)


class _Mark(NamedTuple):
    """A line that begins something; `turn` is that of a request."""

    start: int
    kind: bytes
    prompt_id: str
    turn: bytes


def _marks(data: mmap.mmap, body: int) -> Iterator[_Mark]:
    """One that is sent again is the same request: what is shown of it belongs together."""
    before = b""
    # The line end before the first line of the body is that of the header.
    for found in _MARK.finditer(data, body - 1):
        mark = _Mark(found.start() + 1, found[1], _text(found[2] or b""), found[3] or b"")
        if not mark.turn or mark.turn != before:
            yield mark
        before = mark.turn


def _text(data: bytes) -> str:
    """As the line itself would be read; a file that was not mended yet may have any bytes."""
    return data.decode("utf-8", errors="replace")


def _live(marks: list[_Mark], body: int, size: int) -> list[Segment]:
    live: list[Segment] = []
    starts = [body, *(mark.start for mark in marks), size]
    if starts[1] > body:
        live.append(Segment(body, starts[1], "", is_prompt=False))
    prompt = ""
    # Where each prompt that counts begins: nothing is gone through again, however often somebody rewound.
    places: dict[str, int] = {}
    for number, mark in enumerate(marks):
        end = starts[number + 2]
        if mark.kind == b"Rewound":
            _cut(live, places, mark.prompt_id)
            prompt = live[-1].prompt_id if live else ""
        elif mark.kind == b"PromptStarted":
            prompt = mark.prompt_id
            places.setdefault(prompt, len(live))
        live.append(Segment(mark.start, end, prompt, is_prompt=mark.kind == b"PromptStarted"))
    return live


def _cut(live: list[Segment], places: dict[str, int], prompt_id: str) -> None:
    """Leave what comes before a prompt, as `before_prompt` does."""
    place = places.get(prompt_id, len(live))
    while len(live) > place:
        gone = live.pop()
        if gone.is_prompt and places[gone.prompt_id] == len(live):
            del places[gone.prompt_id]
