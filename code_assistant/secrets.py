"""Masking of the configured keys wherever text leaves the program, and of all known secrets where it is written down.

What a model or a person works with stays exact but for the configured keys: a file whose content was masked could not
be edited. What lies on the disk afterwards, or is passed on, has no need of other people's secrets either.
"""

from __future__ import annotations

import json
import re

MASK = "[key removed]"
# Shorter values would mask ordinary words; no real key is that short.
MIN_SECRET_CHARACTERS = 6


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
        long_enough = {each for each in self._given if len(each) >= MIN_SECRET_CHARACTERS}
        in_json = {json.dumps(each)[1:-1] for each in long_enough}
        usable = sorted(long_enough | in_json, key=len, reverse=True)
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
