"""The terminal: what the screen can do in it."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass

from code_assistant.doctor.finding import Finding, note, ok, problem

TITLE = "terminal"
SMALLEST = (40, 12)


@dataclass(frozen=True, slots=True)
class TerminalFacts:
    """`size` is columns and rows, None where there is no terminal, nought where it does not say."""

    size: tuple[int, int] | None
    encoding: str


def check_terminal(environ: Mapping[str, str], facts: TerminalFacts) -> tuple[Finding, ...]:
    if facts.size is None:
        return (note(TITLE, "there is none here, so that it was not looked at. Without one, ask with -p."),)
    term = environ.get("TERM", "").strip()
    notes: list[Finding] = []
    if term in ("", "dumb"):
        notes.append(
            problem(TITLE, f"the screen cannot be drawn with TERM={term or '(unset)'}. Set TERM=xterm-256color.")
        )
    if not _is_utf8(facts.encoding):
        notes.append(note(TITLE, f"text is {facts.encoding}, so that signs are missing. Set LANG to one with UTF-8."))
    columns, rows = facts.size
    if 0 < columns < SMALLEST[0] or 0 < rows < SMALLEST[1]:
        notes.append(note(TITLE, f"{columns} by {rows} is small; from {SMALLEST[0]} by {SMALLEST[1]} on all is seen."))
    size = f"{columns} by {rows}" if columns and rows else "of unknown size"
    return tuple(notes) or (ok(TITLE, f"{term}, {_colours(environ, term)}, {size}, UTF-8"),)


def _colours(environ: Mapping[str, str], term: str) -> str:
    if "NO_COLOR" in environ:
        return "no colours (NO_COLOR)"
    if environ.get("COLORTERM", "").lower() in ("truecolor", "24bit") or term.endswith("-direct"):
        return "all colours"
    return "256 colours" if "256color" in term else "16 colours"


def _is_utf8(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name == "utf-8"
    except LookupError:
        return False
