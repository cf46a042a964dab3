"""Masking of the configured keys wherever text leaves the program, and of all known secrets where it is written down.

What a model or a person works with stays exact but for the configured keys: a file whose content was masked could not
be edited. What lies on the disk afterwards, or is passed on, has no need of other people's secrets either.
"""

from __future__ import annotations

import json
import re

MASK = "[key removed]"
# Servers on one's own machine take any key, so people give them words: `ollama`, `not-needed`, `sk-1234`. Nobody gains
# by knowing these, and to mask them wherever they stand would spoil files, answers and names. What services give out
# is longer, and has digits or letters in no order.
MIN_SECRET_CHARACTERS = 8
MAX_WORDS_CHARACTERS = 20
_WORD = r"(?:[A-Z]?[a-z]{1,12}|[A-Z]{1,12})"
_WORDS = re.compile(rf"{_WORD}(?:[-_. ]{_WORD})*")


def is_secret(value: str) -> bool:
    """Whether a value that was set up as a key can be one: not for what is short, or a few plain words."""
    is_plain = len(value) < MAX_WORDS_CHARACTERS and _WORDS.fullmatch(value) is not None
    return len(value) >= MIN_SECRET_CHARACTERS and not is_plain


class Masker:
    """Replaces every occurrence of the given secrets, also as they look inside JSON."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        self._given = secrets
        self._learn()

    def add(self, secret: str) -> None:
        """One that was entered while the program runs."""
        self._given = (*self._given, secret)
        self._learn()

    def _learn(self) -> None:
        real = set(filter(is_secret, self._given))
        in_json = {json.dumps(each)[1:-1] for each in real}
        usable = sorted(real | in_json, key=len, reverse=True)
        self._secrets = tuple(usable)
        self._pattern = re.compile("|".join(re.escape(each) for each in usable)) if usable else None

    def mask(self, text: str) -> str:
        return self._pattern.sub(MASK, text) if self._pattern else text

    def mask_for_storage(self, text: str) -> str:
        """For what is written down: logs, sessions, recordings. Secrets of known forms are masked as well."""
        # The first frame knows our own keys, and does without all others.
        from code_assistant.secret_formats import mask_formats

        return mask_formats(self.mask(text))

    def held_back(self, text: str) -> int:
        """How many characters at the end of the text may be the beginning of a secret."""
        longest = 0
        for secret in self._secrets:
            for length in range(min(len(secret) - 1, len(text)), longest, -1):
                if secret.startswith(text[-length:]):
                    longest = length
                    break
        return longest


class StreamMasker:
    """Masks text that comes in pieces, also a secret that is split between them."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._rest = ""

    def feed(self, piece: str) -> str:
        text = self._masker.mask(self._rest + piece)
        keep = self._masker.held_back(text)
        self._rest = text[len(text) - keep :]
        return text[: len(text) - keep]

    def flush(self) -> str:
        rest, self._rest = self._rest, ""
        return rest
