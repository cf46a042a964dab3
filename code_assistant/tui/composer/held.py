"""Characters that must not reach a terminal, held in the editor as private ones and given back unchanged.

An editor counts one cell per character and takes some control characters for the end of a line. So each dangerous
or invisible character is held as a private-use character of one cell, and drawn as a visible stand-in.
"""

from __future__ import annotations

from code_assistant.sanitize import is_plain, sanitize

# Plane 16, private use: nobody types it, and what is pasted from it is folded away before it gets here.
PLANE = 0x100000
# Of the private characters these have no counterpart to hold: they are the heads of folded parts.
FIRST_HEAD = PLANE + 0xE000
LAST_HEAD = PLANE + 0xEFFF
# Both belong into pictures such as families, where they take no cell.
_JOINERS = frozenset("\u200d\ufe0f")
_INVISIBLE = "\ufffd"


def can_hold(text: str) -> bool:
    """Whether an editor can hold the text character by character."""
    if text.isascii():
        return True
    return all(ord(c) < PLANE and (ord(c) < 0x10000 or is_plain(c)) for c in set(text))


def hold(text: str) -> str:
    """The text as the editor holds it; what is held already stays as it is."""
    if is_plain(text):
        return text
    table = {ord(c): ord(c) + PLANE for c in set(text) - _JOINERS if ord(c) < 0x10000 and not is_plain(c)}
    return text.translate(table)


def release(text: str) -> str:
    """The text as it was before it was held."""
    held = {ord(c): ord(c) - PLANE for c in set(text) if ord(c) >= PLANE and not _is_head(ord(c))}
    return text.translate(held) if held else text


def shown(line: str) -> str:
    """What is drawn for a held line, character for character."""
    if line.isascii() and line.isprintable():
        return line
    table = {ord(c): _stand_in(ord(c)) for c in set(line) if ord(c) >= PLANE}
    visible = line.translate(table) if table else line
    if sanitize(visible) == visible:
        return visible
    return "".join(c if is_plain(c) else _INVISIBLE for c in visible)


def _is_head(code: int) -> bool:
    return FIRST_HEAD <= code <= LAST_HEAD


def _stand_in(code: int) -> str:
    if _is_head(code):
        return "["
    held = code - PLANE
    if held < 0x20:
        return chr(0x2400 + held)
    return "␡" if held == 0x7F else _INVISIBLE
