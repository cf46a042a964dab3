"""The few widgets inside of the transcript: panels of open prompts, and buttons of live agents. Where each belongs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from textual.geometry import Offset, Region, Spacing
from textual.layout import WidgetPlacement
from textual.widget import Widget

from code_assistant.tui.rendering.blocks import GUTTER, Look
from code_assistant.tui.transcript.agent_block import AgentBlock
from code_assistant.tui.transcript.blocks import ToolBlock
from code_assistant.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from code_assistant.tui.agents.cancel_button import CancelButton
    from code_assistant.tui.rendering.palette import Palette

HostBlock: TypeAlias = ToolBlock | AgentBlock
# The row where a part of a block begins, None where that is not known yet.
TopOf: TypeAlias = Callable[[HostBlock, int], int | None]
NO_SPACING = Spacing()


class Inlays:
    """Panels by name: that of their block, or for the several that a block of an agent may have, their own."""

    def __init__(self) -> None:
        self.panels: dict[str, tuple[HostBlock, Panel]] = {}
        self.buttons: dict[str, CancelButton] = {}

    def __bool__(self) -> bool:
        return bool(self.panels or self.buttons)

    # Panels

    def add(self, name: str, block: HostBlock, panel: Panel) -> None:
        self.panels[name] = (block, panel)

    def remove(self, name: str) -> Panel | None:
        block, panel = self.panels.pop(name, (None, None))
        if isinstance(block, ToolBlock):
            block.room = 0
        elif block is not None and block.rooms.pop(name, None) is not None:
            block.touch("prompts")
        return panel

    def panels_of(self, block: HostBlock) -> list[Panel]:
        return [panel for host, panel in self.panels.values() if host is block]

    def make_room(self, name: str, look: Look, height: int) -> bool:
        """Whether a panel needs another room than it has."""
        block, panel = self.panels[name]
        room = panel.needed_height(panel_width(block, look), max(height - 2, 3))
        if isinstance(block, ToolBlock):
            before, block.room = block.room, room
            return before != room
        before = block.rooms.get(name)
        if before == room:
            return False
        block.rooms[name] = room
        block.touch("prompts")
        return True

    def row_of(self, name: str, top_of: TopOf) -> int | None:
        """Where a panel begins; None where it cannot be seen."""
        block, _ = self.panels[name]
        if isinstance(block, ToolBlock):
            top = top_of(block, 0)
            return None if top is None else top + 1
        top = top_of(block, block.prompts_part) if block.is_expanded and name in block.rooms else None
        if top is None:
            return None
        for other, room in block.rooms.items():
            if other == name:
                break
            top += room
        return top

    # Buttons

    def buttons_for(self, blocks: Iterable[AgentBlock]) -> tuple[list[str], list[CancelButton]]:
        """Which buttons are missing, and which are no longer needed, when the headers of these blocks are in sight."""
        wanted = [block.id for block in blocks if block.record.is_live and block.record.status != "shutting_down"]
        gone = [self.buttons.pop(name) for name in list(self.buttons) if name not in wanted]
        return [name for name in wanted if name not in self.buttons], gone

    def set_palette(self, palette: Palette) -> None:
        for button in self.buttons.values():
            button.set_palette(palette)

    # Where they stand

    def placements(self, look: Look, first: int, find: Callable[[str], object], top_of: TopOf) -> list[WidgetPlacement]:
        """Of all that is there, when the row that is in sight at the top is the given one."""
        placements: list[WidgetPlacement] = []
        for name, (block, panel) in self.panels.items():
            top = self.row_of(name, top_of)
            if top is not None:
                room = block.room if isinstance(block, ToolBlock) else block.rooms[name]
                left = GUTTER + _indent(block)
                placements.append(_placed(Region(left, top, panel_width(block, look), room), panel))
        if self.buttons:
            from code_assistant.tui.rendering.agent_header import cancel_label

            cells = len(cancel_label(look.room))
            for name, button in self.buttons.items():
                block = find(name)
                top = top_of(block, 0) if isinstance(block, AgentBlock) else None
                if top is not None:
                    button.placed(top - first)
                    placements.append(_placed(Region(GUTTER + look.room - cells, top, cells, 1), button))
        return placements


def panel_width(block: HostBlock, look: Look) -> int:
    return max(look.width - GUTTER - 1 - _indent(block), 1)


def _indent(block: HostBlock) -> int:
    # Behind the bar that all of an agent has before it.
    return 3 if isinstance(block, AgentBlock) else 0


def _placed(region: Region, widget: Widget) -> WidgetPlacement:
    return WidgetPlacement(region, Offset(), NO_SPACING, widget)
