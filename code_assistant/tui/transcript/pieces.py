"""A Markdown text while it is written, in pieces: finished ones never change, only the last one is still open."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

LIST_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\Z)")
FENCE = re.compile(r"(?P<indent> *)(?P<marker>`{3,}(?=[^`]*\Z)|~{3,})(?P<info>.*)\Z", re.DOTALL)
HALF_FENCE = re.compile(r" *(?:`+|~+)\Z")
HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|\Z)")
INDENTED = re.compile(r" {2,}|\t")
# Quotations and tables: what looks like a list item inside them is none.
HELD_TOGETHER = (">", "|")
# A long fence or an endless paragraph is committed in parts, so that its open end stays cheap to render.
FENCE_LINES = 40
OPEN_CHARACTERS = 6_000
OPEN_TABLE_CHARACTERS = 40_000


@dataclass(slots=True)
class Code:
    """A fenced piece of code as a whole, for those who colour it; its lines are shared among several pieces."""

    language: str
    lines: list[str] = field(default_factory=list[str])
    is_closed: bool = False


@dataclass(slots=True)
class Piece:
    """Some whole lines and, of the last piece, the beginning of another one. `stamp` rises with every change.

    With `code` the lines are those of the code from `first` on, up to `last` where another piece goes on with it.
    """

    has_gap: bool = False
    lines: list[str] = field(default_factory=list[str])
    rest: str = ""
    stamp: int = 0
    code: Code | None = None
    first: int = 0
    last: int | None = None

    @property
    def text(self) -> str:
        return "\n".join([*self.lines, self.rest] if self.rest else self.lines)

    @property
    def code_lines(self) -> list[str]:
        if self.code is None:
            return []
        lines = self.code.lines[self.first : self.last]
        return [*lines, self.rest] if self.rest else lines

    @property
    def size(self) -> int:
        """About how many characters it has."""
        return sum(map(len, self.code_lines if self.code is not None else self.lines)) + len(self.rest)


class _Fence:
    def __init__(self, match: re.Match[str]) -> None:
        self.marker = match["marker"]
        self.indent = len(match["indent"])

    def is_closed_by(self, line: str) -> bool:
        found = FENCE.match(line)
        if found is None or found["info"].strip():
            return False
        return found["marker"][0] == self.marker[0] and len(found["marker"]) >= len(self.marker)


class MarkdownPieces:
    """Feed text in any portions; what a portion costs does not depend on how much came before it."""

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        self._tail: Piece | None = None
        self._rest = ""
        self._fence: _Fence | None = None
        self._item_fence: _Fence | None = None
        self._is_item = False
        self._has_ended = True
        self._after_blank = False
        self._open_length = 0
        self._stamps = 0
        self._sizes: list[tuple[int, int]] = []
        self._is_finished = False

    @property
    def count(self) -> int:
        return len(self._pieces) + (self._tail is not None)

    def __getitem__(self, index: int) -> Piece:
        return self._tail if self._tail is not None and index == len(self._pieces) else self._pieces[index]

    def sizes(self) -> list[tuple[int, int]]:
        """Of every piece the rows that it has at any width, and about how many characters; cheap to ask again."""
        if self._is_finished and self._sizes:
            return self._sizes
        # Only the last two can have changed.
        del self._sizes[max(len(self._sizes) - 2, 0) :]
        for index in range(len(self._sizes), self.count):
            piece = self[index]
            lines = len(piece.code_lines) if piece.code is not None else len(piece.lines)
            self._sizes.append((max(lines, 1) + piece.has_gap, piece.size))
        return self._sizes

    def feed(self, text: str) -> None:
        *lines, self._rest = (self._rest + text).split("\n")
        if lines and self._pieces:
            self._pieces[-1].rest = ""
        for line in lines:
            self._take(line)
        if len(self._rest) > OPEN_CHARACTERS:
            # A line without end would be looked at again and again as it grows.
            cut = self._rest.rfind(" ") + 1 or len(self._rest)
            if self._pieces:
                self._pieces[-1].rest = ""
            self._take(self._rest[:cut].rstrip(" "))
            self._rest = self._rest[cut:]
        self._show_rest()

    def finish(self) -> None:
        """Nothing more comes."""
        if self._rest:
            self.feed("\n")
        if self._fence is not None:
            self._end_fence()
        self._has_ended = True
        self._is_finished = True
        self._sizes.clear()

    def _take(self, line: str) -> None:
        if self._fence is not None:
            self._take_code(self._fence, line)
        elif self._item_fence is not None:
            self._append(line)
            if self._item_fence.is_closed_by(line):
                self._item_fence = None
        elif line.strip():
            self._take_text(line)
        else:
            self._after_blank = True

    def _take_text(self, line: str) -> None:
        fence = FENCE.match(line)
        if fence is not None and self._continues_item(line):
            self._append(line)
            self._item_fence = _Fence(fence)
            return
        if fence is not None and len(fence["indent"]) <= 3:
            self._begin_fence(fence)
            return
        if self._begins_piece(line):
            self._pieces.append(Piece(has_gap=self._after_blank and bool(self._pieces)))
            self._after_blank = self._has_ended = False
            self._open_length = 0
            self._is_item = LIST_ITEM.match(line) is not None
        self._append(line)
        self._has_ended = HEADING.match(line) is not None

    def _continues_item(self, line: str) -> bool:
        return self._is_item and not self._has_ended and INDENTED.match(line) is not None

    def _begins_piece(self, line: str) -> bool:
        if self._has_ended:
            return True
        if self._continues_item(line):
            return self._open_length > OPEN_TABLE_CHARACTERS
        is_together = self._pieces[-1].lines[0].lstrip().startswith(HELD_TOGETHER)
        if self._after_blank or HEADING.match(line):
            return True
        if self._open_length > (OPEN_TABLE_CHARACTERS if is_together else OPEN_CHARACTERS):
            return True
        return not is_together and LIST_ITEM.match(line) is not None

    def _append(self, line: str) -> None:
        piece = self._pieces[-1]
        if self._after_blank:
            piece.lines.append("")
            self._after_blank = False
        piece.lines.append(line)
        self._open_length += len(line) + 1
        self._touch(piece)

    def _begin_fence(self, match: re.Match[str]) -> None:
        self._fence = _Fence(match)
        words = match["info"].split()
        self._pieces.append(Piece(has_gap=bool(self._pieces), code=Code(words[0] if words else "")))
        self._touch(self._pieces[-1])
        self._after_blank = self._is_item = False

    def _take_code(self, fence: _Fence, line: str) -> None:
        if fence.is_closed_by(line):
            self._end_fence()
            return
        piece = self._pieces[-1]
        if piece.code is None:
            raise AssertionError("a fence without code")
        piece.code.lines.append(_without_indent(line, fence.indent))
        self._touch(piece)
        if len(piece.code.lines) - piece.first >= FENCE_LINES:
            piece.last = len(piece.code.lines)
            piece.rest = ""
            self._pieces.append(Piece(code=piece.code, first=piece.last))

    def _end_fence(self) -> None:
        self._fence = None
        self._has_ended = self._after_blank = True
        code = self._pieces[-1].code
        if code is None:
            raise AssertionError("a fence without code")
        code.is_closed = True
        for piece in reversed(self._pieces):
            if piece.code is not code:
                break
            # Colours may depend on all of the code, which is there only now.
            self._touch(piece)

    def _show_rest(self) -> None:
        """The unfinished last line, as far as it has come, in the piece that it will belong to."""
        self._tail = None
        is_mark = HALF_FENCE.match(self._rest) or (self._fence is None and FENCE.match(self._rest))
        rest = "" if is_mark or not self._rest.strip() else self._rest
        last = self._pieces[-1] if self._pieces else None
        if self._fence is None and self._item_fence is None and rest and self._begins_piece(rest):
            self._tail = Piece(has_gap=self._after_blank and last is not None, rest=rest)
            self._touch(self._tail)
            rest = ""
        if last is not None and (rest or last.rest):
            last.rest = f"\n{rest}" if rest and self._after_blank and self._fence is None else rest
            self._touch(last)

    def _touch(self, piece: Piece) -> None:
        self._stamps += 1
        piece.stamp = self._stamps


def _without_indent(line: str, indent: int) -> str:
    blanks = len(line) - len(line.lstrip(" "))
    return line[min(indent, blanks) :]
