"""Choosing one of many: a list that is filtered by typing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key, Paste
from textual.widget import Widget

from code_assistant.sanitize import sanitize_line
from code_assistant.tui.frame.drawn import DrawnRows
from code_assistant.tui.frame.spans import Span, plain
from code_assistant.tui.pickers.dialog import Dialog
from code_assistant.tui.pickers.fuzzy import LONGEST_QUERY, Match, match
from code_assistant.tui.pickers.line_finder import places_of
from code_assistant.tui.pickers.picker_list import ListedRow, PickerList
from code_assistant.tui.pickers.typing import after_key
from code_assistant.tui.rendering.wrapping import cut_to_cells


@dataclass(frozen=True, slots=True)
class PickerRow:
    """`value` is what the picker gives back. The detail stands behind the title; both are cut where there is no room.

    One that is whole is never cut: it takes as many rows of the screen as it needs, the detail below the title.
    Who types one of `names` means this row before all others.
    """

    value: str
    title: str
    detail: str = ""
    is_current: bool = False
    names: tuple[str, ...] = ()
    is_whole: bool = False


class FilterLine(DrawnRows):
    """What was typed so far. The end is what one looks at, so the beginning is left out where it is too long."""

    def __init__(self, words: str = "type to filter") -> None:
        super().__init__(id="filter")
        self.query_text = ""
        self._words = words

    def spans_at(self, row: int, width: int) -> list[Span]:
        start = [Span(" "), Span("›", "accent"), Span(" ")]
        if not self.query_text:
            return [*start, Span(" ", "cursor"), Span(cut_to_cells(self._words, max(width - 6, 1)), "muted")]
        shown = self.query_text
        backwards = cut_to_cells(shown[::-1], max(width - 6, 1))
        shown = backwards[::-1] if len(backwards) < len(shown) else shown
        return [*start, Span(shown), Span(" ", "cursor")]


class Picker(Dialog[str | None]):
    """Gives the value of the row that was picked, None on Esc.

    `on_highlight` is called with the value of each row that the person moves to, not for the one it opens with.
    """

    EXTRA_ROWS = 1
    AUTO_FOCUS = ""
    DEFAULT_CSS = "Picker > .dialog { max-width: 76; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Cancel"),
        Binding("enter", "pick", "Pick"),
        Binding("up,ctrl+p", "move(-1)", "Up"),
        Binding("down,ctrl+n", "move(1)", "Down"),
        Binding("pageup", "page(-1)", "Page up"),
        Binding("pagedown", "page(1)", "Page down"),
        Binding("ctrl+home,home", "edge(-1)", "First"),
        Binding("ctrl+end,end", "edge(1)", "Last"),
    ]

    def __init__(
        self, title: str, rows: Sequence[PickerRow], *, on_highlight: Callable[[str], None] | None = None
    ) -> None:
        super().__init__(title, "enter pick · esc cancel · ↑↓ move")
        self._rows = [(row, _listed(row)) for row in rows]
        self._found: Sequence[PickerRow] = [row for row, _ in self._rows]
        self._on_highlight = on_highlight
        self._told: PickerRow | None = None
        self._filter = FilterLine()
        self._list = PickerList([listed for _, listed in self._rows])

    def set_rows(self, rows: Sequence[PickerRow]) -> None:
        """Other rows to choose from, while it is open; what was typed and where the person is stay."""
        before = self.highlighted
        self._rows = [(row, _listed(row)) for row in rows]
        found = self._matching(self._filter.query_text)
        self._found = [row for row, _ in found]
        self._list.show([listed for _, listed in found], [listed for _, listed in self._rows])
        same = next((at for at, row in enumerate(self._found) if before and row.value == before.value), 0)
        self._list.highlight(same)
        self._told = self.highlighted

    @property
    def highlighted(self) -> PickerRow | None:
        return self._found[self._list.highlighted] if self._found else None

    @property
    def found(self) -> Sequence[PickerRow]:
        """The rows that match what was typed, the best first."""
        return tuple(self._found)

    def make_body(self) -> Widget:
        return self._list

    def above_body(self) -> ComposeResult:
        yield self._filter

    def on_mount(self) -> None:
        current = next((number for number, (row, _) in enumerate(self._rows) if row.is_current), 0)
        self._list.highlight(current)
        self._told = self.highlighted

    # Moving and picking

    def action_move(self, rows: int) -> None:
        count = len(self._found)
        if count and not self._list.scroll_in_highlighted(rows=rows):
            self._go_to((self._list.highlighted + rows) % count)

    def action_page(self, pages: int) -> None:
        if self._found and not self._list.scroll_in_highlighted(pages=pages):
            self._go_to(self._list.page_from_highlighted(pages))

    def action_edge(self, direction: int) -> None:
        self._go_to(0 if direction < 0 else len(self._found) - 1)

    def action_pick(self) -> None:
        if (row := self.highlighted) is not None:
            self.dismiss(row.value)

    def on_picker_list_clicked(self, event: PickerList.Clicked) -> None:
        if event.row < len(self._found):
            self.dismiss(self._found[event.row].value)

    def _go_to(self, row: int) -> None:
        if not self._found:
            return
        self._list.highlight(max(0, min(row, len(self._found) - 1)))
        self._tell()

    def _tell(self) -> None:
        now = self.highlighted
        if now is None or now is self._told:
            return
        self._told = now
        if self._on_highlight is not None:
            self._on_highlight(now.value)

    # Filtering

    def on_key(self, event: Key) -> None:
        text = after_key(event, self._filter.query_text)
        if text is not None:
            self._set_query(text)

    def on_paste(self, event: Paste) -> None:
        event.stop()
        self._set_query(self._filter.query_text + plain(event.text))

    def _set_query(self, text: str) -> None:
        text = text[:LONGEST_QUERY]
        if text == self._filter.query_text:
            return
        self._filter.query_text = text
        self._filter.refresh()
        self.look_for(text)

    def look_for(self, text: str) -> None:
        """Show the rows that match what was typed."""
        before = self.highlighted
        found = self._matching(text)
        self._found = [row for row, _ in found]
        self._list.show([listed for _, listed in found])
        if not text.strip() and before in self._found:
            self._list.highlight(self._found.index(before))
        self._tell()

    def _matching(self, text: str) -> list[tuple[PickerRow, ListedRow]]:
        if not text.strip():
            return self._rows
        scored: list[tuple[float, PickerRow, ListedRow]] = []
        for row, listed in self._rows:
            if text.strip().casefold() in row.names:
                scored.append((float("inf"), row, listed))
            elif (found := (_as_typed if row.is_whole else match)(text, listed.title)) is not None:
                scored.append((found.score, row, listed.with_matched(found.positions)))
            elif _has_words(text, f"{listed.title} {listed.detail}"):
                # Found only with the help of the detail: after all that were found by their title.
                scored.append((float("-inf"), row, listed))
        scored.sort(key=lambda each: -each[0])
        return [(row, listed) for _, row, listed in scored]


def _listed(row: PickerRow) -> ListedRow:
    safe = sanitize_line if row.is_whole else plain
    return ListedRow(safe(row.title), safe(row.detail), row.is_current, is_whole=row.is_whole)


def _as_typed(query: str, title: str) -> Match | None:
    """In a text of any length, where the letters alone, in their order, would be found nearly always."""
    places = [places_of(word, title) for word in query.split()]
    return Match(0, tuple(place for each in places for place in each)) if all(places) else None


def _has_words(query: str, text: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in query.casefold().split())
