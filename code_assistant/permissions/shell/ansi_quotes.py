"""What stands in bash's `$'…'`: only for rules that deny, since nothing that holds one is ever allowed."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
_NAMED = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_MOST_CODE = 0x10FFFF


def decoded(text: str) -> str:
    """The characters that `$'…'` stands for."""
    return _ESCAPE.sub(_character, text[2:-1])


def _character(match: re.Match[str]) -> str:
    byte, short, long, octal, control, other = match.groups()
    if other is not None:
        return _NAMED.get(other, other)
    if control is not None:
        return chr(ord(control) & 0x1F)
    code = int(octal, 8) & 0xFF if octal is not None else int(byte or short or long, 16)
    return chr(code) if code <= _MOST_CODE else match.group()
