"""A unified diff in colours, with the numbers of its lines; signs stay, so that colour is never the only mark."""

from __future__ import annotations

import re

from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Prefix, Row, one_row, wrapped_rows

HUNK = re.compile(r"@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@")
SHOWN_LINES = 4_000


def diff_rows(text: str, width: int, palette: Palette, before: Prefix) -> list[Row]:
    rows: list[Row] = []
    old = new = 0
    is_inside = False
    lines = text.removesuffix("\n").split("\n")
    digits = _digits(lines)
    for line in lines[:SHOWN_LINES]:
        line = line.expandtabs(4)
        hunk = HUNK.match(line)
        if hunk is not None:
            is_inside = True
            old, new = int(hunk[1]), int(hunk[2])
            rows.append(one_row([(line, palette.hunk)], width, before))
        elif line.startswith(("--- ", "+++ ")) and not is_inside:
            rows.append(one_row([(line, palette.muted)], width, before))
        elif line.startswith("+"):
            rows += _line(f"{new:>{digits}}", line, width, palette, before)
            new += 1
        elif line.startswith("-"):
            rows += _line(f"{old:>{digits}}", line, width, palette, before)
            old += 1
        elif line.startswith(" "):
            rows += _line(f"{new:>{digits}}", line, width, palette, before)
            old, new = old + 1, new + 1
        else:
            rows.append(one_row([(line, palette.muted)], width, before))
    if len(lines) > SHOWN_LINES:
        rows.append(one_row([(f"… {len(lines) - SHOWN_LINES:,} more lines", palette.muted)], width, before))
    return rows


def _digits(lines: list[str]) -> int:
    """As many as the highest number may need, so that all lines begin at one column."""
    starts = [max(int(hunk[1]), int(hunk[2])) for line in lines if (hunk := HUNK.match(line)) is not None]
    return max(3, len(str(max(starts, default=0) + len(lines))))


def _line(number: str, line: str, width: int, palette: Palette, before: Prefix) -> list[Row]:
    style = palette.added if line[0] == "+" else palette.removed if line[0] == "-" else palette.text
    first = (*before.first, (f"{number} ", palette.muted))
    others = (*before.others, (" " * (len(number) + 1), palette.muted))
    return wrapped_rows([(line, style)], width, Prefix(first, others))
