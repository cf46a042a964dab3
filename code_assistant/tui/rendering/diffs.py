"""A unified diff in colours, with the numbers of its lines; signs stay, so that colour is never the only mark."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Prefix, Row, one_row, wrapped_rows

HUNK = re.compile(r"@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@")
SHOWN_LINES = 4_000


def diff_rows(text: str, width: int, palette: Palette, before: Prefix) -> list[Row]:
    rows: list[Row] = []
    lines = text.removesuffix("\n").split("\n")
    digits = digits_needed(lines)
    shown = lines[:SHOWN_LINES]
    for number, line in zip(line_numbers(shown), shown, strict=True):
        rows += diff_line_rows(number, line.expandtabs(4), digits, width, palette, before)
    if len(lines) > SHOWN_LINES:
        rows.append(one_row([(f"… {len(lines) - SHOWN_LINES:,} more lines", palette.muted)], width, before))
    return rows


def line_numbers(lines: Iterable[str]) -> Iterator[int | None]:
    """The number of each line in its file, the old file for what is removed; None for what is no line of a file."""
    old = new = 0
    is_inside = False
    for line in lines:
        hunk = HUNK.match(line)
        if hunk is not None:
            is_inside = True
            old, new = int(hunk[1]), int(hunk[2])
            yield None
        elif line.startswith(("--- ", "+++ ")) and not is_inside:
            yield None
        elif line.startswith("-"):
            yield old
            old += 1
        elif line.startswith(("+", " ")):
            yield new
            old, new = old + (line[0] == " "), new + 1
        else:
            yield None


def digits_needed(lines: Sequence[str]) -> int:
    """As many as the highest number may need, so that all lines begin at one column."""
    starts = [max(int(hunk[1]), int(hunk[2])) for line in lines if (hunk := HUNK.match(line)) is not None]
    return max(3, len(str(max(starts, default=0) + len(lines))))


def diff_line_rows(
    number: int | None, line: str, digits: int, width: int, palette: Palette, before: Prefix
) -> list[Row]:
    """One line, without tabs."""
    if number is None:
        style = palette.muted if HUNK.match(line) is None else palette.hunk
        return [one_row([(line, style)], width, before)]
    style = palette.added if line[0] == "+" else palette.removed if line[0] == "-" else palette.text
    first = (*before.first, (f"{number:>{digits}} ", palette.muted))
    others = (*before.others, (" " * (digits + 1), palette.muted))
    return wrapped_rows([(line, style)], width, Prefix(first, others))
