"""A window to enter a key in. It is never shown: only how many characters it has."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widget import Widget

from code_assistant.tui.frame.drawn import DrawnRows
from code_assistant.tui.frame.spans import Span
from code_assistant.tui.pickers.dialog import Caption
from code_assistant.tui.pickers.line_entry import LineEntry

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


class KeyEntry(LineEntry):
    """What cannot be a key is not taken, and it is said why."""

    LONGEST = 500

    def __init__(self, title: str, words: str) -> None:
        super().__init__(title, "enter keep · esc cancel · ctrl+u clear")
        self._line = KeyLine()
        self._words = Caption(words, role="muted", id="words")

    def make_body(self) -> Widget:
        return self._line

    def above_body(self) -> ComposeResult:
        yield self._words

    def action_take(self) -> None:
        problem = key_problem(self.written)
        if problem:
            self._words.say(problem)
        else:
            self.dismiss(self.written)

    def cleaned(self, pasted: str) -> str:
        return pasted.strip()

    def show_written(self) -> None:
        self._line.value = self.written
        self._line.refresh()


def key_problem(value: str) -> str:
    """Why this can be no key; empty where it can."""
    if not value:
        return "Nothing was entered yet."
    if not (value.isascii() and value.isprintable()) or " " in value:
        return "It holds a blank or a character that no key has. Copy it again."
    return "This is too short to be a key." if len(value) < SHORTEST_KEY else ""
