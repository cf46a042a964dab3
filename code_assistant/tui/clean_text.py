"""Text on its way to the screen: keys masked, then whatever could act on a terminal or hide in it made visible."""

from __future__ import annotations

import json

from code_assistant.messages import JsonObject
from code_assistant.sanitize import StreamSanitizer, sanitize, sanitize_line
from code_assistant.secrets import Masker, StreamMasker

SHOWN_VALUE_CHARACTERS = 4_000
SHOWN_DETAIL_CHARACTERS = 400_000


class CleanStream:
    """Text that comes in pieces: what the next piece may change is held back until it is there."""

    def __init__(self, masker: Masker) -> None:
        self._masker = StreamMasker(masker)
        self._sanitizer = StreamSanitizer()

    def feed(self, piece: str) -> str:
        return self._sanitizer.feed(self._masker.feed(piece))

    def flush(self) -> str:
        return self._sanitizer.feed(self._masker.flush()) + self._sanitizer.flush()


class CleanText:
    def __init__(self, masker: Masker) -> None:
        self._masker = masker

    def hide(self, secret: str) -> None:
        """A key that was entered while the program runs."""
        self._masker.add(secret)

    def text(self, text: str) -> str:
        # Masked before it is cut: half a key would not be known as one.
        masked = self._masker.mask(text)
        cut = masked if len(masked) <= SHOWN_DETAIL_CHARACTERS else f"{masked[:SHOWN_DETAIL_CHARACTERS]}\n… (cut)"
        return sanitize(cut)

    def line(self, text: str) -> str:
        return sanitize_line(self._masker.mask(text))

    def masked(self, text: str) -> str:
        """Without keys, and else as it is: for those who show every character exactly."""
        return self._masker.mask(text)

    def stream(self) -> CleanStream:
        return CleanStream(self._masker)

    def arguments(self, values: JsonObject) -> tuple[tuple[str, str], ...]:
        """The input of a tool call, a name and a text each."""
        return tuple((self.line(name), self._value(value)) for name, value in values.items())

    def _value(self, value: object) -> str:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        masked = self._masker.mask(text)
        if len(masked) > SHOWN_VALUE_CHARACTERS:
            masked = f"{masked[:SHOWN_VALUE_CHARACTERS]}… ({len(text):,} characters)"
        return sanitize(masked)
