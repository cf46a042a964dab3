"""Which lines of a text stay when it becomes another one, in time that does not explode."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

# Gaps up to this many pairs of lines are compared in full; beyond, only lines that occur once are anchors.
COMPARED_PAIRS = 20_000
COMPARED_PAIRS_IN_ALL = 100_000
# Looking for anchors again in each gap could go on for long in texts made for it.
LOOKS_PER_LINE = 20

Lines: TypeAlias = Sequence[Hashable]
Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Gap:
    old_start: int
    old_end: int
    new_start: int
    new_end: int

    @property
    def olds(self) -> int:
        return self.old_end - self.old_start

    @property
    def news(self) -> int:
        return self.new_end - self.new_start


def matching_lines(old: Lines, new: Lines) -> list[Pair]:
    """Positions of equal lines, rising in both texts: what is left out was removed or added."""
    pairs: list[Pair] = []
    gaps = [_Gap(0, len(old), 0, len(new))]
    compared, looks = COMPARED_PAIRS_IN_ALL, LOOKS_PER_LINE * (len(old) + len(new))
    while gaps:
        gap = _without_ends(old, new, gaps.pop(), pairs)
        product = gap.olds * gap.news
        # Where a single line is left on either side, it is another one.
        if product <= 1:
            continue
        if product <= min(COMPARED_PAIRS, compared):
            compared -= product
            pairs += _longest(old, new, gap)
        elif looks > 0:
            looks -= gap.olds + gap.news
            anchors = _anchors(old, new, gap)
            pairs += anchors
            gaps += _gaps_between(gap, anchors)
    return sorted(pairs)


def _without_ends(old: Lines, new: Lines, gap: _Gap, pairs: list[Pair]) -> _Gap:
    """The gap without the equal lines at its beginning and its end, which are pairs."""
    start, end = 0, 0
    shorter = min(gap.olds, gap.news)
    while start < shorter and old[gap.old_start + start] == new[gap.new_start + start]:
        pairs.append((gap.old_start + start, gap.new_start + start))
        start += 1
    while end < shorter - start and old[gap.old_end - 1 - end] == new[gap.new_end - 1 - end]:
        end += 1
        pairs.append((gap.old_end - end, gap.new_end - end))
    return _Gap(gap.old_start + start, gap.old_end - end, gap.new_start + start, gap.new_end - end)


def _longest(old: Lines, new: Lines, gap: _Gap) -> list[Pair]:
    """The longest common sequence, by the table of its lengths from the end."""
    width = gap.news
    table = [[0] * (width + 1)]
    for i in range(gap.old_end - 1, gap.old_start - 1, -1):
        below, row, line = table[-1], [0] * (width + 1), old[i]
        for j in range(width - 1, -1, -1):
            row[j] = below[j + 1] + 1 if line == new[gap.new_start + j] else max(below[j], row[j + 1])
        table.append(row)
    table.reverse()
    pairs: list[Pair] = []
    i = j = 0
    while i < gap.olds and j < width:
        if old[gap.old_start + i] == new[gap.new_start + j]:
            pairs.append((gap.old_start + i, gap.new_start + j))
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _anchors(old: Lines, new: Lines, gap: _Gap) -> list[Pair]:
    """Lines that occur once on either side, as many of them as are in the same order."""
    counts = Counter(old[gap.old_start : gap.old_end])
    places = {old[i]: i for i in range(gap.old_start, gap.old_end)}
    new_counts = Counter(new[gap.new_start : gap.new_end])
    unique = [
        (places[new[j]], j)
        for j in range(gap.new_start, gap.new_end)
        if new_counts[new[j]] == 1 and counts.get(new[j]) == 1
    ]
    return _rising(unique)


def _rising(pairs: list[Pair]) -> list[Pair]:
    """The longest choice of pairs that rises on the old side, too."""
    ends: list[int] = []
    lasts: list[int] = []
    before: list[int] = []
    for index, (place, _) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(lasts[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        lasts[length : length + 1] = [index]
    chosen: list[Pair] = []
    index = lasts[-1] if lasts else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = before[index]
    return chosen[::-1]


def _gaps_between(gap: _Gap, anchors: list[Pair]) -> list[_Gap]:
    if not anchors:
        return []
    borders = [(gap.old_start - 1, gap.new_start - 1), *anchors, (gap.old_end, gap.new_end)]
    return [_Gap(i + 1, next_i, j + 1, next_j) for (i, j), (next_i, next_j) in pairwise(borders)]
