"""The last lines of what a command prints."""

from __future__ import annotations

from collections import deque

KEPT_LINES = 200
KEPT_LINE_CHARACTERS = 2_000
# How a carriage return looks in text that was made safe.
RETURN = "␍"


class OutputTail:
    """Keeps whole lines, the newest, and the one being written."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._open = ""
        self.count = 0

    def __bool__(self) -> bool:
        return self.count > 0 or bool(self._open)

    def add(self, text: str) -> None:
        *lines, self._open = (self._open + text).split("\n")
        self.count += len(lines)
        self._lines.extend(line[-KEPT_LINE_CHARACTERS:] for line in lines[-KEPT_LINES:])
        self._open = self._open[-KEPT_LINE_CHARACTERS:]

    @property
    def line_count(self) -> int:
        """All that there were, with the one being written."""
        return self.count + bool(self._open)

    def last(self, number: int) -> list[str]:
        lines = [*self._lines, self._open] if self._open else list(self._lines)
        return [_newest(line) for line in lines[-number:]]


def _newest(line: str) -> str:
    """What a progress bar shows now: each of its steps goes back to the beginning of the line."""
    return line.rstrip(RETURN).rpartition(RETURN)[2]
