"""How much the parser is given: it takes a time that grows with the square of what is nested or cannot be parsed."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MOST_CHARACTERS = 30_000
_MOST_SPECIAL = 400
_MOST_WORDS = 1_500
_SPECIAL = re.compile(r"[^\w\s./,:@%+\-]|[\x00-\x08\x0e-\x1f\x7f]|\b(?:if|for|case|while|until|function|select)\b")
_SPECIAL_IN_TEXT = re.compile(r"[$`\x00]|<<")
_TEXT_BEGINS = re.compile(r"<<-?[ \t]*[\\'\"]?(\w+)")


def is_cheap_to_parse(text: str) -> bool:
    """Whether it is simple enough: texts for programs (`<<`) may be long, all else only so intricate."""
    if len(text) > _MOST_CHARACTERS or len(text.split()) > _MOST_WORDS:
        return False
    lines = text.split("\n")
    special, at = 0, 0
    while at < len(lines) and special <= _MOST_SPECIAL:
        special += 1 + len(_SPECIAL.findall(lines[at]))
        begins = _TEXT_BEGINS.search(lines[at])
        at += 1
        if begins and (end := _end_of_text(lines, at, begins.group(1))) is not None:
            special += sum(len(_SPECIAL_IN_TEXT.findall(line)) for line in lines[at:end])
            at = end
    return special <= _MOST_SPECIAL


def _end_of_text(lines: Sequence[str], start: int, delimiter: str) -> int | None:
    for at in range(start, len(lines)):
        if lines[at].strip("\t ") == delimiter:
            return at
    return None
