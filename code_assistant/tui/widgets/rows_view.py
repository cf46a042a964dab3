"""Rows drawn from data, only those in sight: where they are, how they are painted, scrolled and selected."""

from __future__ import annotations

from collections.abc import Iterator

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

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
from code_assistant.tui.rendering.rows import Row, blank_row
from code_assistant.tui.transcript.agent_block import AgentBlock
from code_assistant.tui.transcript.blocks import Block, ThinkingBlock, amount
from code_assistant.tui.transcript.flow import Flow, Spot
from code_assistant.tui.transcript.transcript import Transcript
from code_assistant.tui.widgets.drawn_parts import DrawnPart, DrawnParts, selected_strip, strip_of

# Drawing what is in sight changes heights, and so what is in sight; it settles at once but for odd estimates.
ROUNDS = 20
NEWS_MARK = " ↓ new "


class RowsView(ScrollView):
    """Follows the end until the person scrolls up; then what is in sight stays where it is.

    Everything is drawn by this widget, so that its cost depends on what is in sight alone.
    """

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
        self._generation = transcript.generation
        self._put_before = transcript.put_before_count
        self._measured_width = 0
        self._has_grown = False
        # How much there was of each block when note was taken of it last.
        self._amounts: list[int] = []
        self._top = 0
        self._is_settling = False
        self._blank = Strip([])

    # What those who add something to the rows say

    @property
    def _has_widgets(self) -> bool:
        """Whether anything must be laid out again when rows move."""
        return False

    def _settled(self) -> None:
        """What is in sight may be something else now."""

    def _begun_anew(self) -> None:
        """All blocks are gone."""

    def _resized(self) -> None:
        """Rows are of another width now."""

    def _has_resized(self) -> None:
        """They have been drawn in it."""

    # What has changed

    def take_changes(self) -> None:
        """Bring the rows up to date with the blocks; for the painter only, never for those who change blocks."""
        top, moves = self._top, self._flow.moves
        changed = self._settle()
        has_moved = self._top != top or self._flow.moves != moves
        has_grown, self._has_grown, had_news = self._has_grown, False, self.has_news
        self.has_news = not self.is_following and (had_news or has_grown)
        if has_moved or self.has_news != had_news:
            self.refresh(layout=self._has_widgets)
        else:
            self._refresh_parts(changed)

    def _take_note(self) -> list[tuple[int, int]]:
        """Know what blocks and parts there are now, before anything is looked up in them; gives those that changed."""
        if self._generation != self.transcript.generation:
            self._generation = self.transcript.generation
            self._put_before = self.transcript.put_before_count
            self._flow.clear()
            self._gaps.clear()
            self._amounts.clear()
            self._drawn.clear()
            self.is_following = True
            self._begun_anew()
        self._take_older()
        changed: list[tuple[int, int]] = []
        for position in self.transcript.take_changes():
            self._has_grown |= self._grows_below(position)
            changed += self._update(position)
        return changed

    def _take_older(self) -> None:
        """What was put before all blocks moves them down, and the view with them."""
        count = self.transcript.put_before_count - self._put_before
        self._put_before = self.transcript.put_before_count
        if not count:
            return
        if self.text_selection is not None:
            # It is of rows by number, which are other ones now.
            self.screen.clear_selection()
        if not self._flow.count:
            for position in range(count):
                self._update(position)
            return
        older = range(count)
        # Of what was the first block until now it is known only now whether there is a gap above it.
        gaps = [needs_gap(self._block(position), self._block(position - 1) if position else None) for position in older]
        self._gaps = [*gaps, needs_gap(self._block(count), self._block(count - 1)), *self._gaps[1:]]
        self._amounts[:0] = [amount(self._block(position)) for position in older]
        before = self._flow.height
        self._flow.insert_first([self._estimates(position) for position in older])
        self._drawn.move_down(count)
        self._drawn.forget(count)
        self._flow.set_part(count, 0, self._estimates(count)[0])
        self._top += self._flow.height - before

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
        changed = [
            part
            for part in range(first_changed(block, known), count)
            if self._drawn.find(position, part, part_stamp(block, part)) is None
        ]
        if isinstance(block, AgentBlock):
            self._estimate_again(position, changed, has_shifted=count != known)
        return [(position, part) for part in changed]

    def _estimate_again(self, position: int, changed: list[int], *, has_shifted: bool) -> None:
        """Parts of an agent come and go among others, and one without rows would never be seen to have some now."""
        unknown = [part for part in changed if has_shifted or not self._flow.part_height(position, part)]
        estimates = self._estimates(position) if unknown else []
        for part in unknown:
            self._flow.set_part(position, part, estimates[part])

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
        if self._generation == self.transcript.generation:
            self._take_older()
        anchor = None if self.is_following else self._drawn_anchor()
        changed = self._take_note()
        if not self.size.height:
            return changed
        if anchor is not None and not self.is_following:
            self._return_to(*anchor)
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
        self._settled()
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

    def _drawn_anchor(self) -> tuple[Spot, int] | None:
        """The same before note was taken of what has changed: what is in sight now, whatever became of it."""
        for spot in self._parts_in_sight():
            if self._drawn.newest(spot.block, spot.part) is not None:
                return spot, self._top - self._flow.top(spot.block, spot.part)
        return None

    def _return_to(self, spot: Spot, offset: int) -> None:
        """Blocks above may have grown or folded, and the one in sight as well."""
        if spot.block < self._flow.count:
            part = min(spot.part, self._flow.part_count(spot.block) - 1)
            inside = min(offset, self._flow.part_height(spot.block, part)) if part != spot.part else offset
            # Not held to what there is: below may be estimates that are too small, until they are drawn.
            self._top = max(0, self._flow.top(spot.block, part) + inside)

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
        strip = self._marked_strip(line, strip)
        if selection is not None and (span := selection.get_span(line)) is not None:
            strip = selected_strip(strip, span, self._look.palette)
        if self.has_news and y == self.size.height - 1:
            room = max(strip.cell_length - len(NEWS_MARK), 0)
            mark = Strip([Segment(NEWS_MARK, self._look.palette.selected)], len(NEWS_MARK))
            strip = Strip.join([strip.crop(0, room), mark])
        return strip

    def _marked_strip(self, line: int, strip: Strip) -> Strip:
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

    # Moving

    def _go_to(self, top: int) -> None:
        self._top = max(0, min(top, self._last_top))
        self.is_following = self._top >= self._last_top
        self._settle()
        self.refresh(layout=self._has_widgets)

    def follow(self) -> None:
        """Back to the end, and on with it."""
        self.is_following = True
        self.has_news = False
        self._settle()
        self.refresh(layout=self._has_widgets)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if not self._is_settling and round(old_value) != round(new_value):
            self._top = round(new_value)
            self.is_following = self._top >= self._last_top
            self.has_news = self.has_news and not self.is_following
            if not self.is_following:
                self._leave_end()
            self._settle()
            self.refresh(layout=self._has_widgets)
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
        self._resized()
        self._settle()
        self._has_resized()
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
