"""How a prompt looks: a framed, scrollable text, notes below it, buttons or one line to write in.

Texts of others are drawn as segments, so nothing in them can be markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from textual.dom import NoScreen
from textual.errors import NoWidget
from textual.geometry import Region, Size
from textual.strip import Strip

from code_assistant.events import MAIN, Origin
from code_assistant.tui.keys import shown_key
from code_assistant.tui.prompts.buttons import Button, PlacedButton, button_segments, place_buttons
from code_assistant.tui.prompts.exact import escaped_line
from code_assistant.tui.prompts.frame import BESIDE, Frame, Parts, joined_hints, needed_rows, share_rows
from code_assistant.tui.prompts.lazy_rows import joined_rows
from code_assistant.tui.prompts.line_editor import LineEditor
from code_assistant.tui.prompts.safe_typing import SafeTyping
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Row, Span, one_row, wrapped_rows
from code_assistant.tui.widgets.panel import Panel

HOW_TO_GET_THERE = "{key} to answer"
NOT_READ_YET = "↓ read it first"


class DrawnPanel(Panel):
    """One widget, no children. Its height follows from its content alone."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    DrawnPanel { width: 1fr; height: auto; }
    """

    def __init__(
        self,
        request_id: str,
        origin: Origin,
        palette: Palette,
        safe_typing: SafeTyping,
        own_keys: Mapping[str, str] | None,
    ) -> None:
        super().__init__()
        self.request_id = request_id
        self.is_closed = False
        self._asker = "the assistant" if origin.agent_id == MAIN.agent_id else escaped_line(origin.name)
        self._colour = origin.colour
        self._palette = palette
        self._safe_typing = safe_typing
        self._own_keys = own_keys or {}
        self._editor: LineEditor | None = None
        self._marked: int | None = None
        self._hovered: str | None = None
        self._top = 0
        self._was_subject_seen = False
        self._is_to_be_read = False
        self._drawn: tuple[int, Sequence[Row], list[Row]] | None = None
        self._strips: list[Strip] | None = None

    # What a kind of prompt says about itself

    def title(self) -> str:
        """What is wanted; it follows the name of who asks."""
        raise NotImplementedError

    def buttons(self) -> tuple[Button, ...]:
        raise NotImplementedError

    def body_rows(self, width: int) -> Sequence[Row]:
        raise NotImplementedError

    def note_rows(self, width: int) -> list[Row]:
        """What stays in sight below the body."""
        return []

    def hints(self) -> list[str]:
        """What keys do that no button tells, the most important first."""
        return []

    def editor_label(self) -> str:
        return ""

    def key(self, name: str) -> str:
        """A key as the person has set it, as hints and buttons show it."""
        return shown_key(name, self._own_keys)

    # For the screen around it

    def needed_height(self, width: int, most: int) -> int:
        body, notes = self._rows(width)
        return min(needed_rows(len(body), len(notes), len(self._placed(width))), most)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.needed_height(width, viewport.height)

    def set_palette(self, palette: Palette) -> None:
        self._palette = palette
        self.redraw()

    # Painting

    def repaint(self) -> None:
        """Something looks different; the text is the same."""
        self._strips = None
        self.refresh()

    def redraw(self) -> None:
        """The text is different, too."""
        self._drawn = None
        self.repaint()

    def render_lines(self, crop: Region) -> list[Strip]:
        if self.is_closed:
            pass
        elif self.is_in_sight:
            self._safe_typing.painted(self.request_id, has_focus=self.has_focus, place=self.region.offset)
        else:
            self._safe_typing.out_of_sight(self.request_id)
        lines = super().render_lines(crop)
        self._was_subject_seen = self._was_subject_seen or self._is_subject_in_sight
        if self._is_to_be_read and self._was_subject_seen:
            self._is_to_be_read = False
            self.call_next(self.repaint)
        return lines

    def say_to_read(self) -> None:
        """Somebody would allow what has not been in sight yet: it is said why nothing happens."""
        self._is_to_be_read = True
        self.repaint()

    @property
    def is_subject_known(self) -> bool:
        """Whether what it is about has been on the screen, from its first row: nothing is allowed before."""
        return self._was_subject_seen

    @property
    def _is_subject_in_sight(self) -> bool:
        """The first row of the text; what stands above it only tells who asks. Without a text that is all there is."""
        if self._editor is not None:
            return False
        try:
            place = self.screen.find_widget(self)
        except (NoScreen, NoWidget):
            return False
        if not self.screen.is_active:
            return False
        rows = len(self._rows(self.size.width)[0])
        row = min(len(self.title_rows(max(self.size.width - BESIDE, 1))), max(rows - 1, 0)) - self._top
        if rows and not 0 <= row < self.parts.body:
            return False
        # Below the upper border.
        line = place.region.y + (1 + row if rows else 0)
        return place.visible_region.y <= line < place.visible_region.bottom

    @property
    def is_in_sight(self) -> bool:
        """Whether all of it is on the screen, and nothing is open over it.

        Of one that is higher than what is around it, all but the lower border.
        """
        try:
            place = self.screen.find_widget(self)
        except (NoScreen, NoWidget):
            return False
        region, seen = place.region, place.visible_region
        if not region or not self.screen.is_active:
            return False
        needed = region
        if region.height > place.clip.height:
            needed = region.crop_size(Size(region.width, self.parts.first_button + self.parts.buttons))
        return seen.contains_region(needed)

    def render_line(self, y: int) -> Strip:
        if self._strips is None:
            self._strips = self._draw()
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, self._palette.text)

    def on_resize(self) -> None:
        self.repaint()

    def _draw(self) -> list[Strip]:
        frame = Frame(self.size.width, self._palette, self.takes_keys)
        parts, body, notes = self.parts, self._scrolled_rows, self._rows(self.size.width)[1]
        self._top = self.clamped_top(self._top)
        shown = body[self._top : self._top + parts.body]
        # Of all rows the one that is in sight wherever a key or a click counts.
        unread = [(NOT_READ_YET, self._palette.warning)] if self._is_to_be_read else None
        strips = [frame.top(unread or self._title_spans())]
        strips += [frame.line(row.segments) for row in shown]
        strips += [frame.line([])] * (parts.body - len(shown))
        if parts.has_mark:
            strips.append(frame.mark(self._scroll_mark(len(shown), len(body))))
        strips += [frame.line(row.segments) for row in notes[: parts.notes]]
        strips += [frame.line([])] * parts.gap
        strips += [frame.line(row.segments) for row in self._button_rows()] if parts.buttons else []
        if self._editor is not None:
            # In the place of the buttons; where there are none, over the last row.
            row = min(parts.first_button, max(len(strips) - 1, 0))
            strips[row:] = [self._editor_strip(frame), *[frame.line([])] * max(parts.buttons - 1, 0)]
        style = self._palette.muted if self.has_focus else self._palette.warning
        strips.append(frame.bottom([(self._hint(frame.inner, parts), style)]))
        return strips

    @property
    def takes_keys(self) -> bool:
        return self.has_focus and not self.is_closed

    @property
    def parts(self) -> Parts:
        body, notes = self._rows(self.size.width)
        return share_rows(self.size.height, len(body), len(notes), len(self._placed(self.size.width)))

    def clamped_top(self, top: int) -> int:
        return max(0, min(top, len(self._scrolled_rows) - self.parts.body))

    @property
    def _scrolled_rows(self) -> Sequence[Row]:
        """The body, and behind it what has no room of its own."""
        body, notes = self._rows(self.size.width)
        parts = self.parts
        return joined_rows(body, [] if parts.notes else notes, [] if parts.buttons else self._button_rows())

    def _rows(self, width: int) -> tuple[Sequence[Row], list[Row]]:
        if self._drawn is None or self._drawn[0] != width:
            inner = max(width - BESIDE, 1)
            body = joined_rows(self.title_rows(inner), self.body_rows(inner))
            notes = self.note_rows(inner)
            self._drawn = (width, body, notes)
        return self._drawn[1:]

    def _placed(self, width: int) -> list[list[PlacedButton]]:
        return place_buttons(self.buttons(), max(width - BESIDE, 1))

    def _title_spans(self) -> list[Span]:
        palette = self._palette
        glyph = ("❯ ", palette.cursor) if self.takes_keys else ("? ", palette.warning)
        return [glyph, (self._asker, palette.agent(self._colour)), (f" {self.title()}", palette.text)]

    def title_rows(self, inner: int) -> list[Row]:
        """The border cuts what is too long for it, so that stands whole below it."""
        if sum(cell_len(text) for text, _ in self._title_spans()) <= inner:
            return []
        palette = self._palette
        spans = [(self._asker, palette.agent(self._colour)), (f" {self.title()}", palette.strong)]
        return wrapped_rows(spans, inner)

    def _scroll_mark(self, shown: int, rows: int) -> str:
        last = self._top + shown
        arrows = ("↑" if self._top else "") + ("↓" if last < rows else "")
        lines = f"line {last}" if shown == 1 else f"lines {self._top + 1}-{last}"
        return f"{lines} of {rows} {arrows}"

    def _button_rows(self) -> list[Row]:
        marked = self._marked if self.takes_keys else None
        hovered = next((i for i, button in enumerate(self.buttons()) if button.action == self._hovered), None)
        return [
            Row(tuple(button_segments(row, self._palette, shows_keys=self.takes_keys, marked=marked, hovered=hovered)))
            for row in self._placed(self.size.width)
        ]

    def _editor_strip(self, frame: Frame) -> Strip:
        assert self._editor is not None
        label = f"{self.editor_label()} › "
        spans, _ = self._editor.view(max(frame.inner - cell_len(label), 2), self._palette)
        return frame.line(one_row([(label, self._palette.cursor), *spans], frame.inner).segments)

    def _hint(self, cells: int, parts: Parts) -> str:
        if self.is_closed:
            return ""
        if not self.has_focus:
            return joined_hints([HOW_TO_GET_THERE.format(key=self.key("prompt"))], cells)
        if self._editor is not None:
            return joined_hints(["enter sends", f"{self.key('interrupt')} back"], cells)
        scroll = ["↑↓ scroll"] if parts.has_mark else []
        return joined_hints([f"{self.key('interrupt')} hide", *scroll, *self.hints()], cells)
