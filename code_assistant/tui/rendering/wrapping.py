"""Where a text is broken into rows: at blanks where there are any, never inside what is one character to the eye."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes

# Characters that take one cell each and combine with nothing; texts made of them need no table of widths.
SINGLE_CELLS = re.compile(
    "[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u0391-\u03ff\u0400-\u0482\u2010-\u2027\u2190-\u2193\u2500-\u259f]*"
)
ELLIPSIS = "…"


class Line(NamedTuple):
    """Positions in the text; `joint` is what was left out between this line and the one before, None for a new line."""

    start: int
    end: int
    joint: str | None


def wrapped(text: str, width: int) -> list[Line]:
    """At least one line, none wider than `width` cells (a character that is wider than that stands alone)."""
    lines: list[Line] = []
    start = 0
    for part in text.split("\n"):
        end = start + len(part)
        if len(part) <= width and SINGLE_CELLS.fullmatch(part):
            lines.append(Line(start, end, None))
        elif SINGLE_CELLS.fullmatch(part):
            lines += _wrapped_singles(text, start, end, width)
        else:
            lines += _wrapped_graphemes(part, start, width)
        start = end + 1
    return lines


def cut_to_cells(text: str, cells: int) -> str:
    """The text as far as it fits, an ellipsis at its end where it does not."""
    if cell_len(text) <= cells:
        return text
    if cells <= 1:
        return ELLIPSIS[:cells]
    used = 0
    for start, _, width in split_graphemes(text)[0]:
        if used + width > cells - 1:
            return text[:start] + ELLIPSIS
        used += width
    return text


def _wrapped_singles(text: str, start: int, end: int, width: int) -> Iterator[Line]:
    joint: str | None = None
    while end - start > width:
        blank = text.rfind(" ", start, start + width + 1)
        if blank <= start or text[start:blank].isspace():
            yield Line(start, start + width, joint)
            start, joint = start + width, ""
            continue
        yield Line(start, blank, joint)
        start, joint = blank + 1, " "
    yield Line(start, end, joint)


def _wrapped_graphemes(part: str, offset: int, width: int) -> Iterator[Line]:
    joint: str | None = None
    line_start = used = 0
    blank = -1
    spans, _ = split_graphemes(part)
    index = 0
    while index < len(spans):
        start, end, cells = spans[index]
        if used + cells > width and start > line_start:
            if part[start:end] == " ":
                yield Line(offset + line_start, offset + start, joint)
                line_start, joint = end, " "
                index += 1
            elif blank > line_start and not part[line_start:blank].isspace():
                yield Line(offset + line_start, offset + blank, joint)
                line_start, joint = blank + 1, " "
                # What stood behind the blank goes to the next line, so it is measured there.
                while spans[index][0] > line_start:
                    index -= 1
            else:
                yield Line(offset + line_start, offset + start, joint)
                line_start, joint = start, ""
            used, blank = 0, -1
            continue
        if part[start:end] == " ":
            blank = start
        used += cells
        index += 1
    yield Line(offset + line_start, offset + len(part), joint)
