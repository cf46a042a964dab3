"""The beginning and the end of a text that may be endless."""

from __future__ import annotations

HEAD_CHARACTERS = 64_000
TAIL_CHARACTERS = 64_000


class HeadTail:
    """Everything, as long as it fits; then what came first and what came last."""

    def __init__(self) -> None:
        self.head = ""
        self._end = ""
        self.characters = 0
        self.line_ends = 0

    @property
    def tail(self) -> str:
        return self._end[-TAIL_CHARACTERS:]

    @property
    def left_out(self) -> int:
        """How many characters between head and tail are gone."""
        return self.characters - len(self.head) - len(self.tail)

    def add(self, text: str) -> None:
        self.characters += len(text)
        self.line_ends += text.count("\n")
        room = HEAD_CHARACTERS - len(self.head)
        if room:
            self.head += text[:room]
            text = text[room:]
        self._end += text
        # Cut only now and then: every cut copies the whole tail.
        if len(self._end) > 3 * TAIL_CHARACTERS:
            self._end = self._end[-TAIL_CHARACTERS:]
