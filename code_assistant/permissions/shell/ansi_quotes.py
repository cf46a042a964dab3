"""What stands in bash's `$'…'`: only for rules that deny, since nothing that holds one is ever allowed."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_OTHER_QUOTES = re.compile(r"\$(?=\")|[\"'\\]")
_PART = re.compile(r"\$'((?:[^'\\]|\\.)*)'|'([^']*)'|\$?\"((?:[^\"\\]|\\.)*)\"|\\(.)", re.DOTALL)
_ESCAPED_IN_QUOTES = re.compile(r"\\([$`\"\\])")
_NAMED = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_MOST_CODE = 0x10FFFF


def decoded(text: str) -> str:
    """The characters that `$'…'` stands for."""
    return unescaped(text[2:-1])


def unescaped(text: str) -> str:
    """What `echo -e` and `printf` make of a text."""
    return _ESCAPE.sub(_character, text)


def without_quotes(text: str, instead: str = "") -> str:
    """A text with all quoting taken off, wherever it stands, and with what `$'…'` stands for."""
    return _OTHER_QUOTES.sub(instead, _QUOTED.sub(lambda found: f"{instead}{unescaped(found[1])}{instead}", text))


def unquoted(text: str) -> str:
    """A word with its own quotes taken off, but none inside of these."""
    return _PART.sub(_unquoted_part, text)


def _unquoted_part(match: re.Match[str]) -> str:
    ansi, single, double, character = match.groups()
    if ansi is not None:
        return unescaped(ansi)
    if double is not None:
        return _ESCAPED_IN_QUOTES.sub(r"\1", double)
    return single if single is not None else character


def _character(match: re.Match[str]) -> str:
    byte, short, long, octal, control, other = match.groups()
    if other is not None:
        return _NAMED.get(other, other)
    if control is not None:
        return chr(ord(control) & 0x1F)
    code = int(octal, 8) & 0xFF if octal is not None else int(byte or short or long, 16)
    return chr(code) if code <= _MOST_CODE else match.group()
