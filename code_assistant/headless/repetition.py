"""An answer that is asked for again after it broke off: what of it is new to somebody who saw its beginning."""

from __future__ import annotations

BEGINS_ANEW = "\n(It begins anew, in other words.)\n"


class Repetition:
    """As long as the new text says what was shown already, nothing of it is shown; then only what is new."""

    def __init__(self, shown: str = "") -> None:
        self._shown = shown
        self._said: list[str] = []
        self._matched = 0
        self._is_over = not shown

    @property
    def visible(self) -> str:
        """What is on the terminal of the answer now: the old text until the new one has gone beyond it."""
        return "".join(self._said) if self._is_over else self._shown

    def feed(self, text: str) -> str:
        """What is to be shown of the next piece. A text that goes another way is shown whole, and said to be new."""
        self._said.append(text)
        if self._is_over:
            return text
        expected = self._shown[self._matched : self._matched + len(text)]
        if text == expected:
            self._matched += len(text)
            return ""
        self._is_over = True
        if text.startswith(expected):
            return text[len(expected) :]
        return f"{BEGINS_ANEW}{self._shown[: self._matched]}{text}"
