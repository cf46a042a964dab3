"""The whole of what a permission prompt is about, as rows: nothing is left out and nothing is cut."""

from __future__ import annotations

from collections.abc import Iterator

from code_assistant.events import DetailForm
from code_assistant.tui.prompts.exact import escaped_text, exact_rows
from code_assistant.tui.rendering.diffs import HUNK, SHOWN_LINES, diff_rows
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Prefix, Row


def detail_rows(text: str, form: DetailForm, width: int, palette: Palette) -> list[Row]:
    if not text.strip("\n"):
        return []
    return _whole_diff_rows(text, width, palette) if form == "diff" else exact_rows(text, width, palette)


def _whole_diff_rows(text: str, width: int, palette: Palette) -> list[Row]:
    rows: list[Row] = []
    for lines in _pieces(escaped_text(text).removesuffix("\n").split("\n")):
        if HUNK.match(lines[0]) is None:
            # Names of files, which a row of a diff would cut at its end.
            rows += exact_rows("\n".join(lines), width, palette, palette.muted)
            continue
        drawn = diff_rows("\n".join(map(_with_blanks_shown, lines)), width, palette, Prefix())
        rows += drawn[1:] if lines[0].endswith(CARRIED_ON) else drawn
    return rows


def _with_blanks_shown(line: str) -> str:
    """Of a line that changes, what could not be told apart otherwise: tabs, and blanks at its end."""
    if not line.startswith(("+", "-")):
        return line
    body = line.rstrip(" ")
    return body.replace("\t", "→   ") + "·" * (len(line) - len(body))


# The heading of what is only the next piece of a hunk; drawing the piece needs its numbers, the person does not.
CARRIED_ON = " carried on"


def _pieces(lines: list[str]) -> Iterator[list[str]]:
    """Lines before the first hunk, then each hunk, long ones in several pieces that can be drawn whole."""
    piece: list[str] = []
    old = new = 0
    for line in lines:
        hunk = HUNK.match(line)
        if piece and (hunk is not None or len(piece) >= SHOWN_LINES):
            yield piece
            piece = [] if hunk is not None or not old + new else [f"@@ -{old} +{new} @@{CARRIED_ON}"]
        if hunk is not None:
            old, new = int(hunk[1]), int(hunk[2])
        elif old + new:
            old, new = old + (line[:1] in "- "), new + (line[:1] in "+ ")
        piece.append(line)
    if piece:
        yield piece
