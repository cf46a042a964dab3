"""Line ends: each line keeps its own, and new lines are given those of their neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from code_assistant.workspace.line_matching import Pair, matching_lines

LF = b"\n"
CR = b"\r"
CRLF = b"\r\n"
LONE_LF = re.compile(rb"(?<!\r)\n")


@dataclass(frozen=True, slots=True)
class LineEnds:
    """How the lines of a text end. `usual` is the most frequent end; `is_mixed` says whether there are others."""

    usual: bytes
    is_mixed: bool


def line_ends(body: bytes) -> LineEnds:
    """A carriage return alone ends lines only in a text that has no newline at all."""
    if CR not in body:
        return LineEnds(LF, is_mixed=False)
    all_ends, crlf = body.count(LF), body.count(CRLF)
    if not all_ends:
        return LineEnds(CR, is_mixed=False)
    return LineEnds(CRLF if 2 * crlf > all_ends else LF, is_mixed=0 < crlf < all_ends)


def with_ends(text: bytes, end: bytes) -> bytes:
    """The text with this end wherever it has a bare newline."""
    return text if end == LF else LONE_LF.sub(end, text)


def split_lines(text: bytes) -> list[bytes]:
    """The lines with their ends; only a newline separates lines."""
    *lines, last = text.split(LF)
    ended = [line + LF for line in lines]
    return [*ended, last] if last else ended


def end_of(line: bytes) -> bytes:
    return CRLF if line.endswith(CRLF) else LF if line.endswith(LF) else b""


def end_before(body: bytes, position: int) -> bytes:
    """The end of the line before the one that a position is in; empty in the first line."""
    newline = body.rfind(LF, 0, position)
    return b"" if newline < 0 else end_of(body[max(newline - 1, 0) : newline + 1])


def end_after(body: bytes, position: int) -> bytes:
    newline = body.find(LF, position)
    return b"" if newline < 0 else end_of(body[max(newline - 1, 0) : newline + 1])


def with_ends_kept(old: bytes, new: bytes, before: bytes, otherwise: bytes) -> bytes:
    """A new part of a text with mixed ends in place of an old one.

    Lines that stay, and those that take the place of one, keep the end of the old line. All others get the end of the
    line before; `before` is the one in front of the part, `otherwise` what to take where there is none.
    """
    *old_pieces, _ = old.split(LF)
    *new_pieces, last = new.split(LF)
    ends = [CRLF if piece.endswith(CR) else LF for piece in old_pieces]
    kept = dict(_successors([piece.removesuffix(CR) for piece in old_pieces], [p.removesuffix(CR) for p in new_pieces]))
    parts: list[bytes] = []
    previous = before or otherwise
    for position, piece in enumerate(new_pieces):
        if piece.endswith(CR):
            previous = CRLF
            parts += (piece, LF)
            continue
        if position in kept:
            previous = ends[kept[position]]
        parts += (piece, previous)
    return b"".join((*parts, last))


def _successors(old: Sequence[bytes], new: Sequence[bytes]) -> Iterable[Pair]:
    """For new lines the old ones whose place they have."""
    pairs = matching_lines(old, new)
    for (i, j), (next_i, next_j) in pairwise([(-1, -1), *pairs, (len(old), len(new))]):
        for step in range(1, min(next_i - i, next_j - j)):
            yield j + step, i + step
    for i, j in pairs:
        yield j, i
