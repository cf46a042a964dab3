"""A window to write one line in, with a few words beside it."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Key, Paste

from code_assistant.tui.pickers.dialog import Dialog
from code_assistant.tui.pickers.typing import after_key


class LineEntry(Dialog[str | None]):
    """Gives what was written, None on Esc; a subclass says what may be taken, and how it is shown."""

    LONGEST: ClassVar[int]
    EXTRA_ROWS = 1
    AUTO_FOCUS = ""
    DEFAULT_CSS = "LineEntry > .dialog { max-width: 76; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Cancel"),
        Binding("enter", "take", "Take"),
    ]

    written = ""

    def show_written(self) -> None:
        raise NotImplementedError

    def action_take(self) -> None:
        raise NotImplementedError

    def cleaned(self, pasted: str) -> str:
        raise NotImplementedError

    def on_key(self, event: Key) -> None:
        text = after_key(event, self.written)
        if text is not None:
            self._set(text)

    def on_paste(self, event: Paste) -> None:
        event.stop()
        self._set(self.written + self.cleaned(event.text))

    def _set(self, text: str) -> None:
        self.written = text[: self.LONGEST]
        self.show_written()
