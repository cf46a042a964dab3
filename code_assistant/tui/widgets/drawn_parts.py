"""Rows that were drawn and may be needed again: strips of the full width, the most recently seen kept."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from code_assistant.tui.rendering.blocks import GUTTER, Look
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Row

KEPT_ROWS = 4_000
MARK = "▌"


@dataclass(frozen=True, slots=True)
class DrawnPart:
    stamp: int
    rows: list[Row]
    strips: list[Strip]


class DrawnParts:
    """By position of block and part. What was used last stays longest."""

    def __init__(self) -> None:
        self._parts: OrderedDict[tuple[int, int], DrawnPart] = OrderedDict()
        self._rows = 0

    def find(self, block: int, part: int, stamp: int) -> DrawnPart | None:
        found = self._parts.get((block, part))
        if found is None or found.stamp != stamp:
            return None
        self._parts.move_to_end((block, part))
        return found

    def newest(self, block: int, part: int) -> DrawnPart | None:
        """As it was drawn last, whether that is still what it looks like or not."""
        return self._parts.get((block, part))

    def keep(self, block: int, part: int, drawn: DrawnPart) -> None:
        before = self._parts.pop((block, part), None)
        self._rows += len(drawn.rows) - (len(before.rows) if before is not None else 0)
        self._parts[block, part] = drawn
        while self._rows > KEPT_ROWS and len(self._parts) > 1:
            _, oldest = self._parts.popitem(last=False)
            self._rows -= len(oldest.rows)

    def move_down(self, count: int) -> None:
        """There are so many more blocks before all others."""
        self._parts = OrderedDict(((block + count, part), drawn) for (block, part), drawn in self._parts.items())

    def forget(self, block: int) -> None:
        for place in [place for place in self._parts if place[0] == block]:
            self._rows -= len(self._parts.pop(place).rows)

    def clear(self) -> None:
        self._parts.clear()
        self._rows = 0


def strip_of(row: Row, look: Look) -> Strip:
    """A row as wide as the screen: the gutter before it, its background behind it."""
    style = look.palette.text
    free = look.width - GUTTER - row.cells
    segments = [Segment(" " * GUTTER, style), *row.segments]
    if free > 0 and segments[-1].style == style:
        segments[-1] = Segment(segments[-1].text + " " * free, style)
    elif free > 0:
        segments.append(Segment(" " * free, style))
    return Strip(segments, max(look.width, look.width - free))


def with_mark(strip: Strip, palette: Palette) -> Strip:
    """The same row with the mark of the block that keys are for, in its gutter."""
    mark = Segment(MARK.ljust(GUTTER), palette.cursor)
    return Strip.join([Strip([mark], GUTTER), strip.crop(GUTTER)])


def selected_strip(strip: Strip, span: tuple[int, int], palette: Palette) -> Strip:
    """The same row with a span of its characters shown as selected."""
    text = strip.text
    start, end = span[0], span[1] if span[1] >= 0 else len(text.rstrip())
    first, last = cell_len(text[:start]), cell_len(text[:end])
    if last <= first:
        return strip
    before, inside, after = strip.divide([first, last, strip.cell_length])
    return Strip.join([before, Strip([Segment(inside.text, palette.selected)], inside.cell_length), after])
