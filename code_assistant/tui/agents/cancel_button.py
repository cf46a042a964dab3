"""The button that ends one sub-agent, at the right end of its header."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.strip import Strip
from textual.widgets import Button

from code_assistant.tui.agents.messages import CancelWanted
from code_assistant.tui.keys import ESCAPE
from code_assistant.tui.rendering.agent_header import CANCEL, cancel_label
from code_assistant.tui.rendering.palette import Palette

# A click counts only on a button that has stood where it is for so long: below a transcript that moves it may have
# been meant for the one that stood there before.
SETTLED_SECONDS = 0.2


class CancelButton(Button):
    """A click leaves the focus where it is: whoever types goes on typing. With the focus in it, Enter presses it.

    Whatever else is typed then was meant for the composer.
    """

    FOCUS_ON_CLICK: ClassVar[bool] = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding(ESCAPE, "go_home", show=False, id="interrupt")]
    DEFAULT_CSS = """
    CancelButton, CancelButton:focus, CancelButton:hover {
        width: auto; min-width: 0; height: 1; border: none !important; tint: transparent !important;
        background-tint: transparent !important;
    }
    """

    def __init__(
        self, tool_call_id: str, palette: Palette, go_home: Callable[[], None], typed: Callable[[str], None]
    ) -> None:
        super().__init__(Content("Cancel"), compact=True)
        self.tool_call_id = tool_call_id
        self.active_effect_duration = 0
        self._palette = palette
        self._go_home = go_home
        self._typed = typed
        self._row: int | None = None
        self._placed_at = 0.0
        self._is_meant = False

    def placed(self, row: int) -> None:
        """It stands in this row of what is in sight."""
        if row != self._row:
            self._row, self._placed_at = row, time.monotonic()

    def set_palette(self, palette: Palette) -> None:
        self._palette = palette
        self.refresh()

    def press(self) -> Button:
        self.post_message(CancelWanted(self.tool_call_id))
        return self

    def action_go_home(self) -> None:
        self._go_home()

    def on_mouse_down(self) -> None:
        self._is_meant = time.monotonic() - self._placed_at >= SETTLED_SECONDS

    def on_click(self, event: events.Click) -> None:
        event.stop()
        # Textual's own would press it, whatever stood there.
        event.prevent_default()
        if self._is_meant:
            self.press()

    def render_line(self, y: int) -> Strip:
        palette, width = self._palette, self.size.width
        label = cancel_label(10**6) if width >= len(CANCEL) else cancel_label(0)
        inside = label[1:-1]
        if self.has_focus:
            # Pointers for brackets, so that it is seen without colours, too.
            return Strip([Segment(f"❯{inside}❮", palette.selected)], len(label)).adjust_cell_length(width, palette.text)
        style = palette.cursor if self.mouse_hover else palette.text
        segments = [Segment("[", palette.muted), Segment(inside, style), Segment("]", palette.muted)]
        return Strip(segments, len(label)).adjust_cell_length(width, palette.text)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_enter(self) -> None:
        self.refresh()

    def on_leave(self) -> None:
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self._go_home()
        elif event.key == "shift+tab":
            event.stop()
            event.prevent_default()
            self.screen.focus_previous()
        elif event.is_printable and event.character is not None:
            event.stop()
            event.prevent_default()
            self._typed(event.character)
