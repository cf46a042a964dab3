"""A window to enter a key in. It is never shown: only how many characters it has."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key, Paste
from textual.widget import Widget

from code_assistant.tui.frame.drawn import DrawnRows
from code_assistant.tui.frame.spans import Span
from code_assistant.tui.pickers.dialog import Caption, Dialog
from code_assistant.tui.pickers.typing import after_key

LONGEST_KEY = 500
SHORTEST_KEY = 8
DOTS = 24


class KeyLine(DrawnRows):
    """As many dots as there are characters, up to a number that says nothing about the rest."""

    def __init__(self) -> None:
        super().__init__(id="key")
        self.value = ""

    def spans_at(self, row: int, width: int) -> list[Span]:
        start = [Span(" "), Span("›", "accent"), Span(" ")]
        if not self.value:
            return [*start, Span(" ", "cursor"), Span("paste it here", "muted")]
        dots = "•" * min(len(self.value), DOTS, max(width - 6, 1))
        count = f"  {len(self.value)} characters"
        return [*start, Span(dots), Span(" ", "cursor"), Span(count, "muted")]


class KeyEntry(Dialog[str | None]):
    """Gives the key, None on Esc. What cannot be a key is not taken, and it is said why."""

    EXTRA_ROWS = 1
    AUTO_FOCUS = ""
    DEFAULT_CSS = "KeyEntry > .dialog { max-width: 76; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Cancel"),
        Binding("enter", "take", "Take"),
    ]

    def __init__(self, title: str, words: str) -> None:
        super().__init__(title, "enter keep · esc cancel · ctrl+u clear")
        self._line = KeyLine()
        self._words = Caption(words, role="muted", id="words")

    def make_body(self) -> Widget:
        return self._line

    def above_body(self) -> ComposeResult:
        yield self._words

    def action_take(self) -> None:
        problem = key_problem(self._line.value)
        if problem:
            self._words.say(problem)
        else:
            self.dismiss(self._line.value)

    def on_key(self, event: Key) -> None:
        value = after_key(event, self._line.value)
        if value is not None:
            self._set(value)

    def on_paste(self, event: Paste) -> None:
        event.stop()
        self._set(self._line.value + event.text.strip())

    def _set(self, value: str) -> None:
        self._line.value = value[:LONGEST_KEY]
        self._line.refresh()


def key_problem(value: str) -> str:
    """Why this can be no key; empty where it can."""
    if not value:
        return "Nothing was entered yet."
    if not (value.isascii() and value.isprintable()) or " " in value:
        return "It holds a blank or a character that no key has. Copy it again."
    return "This is too short to be a key." if len(value) < SHORTEST_KEY else ""
