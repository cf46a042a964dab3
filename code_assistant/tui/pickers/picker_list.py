"""The rows of a picker: one widget that draws only what is in sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from code_assistant.tui.frame.spans import ROLE_CLASSES, Role, Span, list_css, strip_of
from code_assistant.tui.rendering.wrapping import cut_to_cells

# The cursor, the mark of the current one, a blank after each; a blank at the end.
BEFORE_TITLE = 5
LEAST_DETAIL = 12


@dataclass(frozen=True, slots=True)
class ListedRow:
    """Texts that are safe to show, and the characters of the title that were matched."""

    title: str
    detail: str
    is_current: bool
    matched: frozenset[int] = frozenset()

    def with_matched(self, positions: Sequence[int]) -> ListedRow:
        return replace(self, matched=frozenset(positions))


class PickerList(ScrollView, can_focus=False):
    """Keeps the highlighted row in sight. As high as all of its rows, also while fewer are shown."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES, "picker--highlight"}
    DEFAULT_CSS = list_css("PickerList", "picker--highlight")

    class Clicked(Message):
        def __init__(self, row: int) -> None:
            super().__init__()
            self.row = row

    def __init__(self, rows: Sequence[ListedRow]) -> None:
        super().__init__()
        self._height = max(len(rows), 1)
        self._rows = rows
        self._longest = self.longest_title(rows)
        self.highlighted = 0

    def show(self, rows: Sequence[ListedRow], height: int | None = None) -> None:
        """Other rows; the first one is highlighted. It keeps its height unless another one is given."""
        self._rows = rows
        if height is not None and height != self._height:
            self._height = max(height, 1)
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

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._height

    def on_resize(self) -> None:
        self._measure()
        self._keep_in_sight()

    def on_click(self, event: Click) -> None:
        event.stop()
        row = event.y + self.scroll_offset.y
        if 0 <= row < len(self._rows):
            self.post_message(self.Clicked(row))

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        row = y + self.scroll_offset.y
        if row < len(self._rows):
            is_highlighted = row == self.highlighted
            spans = row_spans(self._rows[row], self._title_cells(width), width, is_highlighted)
            return strip_of(self, spans, width, self._highlight_style() if is_highlighted else None)
        nothing = [Span("   nothing matches", "muted")] if row == 0 else []
        return strip_of(self, nothing, width)

    def longest_title(self, rows: Sequence[ListedRow]) -> int:
        """Of those that have something beside them."""
        return max((cell_len(row.title) for row in rows if row.detail), default=0)

    def _measure(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._rows))

    def _keep_in_sight(self) -> None:
        top, height = self.scroll_offset.y, self.size.height
        if self.highlighted < top:
            self.scroll_to(y=self.highlighted, animate=False)
        elif height and self.highlighted >= top + height:
            self.scroll_to(y=self.highlighted - height + 1, animate=False)

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
    spans = [
        Span(" "),
        Span("❯" if is_highlighted else " ", "accent"),
        Span("✓" if row.is_current else " ", "success"),
        Span(" "),
        *_title_spans(title, row.matched, "strong" if is_highlighted else "text"),
    ]
    if has_detail:
        gap = title_cells - cell_len(title) + 2
        detail: Role = "text" if is_highlighted else "muted"
        spans += [Span(" " * gap), Span(cut_to_cells(row.detail, detail_room), detail)]
    return spans


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
