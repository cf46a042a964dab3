"""A piece of Markdown as rows. What Markdown does not know is shown as it was written."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from rich.segment import Segment

from code_assistant.tui.rendering.code import code_rows
from code_assistant.tui.rendering.inline import InlineSpans
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Prefix, Row, blank_row, moved, one_row, wrapped_rows
from code_assistant.tui.rendering.tables import Cell, Table, table_rows

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BULLETS = ("•", "◦", "▪")


@cache
def _parser() -> MarkdownIt:
    # Not at the top: it takes long to import, and the first frame has no Markdown.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def markdown_rows(text: str, width: int, palette: Palette, *, depth: int = 0, is_inline: bool = False) -> list[Row]:
    """Inside so many lists. What is inline has no blocks: nothing at the beginning of its lines has a meaning."""
    writer = _Writer(width, palette, depth)
    if is_inline:
        return writer.paragraph_of(_parser().parseInline(text)[0])
    return writer.rows_of(_parser().parse(text))


class _Writer:
    """Walks the tokens of a piece. Containers are prefixes of the rows inside them."""

    def __init__(self, width: int, palette: Palette, depth: int) -> None:
        self._width = width
        self._depth = depth
        self._palette = palette
        self._rows: list[Row] = []
        self._prefixes = [Prefix()]
        self._numbers: list[int | None] = []
        # Whether the lists around stay without blank rows, from the outermost to the innermost.
        self._tight: list[bool] = []
        self._needs_gap = False
        self._quotes = 0

    def rows_of(self, tokens: Sequence[Token]) -> list[Row]:
        index = 0
        while index < len(tokens):
            index = self._take(tokens, index)
        return self._rows

    def paragraph_of(self, inline: Token) -> list[Row]:
        self._paragraph(inline)
        return self._rows

    def _take(self, tokens: Sequence[Token], index: int) -> int:
        """Draw what begins at a token; gives the index behind it."""
        token = tokens[index]
        match token.type:
            case "heading_open":
                self._paragraph(tokens[index + 1], heading=token.tag)
                return index + 3
            case "paragraph_open":
                self._paragraph(tokens[index + 1])
                # Hidden paragraphs are those of tight lists, whose lines stay together.
                self._needs_gap = not token.hidden
                return index + 3
            case "bullet_list_open" | "ordered_list_open":
                start = token.attrs.get("start", 1) if token.type == "ordered_list_open" else None
                self._numbers.append(int(start) if start is not None else None)
                self._tight.append(_is_tight(tokens, index))
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
                self._tight.pop()
                self._needs_gap = not self._numbers
            case "list_item_open":
                self._open_item(token)
            case "blockquote_open":
                self._gap()
                bar = (("▎ ", self._palette.muted),)
                self._nest(Prefix(bar, bar))
                self._quotes += 1
            case "blockquote_close":
                self._prefixes.pop()
                self._quotes -= 1
            case "list_item_close":
                if self._prefixes[-1].first != self._prefixes[-1].others:
                    # An item without anything in it still has its mark.
                    self._add([one_row([], self._width, self._prefix())])
                self._prefixes.pop()
            case "fence" | "code_block":
                self._code(token)
            case "hr":
                self._gap()
                room = max(self._width - self._prefixes[-1].cells, 1)
                self._add([one_row([("─" * room, self._palette.muted)], self._width, self._prefix())])
            case "table_open":
                return self._table(tokens, index)
            case "html_block":
                self._plain(token.content.rstrip("\n"))
            case _:
                pass
        return index + 1

    def _open_item(self, token: Token) -> None:
        number = self._numbers[-1]
        if number is None:
            mark = BULLETS[(self._depth + len(self._numbers) - 1) % len(BULLETS)]
        else:
            mark = f"{token.info or number}."
            self._numbers[-1] = number + 1
        first = ((f"{mark} ", self._palette.muted),)
        others = ((" " * (len(mark) + 1), self._palette.text),)
        self._nest(Prefix(first, others))

    def _nest(self, prefix: Prefix) -> None:
        """Inside what is around it, as long as there is room for text beside that."""
        nested = self._prefixes[-1].then(prefix)
        self._prefixes.append(nested if nested.cells <= self._width // 2 else prefix)

    def _paragraph(self, inline: Token, heading: str = "") -> None:
        palette = self._palette
        base = palette.heading if heading else palette.quote if self._quotes else palette.text
        spans = InlineSpans(palette, base)
        spans.add_all(inline)
        self._gap()
        self._add(wrapped_rows(spans.spans or [("", base)], self._width, self._prefix(), spans.links))

    def _plain(self, text: str) -> None:
        self._gap()
        self._add(wrapped_rows([(text, self._palette.text)], self._width, self._prefix()))

    def _code(self, token: Token) -> None:
        self._gap()
        language = token.info.split()[0] if token.info.split() else ""
        lines = token.content.removesuffix("\n").split("\n")
        prefix = self._prefix()
        rows = code_rows(lines, language, self._width - prefix.cells, self._palette)
        before = [tuple(Segment(piece, style) for piece, style in spans) for spans in (prefix.first, prefix.others)]
        for number, row in enumerate(rows):
            segments = (*before[min(number, 1)], *row.segments)
            shift = sum(len(segment.text) for segment in before[min(number, 1)])
            self._rows.append(Row(segments, row.indent + shift, row.joint, moved(row.links, shift)))
        self._needs_gap = not (self._tight and self._tight[-1])

    def _table(self, tokens: Sequence[Token], index: int) -> int:
        self._gap()
        table = Table()
        while tokens[index].type != "table_close":
            token = tokens[index]
            if token.type == "tr_open":
                table.rows.append([])
            elif token.type == "inline":
                is_heading = tokens[index - 1].type == "th_open"
                spans = InlineSpans(self._palette, self._palette.strong if is_heading else self._palette.text)
                spans.add_all(token)
                alignment = str(tokens[index - 1].attrs.get("style", "")).removeprefix("text-align:")
                table.rows[-1].append(Cell(tuple(spans.spans), tuple(spans.links), alignment))
            index += 1
        self._add(table_rows(table, self._width, self._prefix(), self._palette))
        return index + 1

    def _gap(self) -> None:
        """A blank row between what Markdown keeps apart, but not inside tight lists."""
        if self._needs_gap and self._rows:
            others = self._prefixes[-1].others
            self._rows.append(one_row([], self._width, Prefix(others, others)) if others else blank_row())
        self._needs_gap = False

    def _add(self, rows: list[Row]) -> None:
        self._rows += rows
        self._needs_gap = not self._numbers

    def _prefix(self) -> Prefix:
        """The prefix for the next rows; what stands only before a first row is used up by it, all around it, too."""
        prefix = self._prefixes[-1]
        self._prefixes = [each.used for each in self._prefixes]
        return prefix


def _is_tight(tokens: Sequence[Token], opening: int) -> bool:
    """Whether the list that begins there has no blank lines in it: Markdown hides the paragraphs of such a list."""
    inside = tokens[opening].level + 2
    for token in tokens[opening + 1 :]:
        if token.level == tokens[opening].level:
            break
        if token.type == "paragraph_open" and token.level == inside:
            return token.hidden
    return True
