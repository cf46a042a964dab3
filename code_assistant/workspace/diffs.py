"""Unified diffs from known places of change, so that the cost is that of the changes and one pass over the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from code_assistant.workspace.line_ends import LF, split_lines
from code_assistant.workspace.line_matching import matching_lines
from code_assistant.workspace.text_edits import Replacement
from code_assistant.workspace.threads import NOBODY_STOPS, StopFlag

CONTEXT_LINES = 3
Sign: TypeAlias = Literal[" ", "-", "+"]
DiffLine: TypeAlias = tuple[Sign, bytes]


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that changed with those around them; the numbers are those of the first line on either side."""

    old_first: int
    new_first: int
    lines: tuple[DiffLine, ...]
    added: int
    removed: int


@dataclass(slots=True)
class _Change:
    """Whole old lines between two positions of the body, and the new lines in their place."""

    start: int
    end: int
    old: list[bytes]
    new: list[bytes]


def hunks_of(body: bytes, replacements: Sequence[Replacement], flag: StopFlag = NOBODY_STOPS) -> list[Hunk]:
    """What replacing does to a body, as a unified diff tells it.

    The replacements are in order, do not overlap, and replace something, but for the one that fills an empty body.
    """
    hunks: list[Hunk] = []
    number, counted_to, shift = 1, 0, 0
    for group in _groups(body, _changes(body, replacements)):
        before = _lines_before(body, group[0].start)
        first = group[0].start - sum(map(len, before))
        number += body.count(LF, counted_to, first)
        counted_to = first
        flag.check()
        lines = _signed(" ", before)
        for change, following in zip(group, [*group[1:], None], strict=True):
            rest = _lines_after(body, change.end) if following is None else body[change.end : following.start]
            lines += _signed("-", change.old) + _signed("+", change.new) + _signed(" ", split_lines(rest))
        added, removed = sum(len(change.new) for change in group), sum(len(change.old) for change in group)
        hunks.append(Hunk(number, number + shift, tuple(lines), added, removed))
        shift += added - removed
    return hunks


def added_and_removed(hunks: Sequence[Hunk]) -> tuple[int, int]:
    return sum(hunk.added for hunk in hunks), sum(hunk.removed for hunk in hunks)


def hunk_heading(hunk: Hunk) -> str:
    olds, news = len(hunk.lines) - hunk.added, len(hunk.lines) - hunk.removed
    return f"@@ -{_range(hunk.old_first, olds)} +{_range(hunk.new_first, news)} @@"


def _signed(sign: Sign, lines: Sequence[bytes]) -> list[DiffLine]:
    return [(sign, line) for line in lines]


def _range(first: int, count: int) -> str:
    # A side without lines is named by the line before it.
    return f"{first if count else first - 1},{count}"


def _changes(body: bytes, replacements: Sequence[Replacement]) -> list[_Change]:
    """Those that touch are one, so that what is removed stands together, and what is added after it."""
    changes: list[_Change] = []
    for change in _smallest_changes(body, replacements):
        if changes and changes[-1].end == change.start:
            changes[-1].end = change.end
            changes[-1].old += change.old
            changes[-1].new += change.new
        else:
            changes.append(change)
    return changes


def _smallest_changes(body: bytes, replacements: Sequence[Replacement]) -> Iterator[_Change]:
    for start, end, new in _whole_lines(body, replacements):
        old_lines, new_lines = split_lines(body[start:end]), split_lines(new)
        pairs = [(-1, -1), *matching_lines(old_lines, new_lines), (len(old_lines), len(new_lines))]
        for (i, j), (next_i, next_j) in pairwise(pairs):
            old, added = old_lines[i + 1 : next_i], new_lines[j + 1 : next_j]
            start += len(old_lines[i]) if i >= 0 else 0
            end = start + sum(map(len, old))
            if old or added:
                yield _Change(start, end, old, added)
            start = end


def _whole_lines(body: bytes, replacements: Sequence[Replacement]) -> Iterator[tuple[int, int, bytes]]:
    """The replacements widened to whole lines; those that share a line become one."""
    start = end = position = 0
    parts: list[bytes] = []
    for replacement in replacements:
        if parts and replacement.start < end:
            parts += (body[position : replacement.start], replacement.new)
        else:
            if parts:
                yield start, end, b"".join((*parts, body[position:end]))
            start = body.rfind(LF, 0, replacement.start) + 1
            parts = [body[start : replacement.start], replacement.new]
        position = replacement.end
        # The end of the line is known already while replacements stay in it: long lines are searched once.
        if replacement.end >= end:
            end = _line_end(body, start, replacement)
    if parts:
        yield start, end, b"".join((*parts, body[position:end]))


def _line_end(body: bytes, start: int, replacement: Replacement) -> int:
    """Where the line ends that the new text leads into; at once, where it ends a line as the old text did."""
    ends_line = replacement.new.endswith(LF) or (not replacement.new and replacement.start == start)
    at_line_start = replacement.end == 0 or body.startswith(LF, replacement.end - 1)
    if ends_line and at_line_start:
        return replacement.end
    return body.find(LF, replacement.end) + 1 or len(body)


def _groups(body: bytes, changes: Sequence[_Change]) -> Iterator[list[_Change]]:
    """Changes so near that their context would meet."""
    group: list[_Change] = []
    for change in changes:
        if group and body.count(LF, group[-1].end, change.start) > 2 * CONTEXT_LINES:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _lines_before(body: bytes, position: int) -> list[bytes]:
    start = position
    for _ in range(CONTEXT_LINES):
        start = body.rfind(LF, 0, max(start - 1, 0)) + 1
    return split_lines(body[start:position])


def _lines_after(body: bytes, position: int) -> bytes:
    end = position
    for _ in range(CONTEXT_LINES):
        end = body.find(LF, end) + 1 or len(body)
    return body[position:end]
