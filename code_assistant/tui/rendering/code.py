"""Code as rows on a panel of its own, coloured where its language is known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.references import underlined
from code_assistant.tui.rendering.rows import Prefix, Row, Span, wrapped_rows
from code_assistant.tui.transcript.pieces import Code

if TYPE_CHECKING:
    from pygments.lexer import Lexer

TAB_CELLS = 4
# Longer code is shown plain: colouring it would be felt.
COLORED_CHARACTERS = 40_000
ColoredLine = list[Span]
# Codes that are shared among pieces, whose colours are kept: more than anybody looks at, at once.
KEPT_CODES = 16


def code_rows(lines: Sequence[str], language: str, width: int, palette: Palette) -> list[Row]:
    return panel_rows(colored(lines, language, palette), width, palette)


def colored(lines: Sequence[str], language: str, palette: Palette) -> list[ColoredLine]:
    """The lines as styled spans. Nothing is lost or added, whatever a lexer makes of it."""
    expanded = [line.expandtabs(TAB_CELLS) for line in lines]
    lexer = _lexer(language) if language and sum(map(len, expanded)) <= COLORED_CHARACTERS else None
    if lexer is None:
        return [[(line, palette.code)] for line in expanded]
    result: list[ColoredLine] = [[]]
    for kind, text in lexer.get_tokens("\n".join(expanded)):
        style = _style(kind, palette)
        first, *others = text.split("\n")
        if first:
            result[-1].append((first, style))
        result += [[(line, style)] if line else [] for line in others]
    del result[len(expanded) :]
    is_whole = ["".join(text for text, _ in line) for line in result] == expanded
    return result if is_whole else [[(line, palette.code)] for line in expanded]


@lru_cache(maxsize=KEPT_CODES)
def colored_whole(code: Code, palette: Palette) -> list[ColoredLine]:
    """The lines of code to which nothing is added any more: each of its pieces would colour all of them."""
    return colored(code.lines, code.language, palette)


def panel_rows(lines: Sequence[ColoredLine], width: int, palette: Palette) -> list[Row]:
    margin = Prefix(((" ", palette.code),), ((" ", palette.code),))
    rows: list[Row] = []
    for line in lines:
        spans, links = underlined(line or [("", palette.code)])
        for row in wrapped_rows(spans, max(width - 1, 2), margin, links):
            free = width - sum(cell_len(segment.text) for segment in row.segments)
            padding = (Segment(" " * free, palette.code),) if free > 0 else ()
            rows.append(Row((*row.segments, *padding), row.indent, row.joint, row.links))
    return rows


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=1024)
def _style(kind: Any, palette: Palette) -> Style:
    """By the beginning of a token's name, the most telling first."""
    name = str(kind)
    for beginning, style in (
        ("Token.Comment", palette.comment),
        ("Token.Keyword", palette.keyword),
        ("Token.Operator.Word", palette.keyword),
        ("Token.Literal.String", palette.string),
        ("Token.Literal.Number", palette.number),
        ("Token.Name.Function", palette.name),
        ("Token.Name.Class", palette.name),
        ("Token.Name.Decorator", palette.number),
        ("Token.Name.Builtin", palette.name),
        ("Token.Name.Tag", palette.keyword),
        ("Token.Name.Attribute", palette.name),
    ):
        if name.startswith(beginning):
            return style
    return palette.code
