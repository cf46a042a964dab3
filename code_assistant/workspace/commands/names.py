"""How a command is named in one line."""

from __future__ import annotations

MAXIMUM_CHARACTERS = 100


def short_command(text: str) -> str:
    """Its first line that is not blank, and a sign where there is more."""
    line, _, rest = text.strip().partition("\n")
    line = line.rstrip()
    if len(line) > MAXIMUM_CHARACTERS:
        return f"{line[:MAXIMUM_CHARACTERS]}…"
    return f"{line} …" if rest else line
