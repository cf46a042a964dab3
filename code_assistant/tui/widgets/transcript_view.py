"""The transcript on the screen: its rows, what of them is marked and unfolded, and the few widgets among them."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size, Spacing
from textual.layout import DockArrangeResult
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from code_assistant.tui.agents.messages import CancelWanted, LineUnfolded
from code_assistant.tui.keys import BLOCK_KEYS, bindings
from code_assistant.tui.rendering.blocks import GUTTER
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import letters
from code_assistant.tui.transcript.agent_block import AgentBlock
from code_assistant.tui.transcript.blocks import Block, ToolBlock, is_expandable
from code_assistant.tui.transcript.transcript import Transcript
from code_assistant.tui.widgets.drawn_parts import with_mark
from code_assistant.tui.widgets.inlays import HostBlock, Inlays
from code_assistant.tui.widgets.panel import Panel
from code_assistant.tui.widgets.rows_view import RowsView


class TranscriptView(RowsView, can_focus=True):
    """Panels are widgets for which a block keeps room: below the title of a tool, among what an agent does.

    A live agent whose header is in sight has a button there. `home` is the widget that gets the focus of one that goes.
    """

    FOCUS_ON_CLICK = False
    DEFAULT_CSS = """
    TranscriptView {
        overflow-y: scroll; overflow-x: hidden; height: 1fr; scrollbar-size-vertical: 1;
        background: $background; scrollbar-background: $background; scrollbar-color: $panel;
        scrollbar-background-hover: $background; scrollbar-background-active: $background;
    }
    """

    class Wanted(Message):
        """What the person wants of it, for whoever shows it."""

    class LinkActivated(Wanted):
        """The person wants to go where a link leads."""

        def __init__(self, address: str) -> None:
            super().__init__()
            self.address = address

    class CopyWanted(Wanted):
        def __init__(self, block: Block) -> None:
            super().__init__()
            self.block = block

    class OpenWanted(Wanted):
        """The person wants to see more of a block than there is to unfold: an agent, a file it refers to."""

        def __init__(self, view: TranscriptView, block: Block) -> None:
            super().__init__()
            self.view = view
            self.block = block

    class OlderWanted(Wanted):
        """The beginning of what is there is near, and there is more before it."""

    class Toggled(Wanted):
        """The person has unfolded or folded a block, or with a target something inside of it."""

        def __init__(self, block_id: str, is_expanded: bool, target: str = "") -> None:
            super().__init__()
            self.block_id = block_id
            self.is_expanded = is_expanded
            self.target = target

    class TypedElsewhere(Wanted):
        """A character that is no key of ours: it was meant for the composer."""

        def __init__(self, character: str) -> None:
            super().__init__()
            self.character = character

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(BLOCK_KEYS)]

    def __init__(self, transcript: Transcript, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(transcript, palette, id=id)
        self.home: Widget | None = None
        self._inlays = Inlays()
        self._marked: Block | None = None
        # How much was put before all blocks when more was asked for.
        self._asked_at = -1

    def set_palette(self, palette: Palette) -> None:
        super().set_palette(palette)
        self._inlays.set_palette(palette)

    def _begun_anew(self) -> None:
        self._marked = None
        self._asked_at = -1

    # The marked block

    @property
    def marked(self) -> Block | None:
        return self._marked if self._generation == self.transcript.generation else None

    def mark(self, block: Block | None) -> None:
        """Show which block the keys are for, and bring it into sight."""
        before, self._marked = self._marked, block
        if isinstance(before, AgentBlock) and before is not block and before.cursor is not None:
            before.leave_cursor()
            self.transcript.touch(before)
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
        if isinstance(block, AgentBlock):
            block.toggle()
            if any(panel.has_focus for panel in self._inlays.panels_of(block)):
                # Nobody may answer what cannot be seen.
                self._go_home()
        else:
            block.is_expanded = not block.is_expanded  # pyright: ignore
        if isinstance(block, ToolBlock):
            block.was_toggled = True
        self.post_message(self.Toggled(block.id, bool(getattr(block, "is_expanded", False))))
        self.is_following = False
        self.transcript.touch(block)
        # Drawn first, so that it is known how much there is.
        self._settle()
        self.show_block(block)
        self.refresh(layout=self._has_widgets)

    def toggle_target(self, block: AgentBlock, target: str) -> None:
        """Unfold or fold something inside of an agent's block."""
        line = block.toggle_target(target)
        self.post_message(self.Toggled(block.id, block.is_unfolded(target), target))
        self.is_following = False
        self.transcript.touch(block)
        if line is not None:
            self.post_message(LineUnfolded(block, line))

    def _show_cursor(self, block: AgentBlock) -> None:
        """Scroll as little as needed to have in sight where the keys are inside of a block."""
        self._take_note()
        self._leave_end()
        position = self.transcript.position_of(block)
        part = block.part_of(block.cursor) if block.cursor is not None else 0
        drawn = self._find(position, part) or self._draw(position, part)
        self._flow.set_part(position, part, len(drawn.rows))
        rows = [number for number, row in enumerate(drawn.rows) if row.target == (block.cursor or "")]
        line = self._flow.top(position, part) + (rows[0] if rows else 0)
        if not self._top <= line < self._top + self.size.height:
            self._go_to(line if line < self._top else line - self.size.height + 1)

    def _marked_strip(self, line: int, strip: Strip) -> Strip:
        if self._marked is not None and self._is_of_marked(line):
            return with_mark(strip, self._look.palette)
        return strip

    def _is_of_marked(self, line: int) -> bool:
        spot = self._spot(line)
        if spot is None or self._block(spot.block) is not self._marked:
            return False
        return not (spot.part == 0 and spot.row == 0 and self._gap(spot.block, 0))

    # Panels and buttons

    def add_panel(self, block: HostBlock, panel: Panel, name: str = "") -> None:
        """Keep room for a panel in a block, as long as it is there; a block of an agent may have several, by name."""
        self._inlays.add(name or block.id, block, panel)
        self.mount(panel)
        self._make_room(name or block.id)

    def remove_panel(self, block: HostBlock, name: str = "") -> None:
        panel = self._inlays.remove(name or block.id)
        if panel is not None:
            panel.remove()
            self.transcript.touch(block)

    def show_panel(self, block: HostBlock, name: str = "") -> None:
        """Bring a panel into sight; of the rest of its block as much as there is room for."""
        self.show_block(block)
        row = self._inlays.row_of(name or block.id, self._top_of)
        if row is not None:
            self._show_rows(row, block.room if isinstance(block, ToolBlock) else block.rooms.get(name, 0))

    def holds_focus(self, block: Block) -> bool:
        """Whether the person is busy with a block: it is marked, or the focus is inside of it."""
        if block is self.marked:
            return True
        if not isinstance(block, HostBlock):
            return False
        button = self._inlays.buttons.get(block.id)
        return any(panel.has_focus for panel in self._inlays.panels_of(block)) or (
            button is not None and button.has_focus
        )

    def agents_in_sight(self) -> list[AgentBlock]:
        """Those whose header can be seen."""
        if self._generation != self.transcript.generation:
            return []
        blocks = [(spot, self._block(spot.block)) for spot in self._parts_in_sight() if spot.part == 0]
        return [
            block
            for spot, block in blocks
            if isinstance(block, AgentBlock) and self._flow.top(spot.block) + self._gap(spot.block, 0) >= self._top
        ]

    def _make_room(self, name: str) -> None:
        if self._inlays.make_room(name, self._look, self.size.height):
            self.transcript.touch(self._inlays.panels[name][0])

    def _resized(self) -> None:
        for name in self._inlays.panels:
            self._make_room(name)

    def _has_resized(self) -> None:
        # What the keys are for must not be lost from sight.
        if self.marked is not None:
            self.show_block(self.marked)
        for name, (block, panel) in tuple(self._inlays.panels.items()):
            if panel.has_focus:
                self.show_panel(block, "" if name == block.id else name)

    def _settled(self) -> None:
        if self._marked is not None:
            # The block of a tool call becomes that of an agent.
            self._marked = self.transcript.find(self._marked.id)
        self._want_older()
        missing, gone = self._inlays.buttons_for(self.agents_in_sight())
        for button in gone:
            if button.has_focus:
                # Not to whoever is next to it, which may be a prompt.
                self._go_home()
            button.remove()
        for name in missing:
            # Not at the top: the first frame has no agents.
            from code_assistant.tui.agents.cancel_button import CancelButton

            button = CancelButton(name, self._look.palette, self._go_home, self._typed)
            self._inlays.buttons[name] = button
            self.mount(button)

    def _want_older(self) -> None:
        is_near = self._top < self.size.height
        if is_near and self.transcript.has_older and self._asked_at != self.transcript.put_before_count:
            self._asked_at = self.transcript.put_before_count
            self.post_message(self.OlderWanted())

    def _go_home(self) -> None:
        if self.home is not None:
            self.screen.set_focus(self.home, scroll_visible=False)

    def _typed(self, character: str) -> None:
        self.post_message(self.TypedElsewhere(character))

    @property
    def _has_widgets(self) -> bool:
        return bool(self._inlays)

    @property
    def is_container(self) -> bool:
        """Without widgets there is nothing to arrange."""
        return bool(self._inlays)

    def arrange(self, size: Size, optimal: bool = False) -> DockArrangeResult:
        del size, optimal
        placements = self._inlays.placements(self._look, self._top, self.transcript.find, self._top_of)
        return DockArrangeResult(placements, {placement.widget for placement in placements}, Spacing())

    def _top_of(self, block: HostBlock, part: int) -> int | None:
        """Where a part begins, below the gap above it; None as long as no note was taken of it."""
        if self.transcript.find(block.id) is not block:
            return None
        position = self.transcript.position_of(block)
        if position >= self._flow.count or part >= self._flow.part_count(position):
            return None
        height = self._flow.part_height(position, part)
        if part and isinstance(block, AgentBlock) and height != sum(block.rooms.values()):
            # It has not been in sight since it became another.
            return None
        return self._flow.top(position, part) + self._gap(position, part)

    # Keys

    def action_toggle_block(self) -> None:
        block = self.marked
        if isinstance(block, AgentBlock) and block.cursor is not None:
            self.toggle_target(block, block.cursor)
        elif block is not None:
            self.toggle(block)

    def action_open_block(self) -> None:
        block = self.marked
        if isinstance(block, AgentBlock) and block.cursor is not None:
            self.toggle_target(block, block.cursor)
        elif block is not None:
            self.post_message(self.OpenWanted(self, block))

    def action_walk(self, step: int) -> None:
        """Through what can be unfolded inside of a marked agent; elsewhere these keys scroll."""
        block = self.marked
        if isinstance(block, AgentBlock) and block.move_cursor(step):
            self.transcript.touch(block)
            self._show_cursor(block)
        else:
            self.scroll_relative(y=step, animate=False)

    def action_cancel_agent(self) -> None:
        if isinstance(self.marked, AgentBlock) and self.marked.record.is_live:
            self.post_message(CancelWanted(self.marked.id))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where there is no agent to cancel, its key is a letter like others."""
        del parameters
        return action != "cancel_agent" or (isinstance(self.marked, AgentBlock) and self.marked.record.is_live)

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
        block = self._block(spot.block)
        if spot.part == 0 and spot.row == self._gap(spot.block, 0):
            self.toggle(block)
        elif isinstance(block, AgentBlock) and found is not None and found[0].target:
            self.toggle_target(block, found[0].target)
