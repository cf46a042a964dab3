"""A window on some lines of a file: with their numbers, those that are meant marked and in sight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from code_assistant.tui.frame.spans import Span
from code_assistant.tui.pickers.dialog import Dialog
from code_assistant.tui.pickers.text_view import MARGIN, TextRow, TextView
from code_assistant.tui.rendering.wrapping import wrapped

MARK = "▌"
# So many rows of what stands before them are in sight with the lines.
ROWS_BEFORE = 3


class LinesView(TextView):
    """`lines` are clean, `first` is the number of the first of them. Numbers and marks are not copied."""

    def __init__(self, lines: Sequence[str], first: int, marked: range) -> None:
        super().__init__(())
        self._lines = lines
        self._first = first
        self._marked = marked
        self._placed_at: int | None = None

    def on_resize(self) -> None:
        """As long as nobody has scrolled, what is meant stays in sight, however the lines are wrapped."""
        super().on_resize()
        if self._placed_at is None or round(self.scroll_y) == self._placed_at:
            self.scroll_to(y=max(self._row_of(self._marked.start) - ROWS_BEFORE, 0), animate=False, force=True)
            self._placed_at = round(self.scroll_y)

    def _lay_out(self, width: int) -> None:
        if width != self._width:
            self._width = width
            self._rows = [row for rows in self._all_rows(width) for row in rows]

    def _row_of(self, number: int) -> int:
        """Which row the line begins at."""
        before = number - self._first
        return sum(len(rows) for rows in self._all_rows(self._width)[:before])

    def _all_rows(self, width: int) -> list[list[TextRow]]:
        digits = len(str(self._first + len(self._lines)))
        return [
            line_rows(line, number, number in self._marked, digits, width)
            for number, line in enumerate(self._lines, self._first)
        ]


def line_rows(line: str, number: int, is_marked: bool, digits: int, width: int) -> list[TextRow]:
    """One line, wrapped beside its number. A mark beside the colour: what is meant must be seen without any."""
    before = digits + 3
    rows: list[TextRow] = []
    for each in wrapped(line, max(width - before - 2 * MARGIN, 1)):
        shown = f"{number:>{digits}}" if not rows else " " * digits
        spans = (
            Span(" " * MARGIN),
            Span(MARK if is_marked else " ", "accent"),
            Span(f"{shown}  ", "key" if is_marked else "muted"),
            Span(line[each.start : each.end], "strong" if is_marked else "text"),
        )
        rows.append(TextRow(spans, sum(len(span.text) for span in spans[:3]), each.joint))
    return rows


class LinesScreen(Dialog[None]):
    """Read-only."""

    AUTO_FOCUS = "LinesView"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "close", "Close")]
    DEFAULT_CSS = "LinesScreen > .dialog { max-width: 120; }"

    def __init__(self, title: str, lines: Sequence[str], first: int, marked: range) -> None:
        super().__init__(title, "esc close · ↑↓ scroll")
        self._view = LinesView(lines, first, marked)

    def make_body(self) -> Widget:
        return self._view


def lines_title(path: str, first: int, last: int, total: int | None) -> str:
    """`tax.py · line 4 of 12`; says where the file ends before the lines do."""
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    if total is None:
        return f"{path} · {lines}"
    if last > total:
        return f"{path} · {lines}, but it has only {total}"
    return f"{path} · {lines} of {total}"
