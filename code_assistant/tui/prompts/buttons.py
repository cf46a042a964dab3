"""Buttons drawn as text: where each of them stands, and how it looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment

from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.wrapping import cut_to_cells

GAP = 2


@dataclass(frozen=True, slots=True)
class Button:
    """`action` is what the panel does, `key` the one that does the same, shown while keys go to the panel."""

    action: str
    key: str
    label: str


@dataclass(frozen=True, slots=True)
class PlacedButton:
    button: Button
    index: int
    column: int
    cells: int

    def is_at(self, column: int) -> bool:
        return self.column <= column < self.column + self.cells


def place_buttons(buttons: Sequence[Button], width: int) -> list[list[PlacedButton]]:
    """Rows of buttons, as many on each as fit."""
    rows: list[list[PlacedButton]] = []
    column = width
    for index, button in enumerate(buttons):
        cells = min(cell_len(button.label) + 4, width)
        if not rows or column + cells > width:
            rows.append([])
            column = 0
        rows[-1].append(PlacedButton(button, index, column, cells))
        column += cells + GAP
    return rows


def button_segments(
    row: Sequence[PlacedButton],
    palette: Palette,
    *,
    keys: Mapping[str, str] | None,
    marked: int | None,
    hovered: int | None,
) -> list[Segment]:
    """Keys of one cell, by action, are shown if there are any; they take the place of a blank.

    A marked button has pointers for brackets, so that it is seen without colours, too.
    """
    segments: list[Segment] = []
    column = 0
    for placed in row:
        if placed.column > column:
            segments.append(Segment(" " * (placed.column - column), palette.text))
        is_marked = placed.index == marked
        style = palette.selected if is_marked else palette.cursor if placed.index == hovered else palette.text
        bracket, key_style = (palette.selected,) * 2 if is_marked else (palette.muted, palette.cursor)
        label = cut_to_cells(placed.button.label, max(placed.cells - 4, 1))
        opening, closing = ("❯", "❮") if is_marked else ("[", "]")
        segments += [
            Segment(opening, bracket),
            Segment(keys[placed.button.action] if keys else " ", key_style),
            Segment(f" {label}" if keys else label, style),
            Segment(closing if keys else f" {closing}", bracket),
        ]
        column = placed.column + placed.cells
    return segments
