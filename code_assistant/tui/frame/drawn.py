"""A widget of a few fixed rows that draws itself: no children, no timers, no layout when only its text changes."""

from __future__ import annotations

from typing import ClassVar

from textual.events import Click
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from code_assistant.tui.frame.spans import ROLE_CLASSES, Span, part_under, role_css, strip_of


class PartPressed(Message):
    """A part of a drawn row was clicked; which one is said by its name, such as `mode` or `waiting`."""

    def __init__(self, part: str) -> None:
        super().__init__()
        self.part = part


class DrawnRows(Widget):
    """Subclasses say what stands in each row, and call `refresh` when that has changed."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = ROLE_CLASSES
    DEFAULT_CSS = "DrawnRows { width: 1fr; height: 1; }\n" + role_css("DrawnRows")

    def spans_at(self, row: int, width: int) -> list[Span]:
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        return strip_of(self, self.spans_at(y, width), width)

    def set_height(self, rows: int) -> None:
        """Hidden without rows. A layout of the screen only when the number has changed."""
        if self.display != (rows > 0):
            self.display = rows > 0
        height = self.styles.height
        if rows and (height is None or height.value != rows):
            self.styles.height = rows

    def on_click(self, event: Click) -> None:
        if part := part_under(event.style):
            event.stop()
            self.post_message(PartPressed(part))
