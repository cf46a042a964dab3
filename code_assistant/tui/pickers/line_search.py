"""Choosing one of very many lines of text: those that have what was typed, as it was typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

from code_assistant.tui.frame.spans import plain
from code_assistant.tui.pickers.line_finder import LineFinder, places_of
from code_assistant.tui.pickers.picker import Picker, PickerRow
from code_assistant.tui.pickers.picker_list import ListedRow, PickerList

Made = TypeVar("Made")


class MadeRows(Sequence[Made], Generic[Made]):
    """Rows that are made of the numbers of lines, when they are looked at."""

    def __init__(self, numbers: Sequence[int], make: Callable[[int], Made]) -> None:
        self.numbers = numbers
        self._make = make

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> Made: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Made]: ...
    def __getitem__(self, index: int | slice) -> Made | Sequence[Made]:
        if isinstance(index, slice):
            return MadeRows(self.numbers[index], self._make)
        return self._make(self.numbers[index])


class LineList(PickerList):
    def longest_title(self, rows: Sequence[ListedRow]) -> int:
        """Of no interest: no details stand behind them."""
        return 0

    def first_rows(self, rows: Sequence[ListedRow], width: int) -> Sequence[int]:
        """Each has a row of its own, so none has to be made to know it."""
        return range(len(rows) + 1)


class LineSearch(Picker):
    """Gives the number of the line that was picked, as text. Looking is done aside: keys do not wait for it."""

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__(title, ())
        self._lines = lines
        self._finder = LineFinder(lines, self._show)
        self._is_picking = False
        self._numbers: Sequence[int] = range(len(lines))
        self._found = MadeRows(self._numbers, self._row)
        self._list = LineList(MadeRows(self._numbers, self._listed))

    def look_for(self, text: str) -> None:
        self._is_picking = False
        if text.strip():
            self._finder.look(text)
            return
        self._finder.stop()
        before = self._numbers[self._list.highlighted] if self._numbers else 0
        self._show("", range(len(self._lines)))
        self._list.highlight(before)

    def action_pick(self) -> None:
        """What is looked for is picked when it was found: what is shown may still be what was looked for before."""
        self._is_picking = self._finder.is_looking
        if not self._is_picking:
            super().action_pick()

    def on_unmount(self) -> None:
        self._finder.stop()

    def _show(self, query: str, numbers: Sequence[int]) -> None:
        if not self.is_attached:
            return
        self._numbers = numbers
        self._found = MadeRows(numbers, self._row)
        self._list.show(MadeRows(numbers, lambda number: self._listed(number, query)))
        if self._is_picking:
            self.action_pick()

    def _row(self, number: int) -> PickerRow:
        return PickerRow(str(number), self._lines[number])

    def _listed(self, number: int, query: str = "") -> ListedRow:
        title = plain(self._lines[number])
        return ListedRow(title, "", False, frozenset(places_of(query, title)))
