"""The frame of a panel and what stands in it: how many rows each part gets, and the strips of the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Span
from code_assistant.tui.rendering.wrapping import cut_to_cells

# A border and a blank on either side.
BESIDE = 4
BORDERS = 2
GAP = 1
LEAST_BODY = 3


@dataclass(frozen=True, slots=True)
class Parts:
    """How many rows the parts of a panel have, in this order: body, mark, notes, a gap, buttons."""

    body: int
    has_mark: bool
    notes: int
    gap: int
    buttons: int

    @property
    def first_button(self) -> int:
        """The row of the first buttons, counted from the upper border."""
        return 1 + self.body + self.has_mark + self.notes + self.gap


def needed_rows(body: int, notes: int, buttons: int) -> int:
    return BORDERS + body + notes + min(body + notes, GAP) + buttons


def share_rows(height: int, body: int, notes: int, buttons: int) -> Parts:
    """Where there is little room the body is scrolled, then the notes are its end, then the buttons are, too."""
    room = max(height - BORDERS, 0)
    if room - buttons < 1:
        body, buttons = body + buttons, 0
    room -= buttons
    if room - notes < min(body, LEAST_BODY):
        body, notes = body + notes, 0
    room -= notes
    gap = GAP if buttons and room - GAP >= body else 0
    room -= gap
    has_mark = body > room >= 2
    return Parts(room - has_mark, has_mark, notes, gap, buttons)


@dataclass(frozen=True, slots=True)
class Frame:
    """Lines of one width. Focus is told by the weight of the lines as well as by their colour."""

    width: int
    palette: Palette
    has_focus: bool

    @property
    def inner(self) -> int:
        return max(self.width - BESIDE, 1)

    @property
    def style(self) -> Style:
        return self.palette.cursor if self.has_focus else self.palette.muted

    def top(self, spans: Sequence[Span]) -> Strip:
        return self._edge("┏━┓" if self.has_focus else "┌─┐", spans)

    def bottom(self, spans: Sequence[Span]) -> Strip:
        return self._edge("┗━┛" if self.has_focus else "└─┘", spans)

    def mark(self, text: str) -> Strip:
        """The line below what can be scrolled."""
        return self._edge("┠─┨" if self.has_focus else "├─┤", [(text, self.palette.muted)])

    def line(self, segments: Sequence[Segment]) -> Strip:
        side = "┃" if self.has_focus else "│"
        inside = Strip(segments).adjust_cell_length(self.inner, self.palette.text)
        return self._exactly([Segment(f"{side} ", self.style), *inside, Segment(f" {side}", self.style)])

    def _edge(self, shape: str, spans: Sequence[Span]) -> Strip:
        left, middle, right = shape
        segments = [Segment(f"{left} ", self.style)]
        room = self.inner
        for text, style in spans:
            piece = cut_to_cells(text, room)
            segments.append(Segment(piece, style))
            room -= cell_len(piece)
        segments.append(Segment(f" {middle * room}{right}", self.style))
        return self._exactly(segments)

    def _exactly(self, segments: Sequence[Segment]) -> Strip:
        return Strip(segments).adjust_cell_length(self.width, self.palette.text)


def joined_hints(hints: Sequence[str], cells: int) -> str:
    """As many of them as fit, the most important first."""
    text = ""
    for hint in hints:
        longer = f"{text} · {hint}" if text else hint
        if cell_len(longer) > cells:
            break
        text = longer
    return text
