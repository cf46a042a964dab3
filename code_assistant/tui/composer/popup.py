"""The list above the composer: files, commands or earlier inputs, with one of them marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.geometry import Offset, Region, clamp
from textual.style import Style
from textual.widget import Widget

from code_assistant.sanitize import sanitize_line

MAXIMUM_ROWS = 8
MARGIN = 2
WIDEST_LABEL = 0.6


@dataclass(frozen=True, slots=True)
class PopupRow:
    """`label` and `detail` may come from anywhere: they are made safe here. `places` are emphasised."""

    label: str
    detail: str = ""
    places: tuple[int, ...] = ()
    keeps_end: bool = False


class Popup(Widget):
    """Never has the focus: the composer tells it what to show. A click picks a row."""

    DEFAULT_CSS = """
    Popup {
        overlay: screen;
        position: absolute;
        display: none;
        height: auto;
        padding: 0 1;
        background: $surface;
        color: $foreground;
        text-wrap: nowrap;
        text-overflow: clip;
        & .popup--marked { background: $primary 18%; color: $foreground; text-style: bold; }
        &:ansi .popup--marked { background: ansi_default; }
        & .popup--mark { color: $primary; }
        & .popup--detail { color: $foreground-muted; text-style: not bold; }
        & .popup--match { color: $primary; text-style: bold; }
        & .popup--title { color: $foreground-muted; }
    }
    """
    COMPONENT_CLASSES = {"popup--marked", "popup--mark", "popup--detail", "popup--match", "popup--title"}  # noqa: RUF012
    ALLOW_SELECT = False

    def __init__(self, pick: Callable[[int], None]) -> None:
        super().__init__()
        self._pick = pick
        self._rows: Sequence[PopupRow] = ()
        self._marked = 0
        self._first = 0
        self._title: tuple[str, str] | None = None

    # What is shown

    @property
    def lines(self) -> int:
        has_more = len(self._rows) > MAXIMUM_ROWS
        return min(len(self._rows), MAXIMUM_ROWS) + has_more + (self._title is not None)

    def show(self, rows: Sequence[PopupRow], marked: int, above: Region, title: tuple[str, str] | None = None) -> None:
        """Show rows above a region of the screen; `title` is a word and what was typed."""
        self._rows = rows
        self._title = title
        self._marked = clamp(marked, 0, max(len(rows) - 1, 0))
        last_first = max(len(rows) - MAXIMUM_ROWS, 0)
        self._first = clamp(self._first, max(self._marked - MAXIMUM_ROWS + 1, 0), min(self._marked, last_first))
        self.place(above)
        self.display = True
        self.refresh()

    def place(self, above: Region) -> None:
        lines = min(self.lines, max(above.y, 1))
        self.styles.width = above.width
        self.styles.height = lines
        self.styles.offset = Offset(above.x, max(above.y - lines, 0))

    def hide(self) -> None:
        if self.display:
            self.display = False
            self._rows = ()
            self._first = 0

    # Drawing

    def render(self) -> Content:
        width = self.size.width
        lines: list[Content] = []
        if self._title is not None:
            lines.append(self._title_line(*self._title, width))
        shown = self._rows[self._first : self._first + MAXIMUM_ROWS]
        room = self._label_room(shown, width)
        lines += [self._line(self._first + index, row, width, room) for index, row in enumerate(shown)]
        if more := self._more():
            lines.append(Content.styled(f"  {more}", self._style("popup--title")).truncate(width, ellipsis=True))
        return Content("\n").join(lines)

    def _more(self) -> str:
        """What is above and below of a list that is too long."""
        below = len(self._rows) - self._first - MAXIMUM_ROWS
        counts = [("↑", self._first), ("↓", below)] if len(self._rows) > MAXIMUM_ROWS else []
        return " · ".join(f"{arrow} {count} more" for arrow, count in counts if count > 0)

    def _label_room(self, rows: Sequence[PopupRow], width: int) -> int:
        """Details stand in one column, behind the longest label."""
        longest = max((Content(sanitize_line(row.label)).cell_length for row in rows), default=0)
        if not any(row.detail for row in rows):
            return width - 2 * MARGIN
        return min(longest, max(int((width - 3 * MARGIN) * WIDEST_LABEL), 8))

    def _line(self, index: int, row: PopupRow, width: int, room: int) -> Content:
        # A row without a label only tells something.
        is_marked = index == self._marked and bool(row.label)
        mark = Content.styled("› " if is_marked else "  ", self._style("popup--mark"))
        label = self._label(row, room)
        line = mark + label
        if row.detail:
            free = max(width - 3 * MARGIN - room, 0)
            detail = Content(sanitize_line(row.detail)).truncate(free, ellipsis=True)
            gap = " " * (room - label.cell_length + MARGIN) if row.label else ""
            line += Content(gap) + detail.stylize(self._style("popup--detail"))
        line = line.truncate(width).pad_right(max(width - line.cell_length, 0))
        return line.stylize_before(self._style("popup--marked")) if is_marked else line

    def _label(self, row: PopupRow, room: int) -> Content:
        text = sanitize_line(row.label)
        label = Content(text)
        # Where something had to be made safe, the places of the real text mean nothing.
        if text == row.label:
            style = self._style("popup--match")
            for place in row.places:
                label = label.stylize(style, place, place + 1)
        if label.cell_length <= room:
            return label
        if not row.keeps_end:
            return label.truncate(room, ellipsis=True)
        # Of a long path the end tells more.
        while label.cell_length > max(room - 1, 0):
            label = label[1:]
        return Content("…") + label

    def _title_line(self, word: str, typed: str, width: int) -> Content:
        style = self._style("popup--title")
        line = Content.styled(f"  {word}  ", style) + Content(sanitize_line(typed)) + Content.styled("▏", style)
        return line.truncate(width, ellipsis=True)

    def _style(self, name: str) -> Style:
        return self.get_visual_style(name, partial=True)

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        event.stop()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        row = event.y - (self._title is not None)
        if 0 <= row < min(len(self._rows), MAXIMUM_ROWS):
            self._pick(self._first + row)
