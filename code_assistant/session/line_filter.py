"""Whether a line of a session's file may have some words, told from its bytes alone.

Lines are JSON in ASCII, so a word is looked for as JSON spells it. The answer may be yes where it should be no, never
the other way round: reading the line then decides.
"""

from __future__ import annotations

import json
import re
from functools import cache

# Past this no character has another case.
_CASES_END = 0x1E944
# The one character whose small form is two, of which the first is a plain letter; and the sign that becomes a "k".
_IN_DOUBT = (b"\\u0130", b"\\u212a")
# At the end of a word it is another one.
_SIGMAS = ("\N{GREEK SMALL LETTER SIGMA}", "\N{GREEK SMALL LETTER FINAL SIGMA}")


class LineFilter:
    def __init__(self, words: tuple[str, ...]) -> None:
        """Words in their small form."""
        self._plain = tuple(_spelt(word).encode("ascii") for word in words if word.isascii())
        self._other = tuple(_pattern(word) for word in words if not word.isascii())

    def may_have(self, line: bytes) -> bool:
        folded = line.lower()
        if all(word in folded for word in self._plain) and all(word.search(folded) for word in self._other):
            return True
        return any(sign in folded for sign in _IN_DOUBT)


def _spelt(text: str) -> str:
    return json.dumps(text)[1:-1].lower()


def _pattern(word: str) -> re.Pattern[bytes]:
    """Each character in any of the spellings that become it when they are made small."""
    forms = ("|".join(sorted(re.escape(_spelt(each)) for each in _larger_forms(character))) for character in word)
    return re.compile("".join(f"(?:{form})" for form in forms).encode("ascii"))


def _larger_forms(character: str) -> set[str]:
    smalls = set(_SIGMAS) if character in _SIGMAS else {character}
    return smalls | {larger for small in smalls for larger in _by_small_form().get(small, ())}


@cache
def _by_small_form() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for code in range(_CASES_END):
        character = chr(code)
        small = character.lower()
        if small != character:
            found[small] = (*found.get(small, ()), character)
    return found
