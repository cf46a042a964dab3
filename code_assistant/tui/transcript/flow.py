"""Where everything stands: the heights of blocks and their parts, some known, some estimated until they are seen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple


class Spot(NamedTuple):
    """A row: of which block, in which of its parts, and which row of that."""

    block: int
    part: int
    row: int


@dataclass(slots=True)
class _Heights:
    """Consecutive heights; `tops` are where each begins, with the end of the last one behind them."""

    values: list[int] = field(default_factory=list[int])
    tops: list[int] = field(default_factory=lambda: [0])

    @property
    def total(self) -> int:
        return self.tops[-1]

    def set(self, index: int, height: int) -> bool:
        """Whether that is a change. The cost is that of what comes behind, which is little near the end."""
        if index == len(self.values):
            self.values.append(height)
            self.tops.append(self.tops[-1] + height)
            return True
        if self.values[index] == height:
            return False
        self.values[index] = height
        top = self.tops[index]
        for position in range(index, len(self.values)):
            top += self.values[position]
            self.tops[position + 1] = top
        return True

    def set_all(self, heights: list[int]) -> None:
        self.values = heights
        self.tops = [0, *accumulate(heights)]

    def cut(self, count: int) -> None:
        del self.values[count:]
        del self.tops[count + 1 :]

    def at(self, row: int) -> int:
        return min(bisect_right(self.tops, row) - 1, len(self.values) - 1)


class Flow:
    """Rows from the first block to the last. Every block has at least one part, every part at least no row."""

    def __init__(self) -> None:
        self._blocks = _Heights()
        self._parts: list[_Heights] = []
        # Rises whenever something has another height than before, and so what is behind it another place.
        self.moves = 0

    @property
    def height(self) -> int:
        return self._blocks.total

    @property
    def count(self) -> int:
        return len(self._parts)

    def part_count(self, block: int) -> int:
        return len(self._parts[block].values)

    def add_block(self) -> None:
        self._parts.append(_Heights())
        self._blocks.set(len(self._parts) - 1, 0)

    def set_part(self, block: int, part: int, height: int) -> bool:
        """Whether anything moved because of it."""
        parts = self._parts[block]
        if not parts.set(part, height):
            return False
        self.moves += 1
        self._blocks.set(block, parts.total)
        return True

    def cut_parts(self, block: int, count: int) -> bool:
        parts = self._parts[block]
        if len(parts.values) <= count:
            return False
        parts.cut(count)
        self.moves += 1
        self._blocks.set(block, parts.total)
        return True

    def insert_first(self, heights: list[list[int]]) -> None:
        """New blocks before all others, with the heights of their parts."""
        self.moves += 1
        new: list[_Heights] = []
        for parts in heights:
            new.append(_Heights())
            new[-1].set_all(parts)
        self._parts[:0] = new
        self._blocks.set_all([parts.total for parts in self._parts])

    def measure_again(self, heights: Callable[[int], list[int]]) -> None:
        """Every part gets the height that is told for the parts of its block: once, in one pass."""
        self.moves += 1
        for block, parts in enumerate(self._parts):
            parts.set_all(heights(block))
        self._blocks.set_all([parts.total for parts in self._parts])

    def part_height(self, block: int, part: int) -> int:
        return self._parts[block].values[part]

    def block_height(self, block: int) -> int:
        return self._blocks.values[block]

    def top(self, block: int, part: int = 0) -> int:
        return self._blocks.tops[block] + self._parts[block].tops[part]

    def spot(self, row: int) -> Spot | None:
        """What is at a row; None beyond the end."""
        if not 0 <= row < self.height:
            return None
        block = self._blocks.at(row)
        parts = self._parts[block]
        inside = row - self._blocks.tops[block]
        part = parts.at(inside)
        return Spot(block, part, inside - parts.tops[part])

    def clear(self) -> None:
        self.moves += 1
        self._blocks = _Heights()
        self._parts = []
