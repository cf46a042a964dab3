"""What the terminal sends: nothing inside a paste may be taken for keys that somebody pressed.

Textual reads an escape character in a paste as the beginning of a key, and what follows it as keys, Enter among them:
a text from elsewhere could run a command by being pasted. Most terminals take such characters out, but not all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual._xterm_parser import XTermParser
from textual.events import Paste
from textual.message import Message

ESCAPE = "\x1b"
BEGIN, END = "\x1b[200~", "\x1b[201~"
# Stands for an escape character on its way through Textual's parser; no text has it.
STAND_IN = "\ufdd0"


class PasteGuard:
    """Text comes in pieces, cut anywhere. What may be the end mark of a paste waits for the next piece."""

    def __init__(self) -> None:
        self._is_inside = False
        self._matched = 0

    def feed(self, text: str) -> str:
        """The same, with a stand-in for every escape character inside a paste; its marks stay."""
        return "".join(self._taken(text))

    def _taken(self, text: str) -> Iterator[str]:
        for character in text:
            mark = END if self._is_inside else BEGIN
            if character == mark[self._matched]:
                self._matched += 1
                if not self._is_inside:
                    yield character
                if self._matched == len(mark):
                    if self._is_inside:
                        yield END
                    self._is_inside, self._matched = not self._is_inside, 0
                continue
            if self._is_inside:
                yield mark[: self._matched].replace(ESCAPE, STAND_IN)
            self._matched = int(character == ESCAPE)
            if not (self._is_inside and self._matched):
                yield character


class SafeParser(XTermParser):
    """Textual's parser behind the guard."""

    _guard: PasteGuard | None = None

    def feed(self, data: str) -> Iterable[Message]:
        if self._guard is None:
            self._guard = PasteGuard()
        safe = self._guard.feed(data)
        # Nothing at all means the end to Textual.
        if data and not safe:
            return
        for message in super().feed(safe):
            if isinstance(message, Paste):
                message.text = message.text.replace(STAND_IN, ESCAPE)
            yield message
