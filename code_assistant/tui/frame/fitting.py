"""Making the parts of a line fit its width: the least important one gives way first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rich.cells import cell_len

from code_assistant.tui.frame.spans import Span, cells
from code_assistant.tui.rendering.wrapping import cut_to_cells

MARGIN = 1
GAP = 2
SEPARATOR = " · "


@dataclass(frozen=True, slots=True)
class Part:
    """`main` can be cut, `after` stands behind it uncut; `short` may be shown in place of both.

    `joint` stands between the part and the next one on its side.
    """

    name: str
    main: Span
    after: tuple[Span, ...] = ()
    short: tuple[Span, ...] | None = None
    is_right: bool = False
    joint: str = SEPARATOR

    @property
    def spans(self) -> tuple[Span, ...]:
        return (self.main, *self.after)


class Cut(NamedTuple):
    """The part may be cut down to so many cells, but no further than it takes; 0 leaves it out."""

    name: str
    least: int = 0


class Shorten(NamedTuple):
    name: str


def fitted(parts: Sequence[Part], steps: Sequence[Cut | Shorten], width: int) -> list[Span]:
    """The line: what is left on the left, what is right on the right, after as many steps as it takes."""
    rest = list(parts)
    for step in steps:
        excess = _needed(rest) - width
        if excess <= 0:
            break
        rest = [changed for part in rest if (changed := _step(part, step, excess)) is not None]
    return _line(rest, width)


def _step(part: Part, step: Cut | Shorten, excess: int) -> Part | None:
    if part.name != step.name:
        return part
    if isinstance(step, Shorten):
        if part.short is None:
            return part
        return replace(part, main=part.short[0], after=part.short[1:], short=None)
    if not step.least:
        return None
    room = max(step.least, cell_len(part.main.text) - excess)
    return replace(part, main=part.main._replace(text=cut_to_cells(part.main.text, room)))


def _needed(parts: Sequence[Part]) -> int:
    left, right = _sides(parts)
    gap = GAP if left and right else 0
    return 2 * MARGIN + cells(left) + gap + cells(right)


def _line(parts: Sequence[Part], width: int) -> list[Span]:
    left, right = _sides(parts)
    free = width - 2 * MARGIN - cells(left) - cells(right)
    margin = Span(" " * MARGIN)
    return [margin, *left, Span(" " * max(free, 0)), *right, margin]


def _sides(parts: Sequence[Part]) -> tuple[list[Span], list[Span]]:
    return _joined([part for part in parts if not part.is_right]), _joined([part for part in parts if part.is_right])


def _joined(parts: Sequence[Part]) -> list[Span]:
    spans: list[Span] = []
    for number, part in enumerate(parts):
        if number:
            spans.append(Span(parts[number - 1].joint, "muted"))
        spans += part.spans
    return spans
