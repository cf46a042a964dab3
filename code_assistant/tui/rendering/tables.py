"""Tables of Markdown: columns as wide as they need and the screen has, cells wrapped inside them.

Where that would leave columns too narrow to read, each cell has a row of its own, behind the heading of its column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.segment import Segment

from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Link, LinkSpan, Prefix, Row, Span, wrapped_rows

SEPARATOR = " │ "
LEAST_COLUMN = 6


@dataclass(frozen=True, slots=True)
class Cell:
    spans: tuple[Span, ...]
    links: tuple[LinkSpan, ...] = ()
    alignment: str = ""

    @property
    def cells(self) -> int:
        return max((cell_len(line) for line in "".join(text for text, _ in self.spans).split("\n")), default=0)


@dataclass(slots=True)
class Table:
    """The first row is the heading."""

    rows: list[list[Cell]] = field(default_factory=list[list[Cell]])


def table_rows(table: Table, width: int, prefix: Prefix, palette: Palette) -> list[Row]:
    columns = max((len(row) for row in table.rows), default=0)
    if not columns:
        return []
    room = width - prefix.cells - len(SEPARATOR) * (columns - 1)
    widths = _fitted(
        [max((row[i].cells for row in table.rows if i < len(row)), default=0) for i in range(columns)], room
    )
    if sum(widths) > room:
        return _listed(table, width, prefix, palette)
    rows: list[Row] = []
    for number, cells in enumerate(table.rows):
        rows += _row(cells, widths, prefix if not rows else prefix.used, palette)
        if number == 0:
            line = "─┼─".join("─" * each for each in widths)
            before = [Segment(text, style) for text, style in prefix.others]
            rows.append(Row((*before, Segment(line, palette.muted)), indent=sum(len(each.text) for each in before)))
    return rows


def _fitted(wanted: list[int], room: int) -> list[int]:
    """The widest columns give way first."""
    widths = [max(each, 1) for each in wanted]
    excess = sum(widths) - room
    while excess > 0:
        widest = max(widths)
        if widest <= LEAST_COLUMN:
            break
        widest_ones = [i for i, each in enumerate(widths) if each == widest]
        below = max((each for each in widths if each < widest), default=LEAST_COLUMN)
        step = min(max(widest - max(below, LEAST_COLUMN), 1), max(excess // len(widest_ones), 1))
        for i in widest_ones:
            if excess <= 0:
                break
            widths[i] -= step
            excess -= step
    return widths


def _listed(table: Table, width: int, prefix: Prefix, palette: Palette) -> list[Row]:
    headings, *body = table.rows
    rows: list[Row] = []
    for cells in body or [[]]:
        if rows:
            rows += wrapped_rows([("", palette.text)], width, prefix.used)
        for i, heading in enumerate(headings):
            cell = cells[i] if i < len(cells) else Cell(())
            between: Span = (": ", palette.muted)
            shift = sum(len(text) for text, _ in (*heading.spans, between))
            links = [LinkSpan(link.start + shift, link.end + shift, link.address) for link in cell.links]
            spans = (*heading.spans, between, *cell.spans)
            rows += wrapped_rows(spans, width, prefix if not rows else prefix.used, (*heading.links, *links))
    return rows


def _row(cells: Sequence[Cell], widths: list[int], prefix: Prefix, palette: Palette) -> list[Row]:
    columns = [
        wrapped_rows(cell.spans or (("", palette.text),), width, links=cell.links)
        for cell, width in zip(cells, widths, strict=False)
    ]
    rows: list[Row] = []
    for line in range(max(map(len, columns), default=0)):
        before = prefix.first if line == 0 else prefix.others
        segments = [Segment(text, style) for text, style in before]
        links: list[Link] = []
        for i, width in enumerate(widths):
            if i:
                segments.append(Segment(SEPARATOR, palette.muted))
            column = columns[i] if i < len(columns) else []
            alignment = cells[i].alignment if i < len(cells) else ""
            _add_cell(segments, links, column[line] if line < len(column) else None, width, alignment, palette)
        rows.append(Row(tuple(segments), sum(len(text) for text, _ in before), None, tuple(links)))
    return rows


def _add_cell(
    segments: list[Segment], links: list[Link], row: Row | None, width: int, alignment: str, palette: Palette
) -> None:
    free = max(width - (row.cells if row is not None else 0), 0)
    left = free if alignment == "right" else free // 2 if alignment == "center" else 0
    if left:
        segments.append(Segment(" " * left, palette.text))
    if row is not None:
        shift = sum(len(segment.text) for segment in segments)
        links += [Link(link.start + shift, link.end + shift, link.address) for link in row.links]
        segments += row.segments
    if free - left:
        segments.append(Segment(" " * (free - left), palette.text))
