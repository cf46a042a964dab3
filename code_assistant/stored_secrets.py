"""Masking of all known secrets in text that is written down piece by piece."""

from __future__ import annotations

from code_assistant.secret_beginnings import CONTEXT_CHARACTERS, undecided
from code_assistant.secret_formats import mask_formats
from code_assistant.secrets import Masker

# More than the longest private key. A longer piece without a blank is no secret.
MAX_HELD_CHARACTERS = 20_000


class StorageStreamMasker:
    """`mask_for_storage` for text that comes in pieces: the result is that of the whole text.

    But for secrets that stand right behind one another with nothing between them.
    """

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._rest = ""
        # What was given out last, unmasked: a secret may be one because of what stands before it.
        self._context = ""

    def feed(self, piece: str) -> str:
        text = self._masker.mask(self._rest + piece)
        known = len(self._context)
        keep = max(self._masker.held_back(text), known + len(text) - max(known, undecided(self._context + text)))
        return self._give(text, len(text) if keep > MAX_HELD_CHARACTERS else len(text) - keep)

    def flush(self) -> str:
        return self._give(self._rest, len(self._rest))

    def _give(self, text: str, cut: int) -> str:
        self._rest = text[cut:]
        seen = self._context + text[:cut]
        given = mask_formats(seen)[len(mask_formats(self._context)) :]
        self._context = seen[-CONTEXT_CHARACTERS:]
        return given
