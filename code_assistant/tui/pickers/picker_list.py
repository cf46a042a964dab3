"""The rows of a picker: one widget that draws only what is in sight."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from code_assistant.tui.frame.spans import ROLE_CLASSES, Role, Span, list_css, strip_of
from code_assistant.tui.rendering.wrapping import cut_to_cells, wrapped

# The cursor, the mark of the current one, a blank after each; a blank at the end, or the scroll bar.
BEFORE_TITLE = 5
LEAST_DETAIL = 12
BEFORE_DETAIL_BELOW = 2


@dataclass(frozen=True, slots=True)
class ListedRow:
    """Texts that are safe to show, and the characters of the title that were matched.

    One that is whole takes as many rows of the screen as its texts need, the detail below the title.
    """

    title: str
    detail: str
    is_current: bool
    matched: frozenset[int] = frozenset()
    is_whole: bool = False

    def with_matched(self, positions: Sequence[int]) -> ListedRow:
        return replace(self, matched=frozenset(positions))


class Piece(NamedTuple):
    """What stands in one row of the screen: a part of the title, or of the detail below it."""

    start: int
    end: int
    is_detail: bool


class PickerList(ScrollView, can_focus=False):
    """Keeps the highlighted entry in sight. As high as all of them, also while fewer are shown."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES, "picker--highlight"}
    DEFAULT_CSS = list_css("PickerList", "picker--highlight")

    class Clicked(Message):
        def __init__(self, row: int) -> None:
            super().__init__()
            self.row = row

    def __init__(self, rows: Sequence[ListedRow]) -> None:
        super().__init__()
        self._all = rows
        self._rows = rows
        self._firsts: Sequence[int] = range(len(rows) + 1)
        self._measured_width = 0
        self._longest = self.longest_title(rows)
        self.highlighted = 0

    def show(self, rows: Sequence[ListedRow], all_rows: Sequence[ListedRow] | None = None) -> None:
        """Other rows; the first one is highlighted. It keeps its height unless there are others in all."""
        self._rows = rows
        if all_rows is not None:
            self._all = all_rows
            self.refresh(layout=True)
        self._longest = self.longest_title(rows)
        self.highlighted = 0
        self._measure()
        self.scroll_to(y=0, animate=False)
        self.refresh()

    def highlight(self, row: int) -> None:
        self.highlighted = row
        self._keep_in_sight()
        self.refresh()

    def page_from_highlighted(self, pages: int) -> int:
        """The entry that is so many pages away, the next one at least."""
        away = self._firsts[self.highlighted] + pages * self._page
        found = bisect_right(self._firsts, away) - 1
        return max(found, self.highlighted + 1) if pages > 0 else min(found, self.highlighted - 1)

    def scroll_in_highlighted(self, rows: int = 0, pages: int = 0) -> bool:
        """Whether there was more to see of an entry that is higher than the list: that comes into sight first."""
        top, height = self.scroll_offset.y, self.size.height
        first, after = self._extent()
        if after - first <= height or after <= top or first >= top + height:
            return False
        wanted = max(first, min(top + rows + pages * self._page, after - height))
        # One that is in sight with its end, or its beginning, is left in that direction.
        if (wanted - top) * (rows + pages) <= 0:
            return False
        self.scroll_to(y=wanted, animate=False)
        return True

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(self.first_rows(self._all, width)[-1], 1)

    def on_resize(self) -> None:
        self._measure()
        self._keep_in_sight()

    def on_click(self, event: Click) -> None:
        event.stop()
        row = event.y + self.scroll_offset.y
        if 0 <= row < self._firsts[-1]:
            self.post_message(self.Clicked(self._entry_at(row)))

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        row = y + self.scroll_offset.y
        if row < self._firsts[-1]:
            entry = self._entry_at(row)
            is_highlighted = entry == self.highlighted
            spans = self._spans(self._rows[entry], row - self._firsts[entry], width, is_highlighted)
            return strip_of(self, spans, width, self._highlight_style() if is_highlighted else None)
        nothing = [Span("   nothing matches", "muted")] if row == 0 else []
        return strip_of(self, nothing, width)

    def longest_title(self, rows: Sequence[ListedRow]) -> int:
        """Of those that have something beside them."""
        return max((cell_len(row.title) for row in rows if row.detail and not row.is_whole), default=0)

    def first_rows(self, rows: Sequence[ListedRow], width: int) -> Sequence[int]:
        """The row of the screen that each begins in, and the one after the last."""
        return [0, *accumulate(len(pieces_of(row, width)) if row.is_whole else 1 for row in rows)]

    def _spans(self, row: ListedRow, number: int, width: int, is_highlighted: bool) -> list[Span]:
        if row.is_whole:
            # It is drawn in a new size before it is told of that.
            return piece_spans(row, pieces_of(row, self._measured_width), number, is_highlighted)
        return row_spans(row, self._title_cells(width), width, is_highlighted)

    def _entry_at(self, row: int) -> int:
        return bisect_right(self._firsts, row) - 1

    def _extent(self) -> tuple[int, int]:
        """The first row of the highlighted entry, and the one after its last."""
        if self.highlighted >= len(self._rows):
            return 0, 0
        return self._firsts[self.highlighted], self._firsts[self.highlighted + 1]

    @property
    def _page(self) -> int:
        return max(self.size.height - 1, 1)

    def _measure(self) -> None:
        # With or without a scroll bar, so that rows are not broken elsewhere when it comes or goes.
        self._measured_width = self.outer_size.width
        self._firsts = self.first_rows(self._rows, self._measured_width)
        self.virtual_size = Size(self.scrollable_content_region.width, self._firsts[-1])

    def _keep_in_sight(self) -> None:
        """Of an entry that is higher than the list, the end that is nearer."""
        top, height = self.scroll_offset.y, self.size.height
        first, after = self._extent()
        if not height or (first <= top and after >= top + height):
            return
        if first < top:
            self.scroll_to(y=max(first, after - height), animate=False)
        elif after > top + height:
            self.scroll_to(y=min(first, after - height), animate=False)

    def _title_cells(self, width: int) -> int:
        """One width for all titles, so that the details stand below each other."""
        return min(self._longest, max(width // 2, width - BEFORE_TITLE - 40, 1))

    def _highlight_style(self) -> Style:
        style = self.get_component_rich_style("picker--highlight")
        # Reversed, colours of letters would become grounds of all kinds.
        return Style(color=style.color if style.reverse else None, bgcolor=style.bgcolor, reverse=style.reverse)


def row_spans(row: ListedRow, title_cells: int, width: int, is_highlighted: bool) -> list[Span]:
    """Marks beside colours: what is highlighted and what is current must be seen without any."""
    room = max(width - BEFORE_TITLE, 1)
    detail_room = room - title_cells - 2
    has_detail = bool(row.detail) and detail_room >= LEAST_DETAIL
    title = cut_to_cells(row.title, title_cells if has_detail else room)
    title_role: Role = "strong" if is_highlighted else "text"
    spans = [*_marks(row, is_highlighted), *_title_spans(title, row.matched, title_role)]
    if has_detail:
        gap = title_cells - cell_len(title) + 2
        detail: Role = "text" if is_highlighted else "muted"
        spans += [Span(" " * gap), Span(cut_to_cells(row.detail, detail_room), detail)]
    return spans


@lru_cache(256)
def pieces_of(row: ListedRow, width: int) -> tuple[Piece, ...]:
    room = max(width - BEFORE_TITLE, 1)
    title = [Piece(line.start, line.end, is_detail=False) for line in wrapped(row.title, room)]
    below = wrapped(row.detail, max(room - BEFORE_DETAIL_BELOW, 1)) if row.detail else []
    return (*title, *(Piece(line.start, line.end, is_detail=True) for line in below))


def piece_spans(row: ListedRow, pieces: Sequence[Piece], number: int, is_highlighted: bool) -> list[Span]:
    piece = pieces[number]
    marks = _marks(row, is_highlighted, is_first=number == 0)
    if piece.is_detail:
        detail: Role = "text" if is_highlighted else "muted"
        return [*marks, Span(" " * BEFORE_DETAIL_BELOW), Span(row.detail[piece.start : piece.end], detail)]
    matched = frozenset(place - piece.start for place in row.matched)
    title: Role = "strong" if is_highlighted else "text"
    return [*marks, *_title_spans(row.title[piece.start : piece.end], matched, title)]


def _marks(row: ListedRow, is_highlighted: bool, *, is_first: bool = True) -> list[Span]:
    """A highlighted entry is marked down to its last row: the first one may be out of sight."""
    cursor = "❯" if is_first else "│"
    return [
        Span(" "),
        Span(cursor if is_highlighted else " ", "accent"),
        Span("✓" if row.is_current and is_first else " ", "success"),
        Span(" "),
    ]


def _title_spans(title: str, matched: frozenset[int], role: Role) -> list[Span]:
    if not matched:
        return [Span(title, role)]
    spans: list[Span] = []
    start = 0
    for place in range(1, len(title) + 1):
        if place == len(title) or (place in matched) != (start in matched):
            spans.append(Span(title[start:place], "heading" if start in matched else role))
            start = place
    return spans
