"""Searching what was sent before, letter by letter. What is being written is touched only when something is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.events import Key
from textual.geometry import Region

from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.composer.popup import Popup, PopupRow

SHOWN_MATCHES = 50
# Of long entries the beginning is searched and shown.
SEARCHED_CHARACTERS = 2000
SHOWN_CHARACTERS = 300
OLDER_KEYS = ("up", "ctrl+r")
NEWER_KEYS = ("down", "ctrl+s")


class HistorySearch:
    """The newest match is the lowest, next to the composer: up means older."""

    def __init__(self, popup: Popup, region: Callable[[], Region], take: Callable[[Draft], None]) -> None:
        self._popup = popup
        self._region = region
        self._take = take
        self._entries: list[tuple[str, Draft]] = []
        self._matches: list[Draft] = []
        self._query = ""
        self._marked = 0
        self.is_open = False

    def open(self, entries: Sequence[Draft]) -> None:
        unique = {entry.text: entry for entry in reversed(entries)}
        self._entries = [(text[:SEARCHED_CHARACTERS].casefold(), entry) for text, entry in unique.items()]
        self.is_open = True
        self._search("")

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self._entries, self._matches = [], []
            self._popup.hide()

    def takes(self, key: Key) -> bool:
        """Whether a key was for the search. One that means nothing here ends it and is for the composer."""
        if not self.is_open:
            return False
        if key.key in ("enter", "tab"):
            self.take(self._marked)
        elif key.key in OLDER_KEYS or key.key in NEWER_KEYS:
            self._move(-1 if key.key in OLDER_KEYS else 1)
        elif key.key == "backspace":
            self._search(self._query[:-1])
        elif key.key == "ctrl+u":
            self._search("")
        elif key.is_printable and key.character is not None:
            self._search(self._query + key.character)
        else:
            self.close()
            return key.key == "escape"
        return True

    def add(self, text: str) -> None:
        """A paste while searching."""
        self._search(self._query + text)

    def take(self, index: int) -> None:
        matches = self._matches
        self.close()
        if 0 <= index < len(matches):
            self._take(matches[index])

    def _move(self, by: int) -> None:
        if self._matches:
            self._marked = (self._marked + by) % len(self._matches)
            self._show()

    def _search(self, query: str) -> None:
        self._query = query
        folded = query.casefold()
        newest = [entry for text, entry in self._entries if folded in text][:SHOWN_MATCHES]
        self._matches = newest[::-1]
        self._marked = len(self._matches) - 1
        self._show()

    def _show(self) -> None:
        rows = [_row(entry, self._query) for entry in self._matches]
        word = "history" if rows or not self._entries else "nothing found"
        self._popup.show(rows, self._marked, self._region(), (word if self._entries else "no history yet", self._query))


def _row(entry: Draft, query: str) -> PopupRow:
    text = " ".join(entry.text[:SHOWN_CHARACTERS].split())
    place = text.lower().find(query.lower()) if query else -1
    return PopupRow(text, places=tuple(range(place, place + len(query))) if place >= 0 else ())
