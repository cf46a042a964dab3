"""A Markdown text while it is written, in pieces: finished ones never change, only the last one is still open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

LIST_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\Z)")
ITEM_MARK = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|\Z)")
FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<marker>`{3,}(?=[^`]*\Z)|~{3,})(?P<info>.*)\Z", re.DOTALL)
HALF_FENCE = re.compile(r"[ \t]*(?:`+|~+)\Z")
HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|\Z)")
INDENTED = re.compile(r" {2,}|\t")
# Quotations and tables: what looks like a list item inside them is none.
HELD_TOGETHER = (">", "|")
# A long fence or an endless paragraph is committed in parts, so that its open end stays cheap to render.
FENCE_LINES = 40
TAB_COLUMNS = 4
OPEN_CHARACTERS = 6_000
OPEN_TABLE_CHARACTERS = 40_000


# Colours are kept for a code, whatever is in it.
@dataclass(slots=True, eq=False)
class Code:
    """A fenced piece of code as a whole, for those who colour it; its lines are shared among several pieces."""

    language: str
    lines: list[str] = field(default_factory=list[str])
    is_closed: bool = False


@dataclass(slots=True)
class Piece:
    """Some whole lines and, of the last piece, the beginning of another one. `stamp` rises with every change.

    With `code` the lines are those of the code from `first` on, up to `last` where another piece goes on with it.
    What goes on inside a list item has its `indent` taken off, and knows how many lists are around it (`depth`).
    What goes on after the cut of a very long line `is_inline`: nothing at its beginning is the mark of a list or so.
    """

    has_gap: bool = False
    lines: list[str] = field(default_factory=list[str])
    rest: str = ""
    stamp: int = 0
    code: Code | None = None
    first: int = 0
    last: int | None = None
    indent: int = 0
    depth: int = 0
    is_inline: bool = False

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
    """`before` is how many columns of list marks stand before the opening line."""

    def __init__(self, match: re.Match[str], before: int = 0) -> None:
        self.opening = match.group()
        self.marker = match["marker"]
        self.indent = before + _columns(match["indent"])
        self.language = next(iter(match["info"].split()), "")

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
        # The code of a list item, as long as it is short enough to stay there, and the line that it began with.
        self._item_fence: _Fence | None = None
        self._item_fence_line = 0
        self._is_item = False
        # The columns where the contents of the open list items begin, from the outermost to the innermost.
        self._items: list[int] = []
        self._is_cut = False
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
        if self._pieces and self._pieces[-1].rest and (lines or len(self._rest) > OPEN_CHARACTERS):
            self._pieces[-1].rest = ""
            self._touch(self._pieces[-1])
        for line in lines:
            self._take(self._last_slice(line))
            self._end_line()
        # A line without end would be looked at again and again as it grows.
        self._rest = self._last_slice(self._rest)
        self._show_rest()

    def _last_slice(self, line: str) -> str:
        """Take all that must be cut off a line; gives the end of it."""
        *firsts, last = slices(line)
        for each in firsts:
            self._take(each)
            self._is_cut = True
        return last

    def _end_line(self) -> None:
        if self._is_cut:
            self._is_cut = False
            # What follows is no part of the piece that only goes on with the line.
            self._has_ended = True

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
            self._take_item_code(self._item_fence, line)
        elif not line.strip():
            self._after_blank = not self._is_cut
        elif self._is_cut:
            self._pieces.append(self._going_on())
            self._append(line.strip())
        else:
            self._take_text(line)

    def _take_text(self, line: str) -> None:
        fence = FENCE.match(line)
        goes_on = self._continues_item(line)
        if fence is not None and not goes_on and _columns(fence["indent"]) <= 3:
            self._begin_fence(fence)
            return
        if self._begins_piece(line):
            self._pieces.append(self._new_piece(line))
            self._after_blank = False
            self._open_length = 0
            self._is_item = goes_on or LIST_ITEM.match(line) is not None
            if not goes_on:
                self._items.clear()
        self._append(line)
        self._has_ended = HEADING.match(line) is not None
        if self._is_item:
            self._take_marks(line)

    def _take_marks(self, line: str) -> None:
        """Know the list items that a line begins, and whether it begins code in one."""
        rest = line.lstrip(" \t")
        column = _columns(line[: len(line) - len(rest)])
        before = 0
        while (mark := ITEM_MARK.match(rest)) is not None:
            self._items = [each for each in self._items if each <= column]
            column += max(_columns(mark.group()), len(mark.group().rstrip()) + 1)
            self._items.append(column)
            rest = rest[mark.end() :]
            before = column
        fence = FENCE.match(rest if before else line)
        if fence is not None:
            self._item_fence = _Fence(fence, before)
            self._item_fence_line = len(self._pieces[-1].lines) - 1

    def _continues_item(self, line: str) -> bool:
        return self._is_item and INDENTED.match(line) is not None

    def _begins_piece(self, line: str) -> bool:
        if self._has_ended:
            return True
        if self._continues_item(line):
            rest = line.lstrip(" \t")
            if self._after_blank or ITEM_MARK.match(rest):
                is_left = _columns(line[: len(line) - len(rest)]) < self._pieces[-1].indent
                return is_left or self._open_length > OPEN_CHARACTERS
            return self._open_length > OPEN_TABLE_CHARACTERS
        is_together = self._pieces[-1].lines[0].lstrip().startswith(HELD_TOGETHER)
        if self._after_blank or HEADING.match(line):
            return True
        if self._open_length > (OPEN_TABLE_CHARACTERS if is_together else OPEN_CHARACTERS):
            return True
        return not is_together and LIST_ITEM.match(line) is not None

    def _new_piece(self, line: str) -> Piece:
        """For a line that begins one."""
        piece = Piece(has_gap=self._after_blank and bool(self._pieces))
        if self._continues_item(line):
            column = _columns(line[: len(line) - len(line.lstrip(" \t"))])
            around = [each for each in self._items if each <= column]
            piece.indent, piece.depth = max(around, default=0), len(around)
        return piece

    def _going_on(self) -> Piece:
        """For what comes after the cut of a line."""
        self._open_length = 0
        return Piece(is_inline=True, indent=self._items[-1] if self._is_item and self._items else 0)

    def _append(self, line: str) -> None:
        piece = self._pieces[-1]
        if self._after_blank:
            piece.lines.append("")
            self._after_blank = False
        piece.lines.append(_without_indent(line, piece.indent))
        self._open_length += len(line) + 1
        self._touch(piece)

    def _begin_fence(self, match: re.Match[str]) -> None:
        self._fence = _Fence(match)
        self._pieces.append(Piece(has_gap=bool(self._pieces), code=Code(self._fence.language)))
        self._touch(self._pieces[-1])
        self._after_blank = self._is_item = False
        self._open_length = 0

    def _take_code(self, fence: _Fence, line: str) -> None:
        if fence.is_closed_by(line) and not self._is_cut:
            self._end_fence()
            return
        piece = self._pieces[-1]
        if piece.code is None:
            raise AssertionError("a fence without code")
        piece.code.lines.append(line if self._is_cut else _without_indent(line, fence.indent))
        self._touch(piece)
        self._open_length += len(line) + 1
        self._share_code(piece, piece.code)

    def _share_code(self, piece: Piece, code: Code) -> None:
        """With another piece, where there is enough of it in this one."""
        if len(code.lines) - piece.first >= FENCE_LINES or self._open_length > OPEN_CHARACTERS:
            piece.last = len(code.lines)
            piece.rest = ""
            self._pieces.append(Piece(code=code, first=piece.last, indent=piece.indent))
            self._open_length = 0

    def _take_item_code(self, fence: _Fence, line: str) -> None:
        if fence.is_closed_by(line) and not self._is_cut:
            self._item_fence = None
        self._append(_in_item(line, fence))
        lines = self._pieces[-1].lines
        number = len(lines) - 1 - self._item_fence_line
        if self._item_fence is None:
            return
        if number >= FENCE_LINES or sum(map(len, lines[self._item_fence_line :])) > OPEN_CHARACTERS:
            self._item_fence = None
            self._take_out(fence)

    def _take_out(self, fence: _Fence) -> None:
        """Code that has become long leaves its list item, and goes on as any other code."""
        item = self._pieces[-1]
        opening, *lines = item.lines[self._item_fence_line :]
        del item.lines[self._item_fence_line :]
        if mark := opening[: opening.rindex(fence.opening)].rstrip():
            item.lines.append(mark)
        has_gap = False
        while item.lines and not item.lines[-1]:
            item.lines.pop()
            has_gap = True
        if item.lines:
            self._touch(item)
        else:
            has_gap = self._pieces.pop().has_gap
        code = Code(fence.language, [_without_indent(line, fence.indent - item.indent) for line in lines])
        piece = Piece(has_gap, code=code, indent=fence.indent)
        self._pieces.append(piece)
        self._touch(piece)
        self._fence = fence
        self._open_length = sum(map(len, code.lines))
        self._share_code(piece, code)

    def _end_fence(self) -> None:
        self._fence = None
        self._has_ended = True
        self._after_blank = not self._is_item
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
        rest = "" if (is_mark and not self._is_cut) or not self._rest.strip() else self._rest
        last = self._pieces[-1] if self._pieces else None
        if self._fence is not None:
            rest = rest if self._is_cut else _without_indent(rest, self._fence.indent)
        elif self._item_fence is not None:
            rest = _in_item(rest, self._item_fence)
        elif rest and (self._is_cut or self._begins_piece(rest)):
            self._tail = self._going_on() if self._is_cut else self._new_piece(rest)
            self._tail.rest = _without_indent(rest, self._tail.indent)
            self._touch(self._tail)
            rest = ""
        if last is not None and (rest or last.rest):
            if self._fence is None:
                rest = _without_indent(rest, last.indent)
            last.rest = f"\n{rest}" if rest and self._after_blank and self._fence is None else rest
            self._touch(last)

    def _touch(self, piece: Piece) -> None:
        self._stamps += 1
        piece.stamp = self._stamps


def slices(line: str) -> Iterator[str]:
    """A line in parts that are not too long, cut at blanks where there are any."""
    start = 0
    while len(line) - start > OPEN_CHARACTERS:
        cut = line.rfind(" ", start, start + OPEN_CHARACTERS) + 1
        cut = cut if cut > start else start + OPEN_CHARACTERS
        yield line[start:cut]
        start = cut
    yield line[start:]


def _columns(blanks: str) -> int:
    return len(blanks.expandtabs(TAB_COLUMNS))


def _without_indent(line: str, indent: int) -> str:
    rest = line.lstrip(" \t")
    if not indent or len(rest) == len(line):
        return line
    blanks = line[: len(line) - len(rest)].expandtabs(TAB_COLUMNS)
    return blanks[min(indent, len(blanks)) :] + rest


def _in_item(line: str, fence: _Fence) -> str:
    """A line of code in a list item: often written too far to the left, where it would end the item."""
    return " " * fence.indent + _without_indent(line, fence.indent) if line.strip() else ""
