"""The transcript on the screen: rows drawn from data, only those in sight, and room for the few live panels in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.geometry import Offset, Region, Size, Spacing
from textual.layout import DockArrangeResult, WidgetPlacement
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from code_assistant.tui.keys import BLOCK_KEYS, bindings
from code_assistant.tui.rendering.blocks import (
    GUTTER,
    Look,
    estimated_heights,
    first_changed,
    needs_gap,
    part_count,
    part_rows,
    part_stamp,
)
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Row, blank_row, letters
from code_assistant.tui.transcript.blocks import Block, ThinkingBlock, ToolBlock, amount, is_expandable
from code_assistant.tui.transcript.flow import Flow, Spot
from code_assistant.tui.transcript.transcript import Transcript
from code_assistant.tui.widgets.drawn_parts import DrawnPart, DrawnParts, selected_strip, strip_of, with_mark
from code_assistant.tui.widgets.panel import Panel

# Drawing what is in sight changes heights, and so what is in sight; it settles at once but for odd estimates.
ROUNDS = 20
NEWS_MARK = " ↓ new "


class TranscriptView(ScrollView, can_focus=True):
    """Follows the end until the person scrolls up; then what is in sight stays where it is.

    Panels are widgets for which a tool block keeps room below its title. Everything else is drawn by this widget, so
    that its cost depends on what is in sight alone.
    """

    FOCUS_ON_CLICK = False
    DEFAULT_CSS = """
    TranscriptView {
        overflow-y: scroll; overflow-x: hidden; height: 1fr; scrollbar-size-vertical: 1;
        background: $background; scrollbar-background: $background; scrollbar-color: $panel;
        scrollbar-background-hover: $background; scrollbar-background-active: $background;
    }
    """

    class LinkActivated(Message):
        """The person wants to go where a link leads."""

        def __init__(self, address: str) -> None:
            super().__init__()
            self.address = address

    class CopyWanted(Message):
        def __init__(self, block: Block) -> None:
            super().__init__()
            self.block = block

    class TypedElsewhere(Message):
        """A character that is no key of ours: it was meant for the composer."""

        def __init__(self, character: str) -> None:
            super().__init__()
            self.character = character

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(BLOCK_KEYS)]

    def __init__(self, transcript: Transcript, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.transcript = transcript
        self.is_following = True
        self.has_news = False
        self._look = Look(80, palette)
        self._flow = Flow()
        # Whether there is an empty row above a block: asked for again and again, and never different.
        self._gaps: list[bool] = []
        self._drawn = DrawnParts()
        self._panels: dict[str, Panel] = {}
        self._marked: Block | None = None
        self._generation = transcript.generation
        self._measured_width = 0
        self._has_grown = False
        # How much there was of each block when note was taken of it last.
        self._amounts: list[int] = []
        self._top = 0
        self._is_settling = False
        self._blank = Strip([])

    # What has changed

    def take_changes(self) -> None:
        """Bring the rows up to date with the blocks; for the painter only, never for those who change blocks."""
        height, top = self._flow.height, self._top
        changed = self._settle()
        has_moved = self._top != top or self._flow.height != height
        has_grown, self._has_grown, had_news = self._has_grown, False, self.has_news
        self.has_news = not self.is_following and (had_news or has_grown)
        if has_moved or self.has_news != had_news:
            self.refresh(layout=bool(self._panels))
        else:
            self._refresh_parts(changed)

    def _take_note(self) -> list[tuple[int, int]]:
        """Know what blocks and parts there are now, before anything is looked up in them; gives those that changed."""
        if self._generation != self.transcript.generation:
            self._generation = self.transcript.generation
            self._flow.clear()
            self._gaps.clear()
            self._amounts.clear()
            self._drawn.clear()
            self._marked = None
            self.is_following = True
        changed: list[tuple[int, int]] = []
        for position in self.transcript.take_changes():
            self._has_grown |= self._grows_below(position)
            changed += self._update(position)
        return changed

    def _grows_below(self, position: int) -> bool:
        """Whether there is more of a block than before, below what is in sight; to be asked before it is updated."""
        block = self._block(position)
        now = amount(block)
        if position >= len(self._amounts):
            self._amounts += [amount(self._block(new)) for new in range(len(self._amounts), position + 1)]
            return True
        before, self._amounts[position] = self._amounts[position], now
        is_folded = isinstance(block, ThinkingBlock) and not block.is_expanded
        if now <= before or is_folded or position >= self._flow.count:
            return False
        return self._flow.top(position) + self._flow.block_height(position) >= self._top + self.size.height

    def set_palette(self, palette: Palette) -> None:
        """Other colours: what is in sight is drawn anew, the rest when it is seen."""
        self._look = Look(self._look.width, palette)
        self._blank = self._blank_strip()
        self._drawn.clear()
        self._settle()
        self.refresh()

    def _update(self, position: int) -> list[tuple[int, int]]:
        """Take note of a block that is new or different; gives the parts that must be drawn again."""
        block = self.transcript.blocks[position]
        while self._flow.count <= position:
            new = self._flow.count
            previous = self._block(new - 1) if new else None
            self._gaps.append(needs_gap(self._block(new), previous))
            self._flow.add_block()
        known = self._flow.part_count(position)
        count = part_count(block)
        self._flow.cut_parts(position, count)
        for part, height in enumerate(self._estimates(position, known) if count > known else (), known):
            self._flow.set_part(position, part, height)
        return [
            (position, part)
            for part in range(first_changed(block, known), count)
            if self._drawn.find(position, part, part_stamp(block, part)) is None
        ]

    def _estimates(self, position: int, first: int = 0) -> list[int]:
        heights = estimated_heights(self._block(position), self._look, first)
        if not first:
            heights[0] += self._gaps[position]
        return heights

    def _refresh_parts(self, changed: list[tuple[int, int]]) -> None:
        for position, part in changed:
            top = self._flow.top(position, part)
            self.refresh_lines(top, self._flow.part_height(position, part))

    # What is in sight

    def _settle(self) -> list[tuple[int, int]]:
        """Draw all that is in sight, and put the view where it belongs. Gives the parts that are different now."""
        changed = self._take_note()
        if not self.size.height:
            return changed
        self._is_settling = True
        try:
            self._draw_sight()
            size = Size(self.size.width, self._flow.height)
            if size != self.virtual_size:
                # Without the layout that a new size usually asks for: only the scroll bar depends on it.
                self.set_reactive(Widget.virtual_size, size)  # pyright: ignore[reportArgumentType]
                self.vertical_scrollbar.window_virtual_size = size.height
                self.vertical_scrollbar.window_size = self.size.height
            self.scroll_to(y=self._top, animate=False, force=True)
            self.scroll_target_y = self.scroll_y
        finally:
            self._is_settling = False
        return changed

    def _draw_sight(self) -> None:
        for _ in range(ROUNDS):
            if self.is_following:
                self._top = self._last_top
            anchor = self._anchor()
            if not self._draw_missing():
                break
            if not self.is_following and anchor is not None:
                spot, offset = anchor
                self._top = self._flow.top(spot.block, spot.part) + offset
            self._top = max(0, min(self._top, self._last_top))
        self._top = max(0, min(self._top, self._last_top))
        self.is_following = self.is_following or self._top >= self._last_top

    @property
    def _last_top(self) -> int:
        return max(self._flow.height - self.size.height, 0)

    def _anchor(self) -> tuple[Spot, int] | None:
        """What must stay where it is: the first part in sight that was drawn already, else whatever is at the top.

        With it comes how far the top of the view is below its beginning.
        """
        first: tuple[Spot, int] | None = None
        for spot in self._parts_in_sight():
            here = (spot, self._top - self._flow.top(spot.block, spot.part))
            if self._find(spot.block, spot.part) is not None:
                return here
            first = first or here
        return first

    def _parts_in_sight(self) -> Iterator[Spot]:
        spot = self._flow.spot(self._top)
        bottom = self._top + self.size.height
        while spot is not None:
            yield Spot(spot.block, spot.part, 0)
            below = self._flow.top(spot.block, spot.part) + self._flow.part_height(spot.block, spot.part)
            spot = self._flow.spot(below) if below < bottom else None

    def _draw_missing(self) -> bool:
        """Draw what is in sight and was not drawn yet; whether anything moved because of that."""
        moved = False
        for spot in list(self._parts_in_sight()):
            drawn = self._find(spot.block, spot.part) or self._draw(spot.block, spot.part)
            moved |= self._flow.set_part(spot.block, spot.part, len(drawn.rows))
        return moved

    def _find(self, position: int, part: int) -> DrawnPart | None:
        return self._drawn.find(position, part, part_stamp(self._block(position), part))

    def _draw(self, position: int, part: int) -> DrawnPart:
        block = self._block(position)
        rows = part_rows(block, part, self._look)
        if self._gap(position, part):
            rows = [blank_row(), *rows]
        drawn = DrawnPart(part_stamp(block, part), rows, [strip_of(row, self._look) for row in rows])
        self._drawn.keep(position, part, drawn)
        return drawn

    def _block(self, position: int) -> Block:
        return self.transcript.blocks[position]

    def _gap(self, position: int, part: int) -> bool:
        return not part and self._gaps[position]

    # Painting

    def render_lines(self, crop: Region) -> list[Strip]:
        filters = self.get_line_filters()
        background = self.background_colors[1]
        selection = self.text_selection
        strips: list[Strip] = []
        for y in crop.line_range:
            strip = self._painted(y, selection)
            for each in filters:
                strip = strip.apply_filter(each, background)
            if crop.x or crop.width != strip.cell_length:
                strip = strip.crop_extend(crop.x, crop.right, self._look.palette.text)
            strips.append(strip)
        return strips

    def _painted(self, y: int, selection: Selection | None) -> Strip:
        """A row as it is now: with the mark of its block, what is selected in it, or the word that there is more."""
        line = self._top + y
        strip = self._strip_at(line)
        if self._marked is not None and self._is_of_marked(line):
            strip = with_mark(strip, self._look.palette)
        if selection is not None and (span := selection.get_span(line)) is not None:
            strip = selected_strip(strip, span, self._look.palette)
        if self.has_news and y == self.size.height - 1:
            room = max(strip.cell_length - len(NEWS_MARK), 0)
            mark = Strip([Segment(NEWS_MARK, self._look.palette.selected)], len(NEWS_MARK))
            strip = Strip.join([strip.crop(0, room), mark])
        return strip

    def render_line(self, y: int) -> Strip:
        """For those who ask what is at a place, such as the mouse: with the positions of its characters."""
        return self._strip_at(self._top + y).apply_offsets(0, self._top + y)

    def _strip_at(self, line: int) -> Strip:
        found = self._row_and_strip(line)
        return found[1] if found is not None else self._blank

    def _row_and_strip(self, line: int) -> tuple[Row, Strip] | None:
        """What was drawn last: what has changed since is drawn when note is taken of it, heights and all."""
        spot = self._spot(line)
        if spot is None:
            return None
        drawn = self._drawn.newest(spot.block, spot.part)
        if drawn is None and spot.part < part_count(self._block(spot.block)):
            drawn = self._draw(spot.block, spot.part)
        if drawn is None or spot.row >= len(drawn.rows):
            return None
        return drawn.rows[spot.row], drawn.strips[spot.row]

    def _spot(self, line: int) -> Spot | None:
        """What is at a line; nothing as long as what was there is gone and no note has been taken of that."""
        return self._flow.spot(line) if self._generation == self.transcript.generation else None

    def _blank_strip(self) -> Strip:
        return Strip([Segment(" " * self._look.width, self._look.palette.text)], self._look.width)

    # Selecting

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text as it was written: without decoration, and without the breaks that only wrapping made."""
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else self._flow.height - 1
        parts: list[str] = []
        for line in range(first, min(last, self._flow.height - 1) + 1):
            found = self._row_and_strip(line)
            row = found[0] if found is not None else blank_row()
            start, end = selection.get_span(line) or (0, 0)
            text = f"{' ' * GUTTER}{row.text}"
            decoration = GUTTER + row.indent
            piece = text[max(start, decoration) : end if end >= 0 else None]
            if line > first:
                parts.append("\n" if row.joint is None else row.joint)
            parts.append(piece.rstrip() if end < 0 else piece)
        return "".join(parts), "\n"

    # The marked block

    @property
    def marked(self) -> Block | None:
        return self._marked if self._generation == self.transcript.generation else None

    def mark(self, block: Block | None) -> None:
        """Show which block the keys are for, and bring it into sight."""
        self._marked = block
        if block is not None:
            self.show_block(block)
        self.refresh()

    def mark_next(self, step: int) -> None:
        """The next block, or the one before; the first time it is the lowest one in sight."""
        self._take_note()
        if not self.transcript.blocks:
            return
        if self._marked is None:
            spot = self._flow.spot(min(self._top + self.size.height, self._flow.height) - 1)
            position = spot.block if spot is not None else len(self.transcript.blocks) - 1
        else:
            position = self.transcript.position_of(self._marked) + step
        self.mark(self._block(max(0, min(position, len(self.transcript.blocks) - 1))))

    def show_block(self, block: Block) -> None:
        """Scroll as little as needed to have the block in sight, its beginning if it is too long."""
        self._take_note()
        self._leave_end()
        position = self.transcript.position_of(block)
        self._show_rows(self._flow.top(position), self._flow.block_height(position))

    def show_panel(self, block: ToolBlock) -> None:
        """The same for the panel of a block; of the rest of the block as much as there is room for."""
        self.show_block(block)
        self._show_rows(self._panel_top(block), block.room)

    def _show_rows(self, top: int, height: int) -> None:
        bottom = top + height
        if top >= self._top and bottom <= self._top + self.size.height:
            return
        self._go_to(top if height >= self.size.height or top < self._top else bottom - self.size.height)

    def show_text(self, block: Block, text: str) -> None:
        """Bring the first row of a block that has the beginning of a text into the middle, where there is one."""
        self._take_note()
        self._leave_end()
        position = self.transcript.position_of(block)
        # What is drawn has none of the marks of Markdown, so only letters and digits are compared.
        wanted = letters(text)[: max(self._look.room // 3, 1)]
        for part in range(self._flow.part_count(position)):
            drawn = self._find(position, part) or self._draw(position, part)
            for number, row in enumerate(drawn.rows):
                if wanted in letters(row.text):
                    self._go_to(self._flow.top(position, part) + number - self.size.height // 2)
                    return

    def toggle(self, block: Block) -> None:
        """Unfold or fold a block that has something to unfold."""
        if not is_expandable(block) or not hasattr(block, "is_expanded"):
            return
        block.is_expanded = not block.is_expanded  # pyright: ignore
        if isinstance(block, ToolBlock):
            block.was_toggled = True
        self.is_following = False
        self.transcript.touch(block)
        # Drawn first, so that it is known how much there is.
        self._settle()
        self.show_block(block)
        self.refresh(layout=bool(self._panels))

    def _is_of_marked(self, line: int) -> bool:
        spot = self._spot(line)
        if spot is None or self._block(spot.block) is not self._marked:
            return False
        return not (spot.part == 0 and spot.row == 0 and self._gap(spot.block, 0))

    # Panels

    def add_panel(self, block: ToolBlock, panel: Panel) -> None:
        """Keep room for a panel below the title of a block, as long as it is there."""
        self._panels[block.id] = panel
        self.mount(panel)
        self._make_room(block, panel)

    def remove_panel(self, block: ToolBlock) -> None:
        panel = self._panels.pop(block.id, None)
        if panel is not None:
            panel.remove()
            block.room = 0
            self.transcript.touch(block)

    def _make_room(self, block: ToolBlock, panel: Panel) -> None:
        room = panel.needed_height(self._panel_width, max(self.size.height - 2, 3))
        if room != block.room:
            block.room = room
            self.transcript.touch(block)

    def _panel_top(self, block: ToolBlock) -> int:
        position = self.transcript.position_of(block)
        return self._flow.top(position) + self._gap(position, 0) + 1

    @property
    def _panel_width(self) -> int:
        return max(self._look.width - GUTTER - 1, 1)

    @property
    def is_container(self) -> bool:
        """Without panels there is nothing to arrange."""
        return bool(self._panels)

    def arrange(self, size: Size, optimal: bool = False) -> DockArrangeResult:
        del size, optimal
        placements: list[WidgetPlacement] = []
        for block_id, panel in self._panels.items():
            block = self.transcript.find(block_id)
            if not isinstance(block, ToolBlock) or self.transcript.position_of(block) >= self._flow.count:
                continue
            region = Region(GUTTER, self._panel_top(block), self._panel_width, block.room)
            placements.append(WidgetPlacement(region, Offset(), Spacing(), panel))
        return DockArrangeResult(placements, {placement.widget for placement in placements}, Spacing())

    # Moving

    def _go_to(self, top: int) -> None:
        self._top = max(0, min(top, self._last_top))
        self.is_following = self._top >= self._last_top
        self._settle()
        self.refresh(layout=bool(self._panels))

    def follow(self) -> None:
        """Back to the end, and on with it."""
        self.is_following = True
        self.has_news = False
        self._settle()
        self.refresh(layout=bool(self._panels))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if not self._is_settling and round(old_value) != round(new_value):
            self._top = round(new_value)
            self.is_following = self._top >= self._last_top
            self.has_news = self.has_news and not self.is_following
            if not self.is_following:
                self._leave_end()
            self._settle()
            self.refresh(layout=bool(self._panels))
        super().watch_scroll_y(old_value, new_value)

    def on_resize(self) -> None:
        width = self.size.width
        if width != self._look.width:
            self._take_note()
            anchor = self._anchor()
            self._look = Look(width, self._look.palette)
            self._blank = self._blank_strip()
            self._drawn.clear()
            if not self.is_following or not self._flow.count:
                self._measure_again()
            if anchor is not None:
                self._top = self._flow.top(anchor[0].block, anchor[0].part)
        for block_id, panel in self._panels.items():
            block = self.transcript.find(block_id)
            if isinstance(block, ToolBlock):
                self._make_room(block, panel)
        self._settle()
        # What the keys are for must not be lost from sight.
        if self.marked is not None:
            self.show_block(self.marked)
        for block_id, panel in self._panels.items():
            block = self.transcript.find(block_id)
            if panel.has_focus and isinstance(block, ToolBlock):
                self.show_panel(block)
        self.refresh()

    def _measure_again(self) -> None:
        """Estimate for this width what was estimated for another. At the end it can wait: nobody sees what is above."""
        self._flow.measure_again(self._estimates)
        self._measured_width = self._look.width

    def _leave_end(self) -> None:
        """Make up for what could wait, with what is in sight where it is."""
        if self._measured_width != self._look.width:
            anchor = self._anchor()
            self._measure_again()
            if anchor is not None:
                self._top = self._flow.top(anchor[0].block, anchor[0].part) + anchor[1]
            self._settle()

    # Keys

    def action_toggle_block(self) -> None:
        if self.marked is not None:
            self.toggle(self.marked)

    def action_copy_block(self) -> None:
        if self.marked is not None:
            self.post_message(self.CopyWanted(self.marked))

    def on_key(self, event: events.Key) -> None:
        if not event.is_printable or event.character is None:
            return
        active = self.screen.active_bindings.get(event.key)
        if self._marked is None or active is None or active.node is not self:
            event.stop()
            self.post_message(self.TypedElsewhere(event.character))

    # The mouse

    def on_click(self, event: events.Click) -> None:
        if self.text_selection is not None:
            return
        spot = self._spot(self._top + event.y)
        if spot is None:
            return
        found = self._row_and_strip(self._top + event.y)
        address = found[0].address_at(event.x - GUTTER) if found is not None else None
        if address is not None:
            self.post_message(self.LinkActivated(address))
            return
        if spot.part == 0 and spot.row == self._gap(spot.block, 0):
            self.toggle(self._block(spot.block))
