"""Rows: what one line of the screen shows, and what of it a copy takes along."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from code_assistant.tui.rendering.wrapping import Line, cut_to_cells, wrapped

Span: TypeAlias = tuple[str, Style]


@dataclass(frozen=True, slots=True)
class Link:
    """Characters of a row that lead somewhere."""

    start: int
    end: int
    address: str


@dataclass(frozen=True, slots=True)
class Row:
    """`indent` characters at its start are decoration and not copied.

    `joint` is what stands between this row and the one before in the text that was wrapped; None for a new line.
    `target` is what a click on it unfolds, inside of a block that has several such things.
    """

    segments: tuple[Segment, ...]
    indent: int = 0
    joint: str | None = None
    links: tuple[Link, ...] = ()
    target: str = ""

    @property
    def text(self) -> str:
        return "".join(segment.text for segment in self.segments)

    @property
    def cells(self) -> int:
        return sum(segment.cell_length for segment in self.segments)

    def address_at(self, cell: int) -> str | None:
        """Where the link leads that is drawn there."""
        text = self.text
        for link in self.links:
            if cell_len(text[: link.start]) <= cell < cell_len(text[: link.end]):
                return link.address
        return None


@dataclass(frozen=True, slots=True)
class Prefix:
    """What stands before the rows of a paragraph: bullets, quote bars, indentation."""

    first: tuple[Span, ...] = ()
    others: tuple[Span, ...] = ()

    @property
    def cells(self) -> int:
        return max(_cells(self.first), _cells(self.others))

    def then(self, other: Prefix) -> Prefix:
        return Prefix((*self.first, *other.first), (*self.others, *other.others))

    @property
    def used(self) -> Prefix:
        """The prefix of what follows its first row."""
        return Prefix(self.others, self.others)


def _cells(spans: Iterable[Span]) -> int:
    return sum(cell_len(text) for text, _ in spans)


@dataclass(frozen=True, slots=True)
class LinkSpan:
    """A part of a styled text that is a link: positions count characters of the whole text."""

    start: int
    end: int
    address: str


def wrapped_rows(
    spans: Sequence[Span], width: int, prefix: Prefix | None = None, links: Sequence[LinkSpan] = ()
) -> list[Row]:
    """A styled text as rows of at most `width` cells."""
    prefix = prefix or Prefix()
    text = "".join(piece for piece, _ in spans)
    if "\t" in text:
        # One cell for one character: where a tab should be as wide as it was, it was widened before.
        spans, text = [(piece.replace("\t", " "), style) for piece, style in spans], text.replace("\t", " ")
    lines = wrapped(text, max(width - prefix.cells, 1))
    rows: list[Row] = []
    cursor = _SpanCursor(spans)
    link_cursor = _LinkCursor(links)
    for number, line in enumerate(lines):
        before = prefix.first if number == 0 else prefix.others
        segments = [Segment(piece, style) for piece, style in before]
        indent = sum(len(piece) for piece, _ in before)
        segments += cursor.take(line.start, line.end)
        rows.append(Row(tuple(segments), indent, line.joint, link_cursor.take(line, indent)))
    return rows


def one_row(spans: Sequence[Span], width: int, prefix: Prefix | None = None) -> Row:
    """A styled text on one row, cut with an ellipsis where it is too long."""
    before = prefix.first if prefix else ()
    room = max(width - _cells(before), 1)
    segments = [Segment(piece, style) for piece, style in before]
    for piece, style in spans:
        cells = cell_len(piece)
        if cells > room:
            segments.append(Segment(cut_to_cells(piece, room), style))
            break
        segments.append(Segment(piece, style))
        room -= cells
    return Row(tuple(segments), sum(len(piece) for piece, _ in before))


def blank_row() -> Row:
    return Row(())


def moved(links: Iterable[Link], by: int) -> tuple[Link, ...]:
    """The links of a row that so many characters are put before."""
    return tuple(Link(link.start + by, link.end + by, link.address) for link in links)


def letters(text: str) -> str:
    """A text without anything but letters and digits, to find it again however it is drawn."""
    return "".join(filter(str.isalnum, text))


class _LinkCursor:
    """Gives the links of consecutive lines, in one pass over them; they are in the order of the text."""

    def __init__(self, links: Sequence[LinkSpan]) -> None:
        self._links = links
        self._index = 0

    def take(self, line: Line, indent: int) -> tuple[Link, ...]:
        links = self._links
        while self._index < len(links) and links[self._index].end <= line.start:
            self._index += 1
        found: list[Link] = []
        for index in range(self._index, len(links)):
            link = links[index]
            if link.start >= line.end:
                break
            start, end = max(link.start, line.start), min(link.end, line.end)
            found.append(Link(start - line.start + indent, end - line.start + indent, link.address))
        return tuple(found)


class _SpanCursor:
    """Gives consecutive parts of a styled text, in one pass over it."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = spans
        self._index = 0
        self._start = 0

    def take(self, start: int, end: int) -> list[Segment]:
        segments: list[Segment] = []
        while self._index < len(self._spans):
            text, style = self._spans[self._index]
            stop = self._start + len(text)
            if stop <= start:
                self._index += 1
                self._start = stop
                continue
            if self._start >= end:
                break
            segments.append(Segment(text[max(start - self._start, 0) : end - self._start], style))
            if stop > end:
                break
            self._index += 1
            self._start = stop
        return segments
