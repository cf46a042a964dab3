"""Text that comes in pieces: where, at its end, something begins that more of it may make a secret of."""

from __future__ import annotations

import re
from string import ascii_letters, digits

from code_assistant.secret_formats import ALONE, BEARER, BEARER_CHARACTER, TOKEN_BEGINNINGS, URL_USER, open_block
from code_assistant.secret_words import open_value

# What may follow decides only about characters that are as near as this; what stands before may be a name.
CONTEXT_CHARACTERS = 128
# A value, or a password in an address, with all that leads to it.
_NEAR_CHARACTERS = 700
_TOKEN_CHARACTERS = f"{ascii_letters}{digits}_.-"
_HALVES = sorted({each[:length] for each in (*TOKEN_BEGINNINGS, "-----BEGIN") for length in range(1, len(each))})
_HALF_BEGINNING = re.compile(f"(?:{ALONE})(?:" + "|".join(map(re.escape, _HALVES)) + r")\Z")
_OPEN_BEARER = re.compile(BEARER + BEARER_CHARACTER + r"*+\Z")
_OPEN_PASSWORD = re.compile(URL_USER + r"""[^\s/:"'`\\<>\[\]]{1,257}\Z""")
_LONGEST_HALF = max(map(len, _HALVES)) + 6


def undecided(text: str) -> int:
    """Where that is; the length of the text if nowhere."""
    run = len(text.rstrip(_TOKEN_CHARACTERS))
    near = max(0, len(text) - _NEAR_CHARACTERS)
    half = _HALF_BEGINNING.search(text, max(0, len(text) - _LONGEST_HALF))
    starts = (
        *(match and match.start() for match in (half, _OPEN_BEARER.search(text), _OPEN_PASSWORD.search(text, near))),
        *(start for each in TOKEN_BEGINNINGS if (start := text.find(each, run)) >= 0),
        open_block(text),
        open_value(text, near),
    )
    return min((start for start in starts if start is not None), default=len(text))
