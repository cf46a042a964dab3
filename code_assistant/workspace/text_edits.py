"""Exact edits: where the old texts are in a file, and what comes in their place; all edits or none."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TypeAlias

from code_assistant.errors import ToolError
from code_assistant.workspace.file_text import FileText
from code_assistant.workspace.line_ends import (
    CR,
    CRLF,
    LF,
    LineEnds,
    end_after,
    end_before,
    line_ends,
    with_ends,
    with_ends_kept,
)
from code_assistant.workspace.near_misses import near_miss

COUNTED_MATCHES = 1000
# More than that is no edit that a person could look through.
MAXIMUM_REPLACEMENTS = 20_000
NAMED_LINES = 10

Span: TypeAlias = tuple[int, int]
Finder: TypeAlias = Callable[[bytes], Iterator[Span]]


@dataclass(frozen=True, slots=True)
class TextEdit:
    """`everywhere` replaces all occurrences; without it there must be exactly one."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Replacement:
    """Bytes of a body, and what stands there afterwards."""

    start: int
    end: int
    new: bytes


@dataclass(frozen=True, slots=True)
class _Search:
    """A text to look in, with what every edit needs to know of it."""

    text: FileText
    shown: str
    ends: LineEnds
    find: Finder


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to understand an edit: where its old text is then, and what its new text is.

    `is_literal` when carriage returns were named and found so: then the new text is meant literally, too.
    """

    spans: Iterator[Span]
    new: bytes
    is_literal: bool = False


def require_sensible(edits: Sequence[TextEdit]) -> None:
    """Refuse what is wrong whatever the file holds."""
    for number, edit in enumerate(edits, 1):
        label = _label(number, edits)
        if not edit.old:
            raise ToolError(f"{label}old_text is empty. Give the text to replace, or use write_file for a new file.")
        if edit.old == edit.new:
            raise ToolError(f"{label}old_text and new_text are the same, so there is nothing to change.")
        require_text(edit.old, f"{label}old_text")
        require_text(edit.new, f"{label}new_text")


def require_text(text: str, what: str) -> None:
    if "\0" in text:
        raise ToolError(f"{what} holds a NUL character, which no text file has.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(f"{what} holds half a character (U+{ord(text[error.start]):04X}). Write it whole.") from error


def replacements_for(text: FileText, edits: Sequence[TextEdit], shown: str) -> list[Replacement]:
    """What the edits replace, in the order of the file; raises ToolError when one of them cannot be done."""
    ends = line_ends(text.body)
    search = _Search(text, shown, ends, _finder(text.body, ends))
    found: list[tuple[Replacement, int]] = []
    for number, edit in enumerate(edits, 1):
        found += [(replacement, number) for replacement in _replacements(search, edit, _label(number, edits))]
    found.sort(key=lambda each: each[0].start)
    for (first, first_number), (second, second_number) in pairwise(found):
        if second.start < first.end:
            line = _line_of(text.body, second.start)
            raise ToolError(
                f"Edits {min(first_number, second_number)} and {max(first_number, second_number)} overlap at line "
                f"{line}. Join them into one. Nothing was changed."
            )
    return [replacement for replacement, _ in found]


def applied(body: bytes, replacements: Sequence[Replacement]) -> bytes:
    parts: list[bytes] = []
    position = 0
    for replacement in replacements:
        parts += (body[position : replacement.start], replacement.new)
        position = replacement.end
    return b"".join((*parts, body[position:]))


def _label(number: int, edits: Sequence[TextEdit]) -> str:
    return f"Edit {number}: " if len(edits) > 1 else ""


def _replacements(search: _Search, edit: TextEdit, label: str) -> list[Replacement]:
    """By the first way of understanding the edit that finds something."""
    text = search.text
    for way in _ways(search, edit, label):
        spans = _all_spans(way.spans, text.body, label) if edit.everywhere else _one_span(way.spans, text.body, label)
        if spans:
            return _fitted(search, way, spans)
    raise ToolError(
        f"{label}old_text was not found in {search.shown}. {near_miss(text, edit.old)} Nothing was changed."
    )


def _ways(search: _Search, edit: TextEdit, label: str) -> Iterator[_Way]:
    """To the letter, then with line ends of either kind."""
    try:
        old = search.text.encoded(edit.old, "old_text")
    except ToolError:
        # What the encoding cannot say is not in the file.
        return
    new = search.text.encoded(edit.new, f"{label}new_text")
    if CR in old:
        yield _Way(_occurrences(search.text.body, old), new, is_literal=True)
    yield _Way(search.find(old), new)
    if CRLF in old:
        yield _Way(search.find(old.replace(CRLF, LF)), new.replace(CRLF, LF))


def _fitted(search: _Search, way: _Way, spans: Sequence[Span]) -> list[Replacement]:
    """The new text in each place, with the line ends that belong there."""
    body, ends = search.text.body, search.ends
    if way.is_literal or not ends.is_mixed:
        new = way.new if way.is_literal else with_ends(way.new, ends.usual)
        return [Replacement(start, end, new) for start, end in spans]
    return [
        Replacement(
            start,
            end,
            with_ends_kept(body[start:end], way.new, end_before(body, start), end_after(body, end) or ends.usual),
        )
        for start, end in spans
    ]


def _one_span(spans: Iterator[Span], body: bytes, label: str) -> list[Span]:
    """Nothing, or the only one."""
    found = list(islice(spans, COUNTED_MATCHES + 1))
    if len(found) <= 1:
        return found
    times = f"{len(found)}" if len(found) <= COUNTED_MATCHES else f"more than {COUNTED_MATCHES}"
    lines = ", ".join(str(_line_of(body, start)) for start, _ in found[:NAMED_LINES])
    more = ", …" if len(found) > NAMED_LINES else ""
    raise ToolError(
        f"{label}old_text occurs {times} times (lines {lines}{more}). Add lines around it until it is unique, or set "
        "replace_all to replace every occurrence. Nothing was changed."
    )


def _all_spans(spans: Iterator[Span], body: bytes, label: str) -> list[Span]:
    found: list[Span] = []
    for start, end in spans:
        if found and start < found[-1][1]:
            raise ToolError(
                f"{label}The occurrences of old_text overlap each other at line {_line_of(body, start)}, so it is not "
                "clear what to replace. Give a longer old_text. Nothing was changed."
            )
        found.append((start, end))
        if len(found) > MAXIMUM_REPLACEMENTS:
            raise ToolError(
                f"{label}old_text occurs more than {MAXIMUM_REPLACEMENTS:,} times, too often for an edit. "
                "Use a command for that. Nothing was changed."
            )
    return found


def _line_of(body: bytes, position: int) -> int:
    return body.count(LF, 0, position) + 1


def _occurrences(body: bytes, needle: bytes) -> Iterator[Span]:
    """Every occurrence, also those that overlap."""
    position = body.find(needle)
    while position >= 0:
        yield position, position + len(needle)
        position = body.find(needle, position + 1)


def _finder(body: bytes, ends: LineEnds) -> Finder:
    """How to look for bytes whose newlines stand for line ends of either kind."""
    if not ends.is_mixed:
        return lambda needle: _occurrences(body, needle.replace(LF, ends.usual))
    plain = body.replace(CRLF, LF)
    # Where, in the plain text, a carriage return is missing.
    missing = [match.start() - number for number, match in enumerate(re.finditer(CRLF, body))]

    def find(needle: bytes) -> Iterator[Span]:
        for start, end in _occurrences(plain, needle):
            yield start + bisect_left(missing, start), end + bisect_left(missing, end)

    return find
