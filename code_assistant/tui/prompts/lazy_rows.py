"""Rows that are drawn when they are looked at: a prompt may be about more of them than anybody scrolls through."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import overload

from code_assistant.tui.rendering.rows import Row


class LazyRows(Sequence[Row]):
    """The rows of items that are drawn one by one; only how many rows each of them has is known beforehand."""

    def __init__(self, heights: Iterable[int], draw: Callable[[int], Sequence[Row]]) -> None:
        self._ends = list(accumulate(heights))
        self._draw = draw
        # The rows of one item are asked for one after the other.
        self._last: tuple[int, Sequence[Row]] | None = None

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        places = range(len(self))[index]
        return self._row(places) if isinstance(places, int) else [self._row(place) for place in places]

    def _row(self, place: int) -> Row:
        item = bisect_right(self._ends, place)
        if self._last is None or self._last[0] != item:
            self._last = (item, self._draw(item))
        start = self._ends[item - 1] if item else 0
        return self._last[1][place - start]


def joined_rows(*parts: Sequence[Row]) -> Sequence[Row]:
    """All of them, one after the other; what is lazy stays so."""
    return LazyRows(map(len, parts), parts.__getitem__)
