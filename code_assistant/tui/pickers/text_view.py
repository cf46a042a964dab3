"""Text to read: wrapped to the width, scrolled with the usual keys, selected with the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from rich.cells import cell_len
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from code_assistant.tui.frame.spans import ROLE_CLASSES, Span, role_css, strip_of
from code_assistant.tui.rendering.wrapping import wrapped

MARGIN = 1


@dataclass(frozen=True, slots=True)
class Paragraph:
    """What was sanitised already. `label` stands before its first row, in a column of `label_cells`."""

    spans: tuple[Span, ...] = ()
    label: Span | None = None
    label_cells: int = 0


@dataclass(frozen=True, slots=True)
class TextRow:
    """`indent` characters are not copied; `joint` stood between this row and the one before, None for a new line."""

    spans: tuple[Span, ...]
    indent: int
    joint: str | None

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


Paragraphs: TypeAlias = Sequence[Paragraph]


class TextView(ScrollView, can_focus=True):
    """As high as its text where there is room for it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES, "text--selection"}
    DEFAULT_CSS = """
    TextView {
        height: auto; width: 1fr; overflow-x: hidden; scrollbar-gutter: stable; scrollbar-size: 0 1;
        scrollbar-background: $surface; scrollbar-background-hover: $surface; scrollbar-background-active: $surface;
    }
    TextView > .text--selection { background: $primary 35%; }
    TextView:ansi > .text--selection { background: transparent; text-style: reverse; }
    """ + role_css("TextView")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", show=False),
        Binding("down,j", "scroll_down", "Down", show=False),
        Binding("pageup,b", "page_up", "Page up", show=False),
        Binding("pagedown,space", "page_down", "Page down", show=False),
        Binding("home,g", "scroll_home", "Start", show=False),
        Binding("end,G", "scroll_end", "End", show=False),
    ]

    def __init__(self, paragraphs: Paragraphs) -> None:
        super().__init__()
        self._paragraphs = paragraphs
        self._rows: list[TextRow] = []
        self._width = -1

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        # The gutter of the scroll bar is inside this width.
        self._lay_out(width - self.styles.scrollbar_size_vertical)
        return max(len(self._rows), 1)

    def on_resize(self) -> None:
        width = self.scrollable_content_region.width
        self._lay_out(width)
        self.virtual_size = Size(width, len(self._rows))
        self.refresh()

    def show(self, paragraphs: Paragraphs) -> None:
        """Other text from now on, from its beginning."""
        self._paragraphs, self._width = paragraphs, -1
        self.scroll_home(animate=False)
        self.on_resize()
        self.refresh(layout=True)

    def _lay_out(self, width: int) -> None:
        if width != self._width:
            self._width = width
            self._rows = [row for paragraph in self._paragraphs for row in text_rows(paragraph, width)]

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if line >= len(self._rows):
            return strip_of(self, (), width)
        row = self._rows[line]
        strip = strip_of(self, row.spans, width)
        if (selection := self.text_selection) is not None and (span := selection.get_span(line)) is not None:
            strip = self._with_selection(strip, row, span)
        return strip.apply_offsets(0, line)

    # Selecting

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        pieces: list[str] = []
        for line, row in enumerate(self._rows):
            if (span := selection.get_span(line)) is None:
                continue
            start, end = _bounds(row, span)
            if pieces:
                pieces.append("\n" if row.joint is None else row.joint)
            pieces.append(row.text[start:end])
        return ("".join(pieces), "\n") if pieces else None

    def _with_selection(self, strip: Strip, row: TextRow, span: tuple[int, int]) -> Strip:
        start, end = (cell_len(row.text[:place]) for place in _bounds(row, span))
        if end <= start:
            return strip
        look = self.get_component_rich_style("text--selection")
        over = Style(bgcolor=look.bgcolor, reverse=look.reverse)
        before, selected, after = strip.divide([start, end, strip.cell_length])
        return Strip.join([before, selected.apply_style(over), after])


def text_rows(paragraph: Paragraph, width: int) -> list[TextRow]:
    """The label, if any, in its own column, with the text beside it."""
    column = min(paragraph.label_cells, width * 2 // 5)
    text = "".join(span.text for span in paragraph.spans)
    lines = wrapped(text, max(width - column - 2 * MARGIN, 1))
    labels = _label_lines(paragraph.label, column)
    rows: list[TextRow] = []
    for number in range(max(len(lines), len(labels))):
        label = labels[number] if number < len(labels) else Span("")
        free = Span(" " * max(column - cell_len(label.text), 0))
        line = lines[number] if number < len(lines) else None
        spans = _slice(paragraph.spans, line.start, line.end) if line is not None else ()
        indent = MARGIN if label.text else MARGIN + column
        rows.append(TextRow((Span(" " * MARGIN), label, free, *spans), indent, line.joint if line else ""))
    return rows


def _label_lines(label: Span | None, column: int) -> list[Span]:
    if label is None:
        return []
    return [label._replace(text=label.text[line.start : line.end]) for line in wrapped(label.text, max(column - 1, 1))]


def _slice(spans: Sequence[Span], start: int, end: int) -> tuple[Span, ...]:
    parts: list[Span] = []
    position = 0
    for span in spans:
        stop = position + len(span.text)
        if stop > start and position < end:
            parts.append(span._replace(text=span.text[max(start - position, 0) : end - position]))
        position = stop
    return tuple(parts)


def _bounds(row: TextRow, span: tuple[int, int]) -> tuple[int, int]:
    start, end = span
    length = len(row.text)
    return min(max(start, row.indent), length), length if end < 0 else min(end, length)
