"""Text of files and people as Markdown that shows it as it is, and references that can be checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from code_assistant.file_references import find_references

# What Markdown reads: an underscore only at the border of a word, a tilde only with another one.
_SPECIAL = re.compile(r"[\\`*\[\]<&]|(?<!\w)_|_(?!\w)|~(?=~)|(?<=~)~")
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_TICKS = re.compile(r"`+")
# Without this no text holds a reference.
_BEFORE_LINE = re.compile(r"[:#](?=L?[0-9])")
_MARKER = re.compile(r"[-+=>#]")
LONGEST_QUOTE = 160
LONGEST_CODE = 120


def one_line(text: str, length: int = LONGEST_QUOTE) -> str:
    """Without line ends and control characters, and no longer than this."""
    flat = _BLANKS.sub(" ", text).strip()
    return flat if len(flat) <= length else f"{flat[: length - 1].rstrip()}…"


def plain(text: str, length: int = LONGEST_QUOTE) -> str:
    """Text that is shown as it is: nothing in it counts as Markdown or as a reference."""
    return _unreferring(_escaped, one_line(text, length))


def quoted(text: str, length: int = LONGEST_QUOTE) -> str:
    """A file's own words."""
    return f"“{plain(text, length)}”"


def code(text: str, length: int = LONGEST_CODE) -> str:
    """A code span that shows exactly this, on one line."""
    return _unreferring(_span, one_line(text, length))


def _unreferring(shape: Callable[[str], str], text: str) -> str:
    """What looks like a reference in other people's words was checked by nobody: a blank takes it apart."""
    shown = shape(text)
    return shape(_BEFORE_LINE.sub(r"\g<0> ", text)) if find_references(shown, lambda _: True) else shown


def _escaped(text: str) -> str:
    escaped = _SPECIAL.sub(r"\\\g<0>", text)
    return f"\\{escaped}" if _MARKER.match(escaped) else escaped


def _span(text: str) -> str:
    if not text:
        return "(blank)"
    ticks = "`" * (max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def reference(path: str, first: int, last: int | None = None) -> str:
    """`path:line`, as a reference that is found again; where a name cannot be written so, the name alone."""
    end = f"-{last}" if last is not None and last > first else ""
    written = f"`{path}:{first}{end}`"
    found = find_references(written, lambda each: each == path)
    is_exact = [(each.path, each.first, each.last) for each in found] == [(path, first, max(first, last or first))]
    return written if is_exact else f"{code(path)} line {first}"


def fenced(lines: Iterable[str], language: str = "") -> str | None:
    """Lines of code as they are; None where something in them would count as a reference."""
    text = "\n".join(lines)
    if find_references(text, lambda _: True):
        return None
    ticks = "`" * max(3, max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"
