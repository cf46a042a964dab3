"""Buttons drawn as text: where each of them stands, and how it looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment

from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.wrapping import cut_to_cells

GAP = 2
# Two brackets and a blank.
BESIDE_LABEL = 3


@dataclass(frozen=True, slots=True)
class Button:
    """`action` is what the panel does, `key` the one that does the same, shown while keys go to the panel."""

    action: str
    key: str
    label: str

    @property
    def cells(self) -> int:
        """The same with and without its key, so that nothing moves below the mouse."""
        return cell_len(self.label) + cell_len(self.key) + BESIDE_LABEL


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
        cells = min(button.cells, width)
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
    shows_keys: bool,
    marked: int | None,
    hovered: int | None,
) -> list[Segment]:
    """Keys take the place of blanks.

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
        key = placed.button.key
        label = cut_to_cells(placed.button.label, max(placed.cells - cell_len(key) - BESIDE_LABEL, 1))
        opening, closing = ("❯", "❮") if is_marked else ("[", "]")
        segments += [
            Segment(opening, bracket),
            Segment(key if shows_keys else " ", key_style),
            Segment(f" {label}" if shows_keys else label, style),
            Segment(closing if shows_keys else f"{' ' * cell_len(key)}{closing}", bracket),
        ]
        column = placed.column + placed.cells
    return segments
