"""The conversation: blocks in their order, and which of them have changed since somebody last looked."""

from __future__ import annotations

from collections.abc import Callable

from code_assistant.tui.transcript.blocks import Block, ToolBlock


class Transcript:
    """Append-only but for `replace` and `clear`.

    Whoever shows it takes the changes; `on_change` tells that there are some.
    """

    def __init__(self, on_change: Callable[[], None] = lambda: None) -> None:
        self.blocks: list[Block] = []
        self.on_change = on_change
        self._positions: dict[str, int] = {}
        self._changed: set[int] = set()
        self.generation = 0

    def add(self, block: Block) -> None:
        self._positions[block.id] = len(self.blocks)
        self._changed.add(len(self.blocks))
        self.blocks.append(block)
        self.on_change()

    def replace(self, block: Block) -> None:
        """Another block in the place of the one with the same id; the gaps around it must be the same."""
        position = self._positions[block.id]
        self.blocks[position] = block
        self._changed.add(position)
        self.on_change()

    def find(self, block_id: str) -> Block | None:
        position = self._positions.get(block_id)
        return None if position is None else self.blocks[position]

    def position_of(self, block: Block) -> int:
        return self._positions[block.id]

    def touch(self, block: Block) -> None:
        """Something about a block is different now."""
        block.stamp += 1
        self._changed.add(self._positions[block.id])
        self.on_change()

    def unfold_tools(self, is_wanted: bool) -> None:
        """All of them, or fold them, but for those that the person has set by hand."""
        for block in self.blocks:
            if isinstance(block, ToolBlock) and not block.was_toggled and block.is_expanded != is_wanted:
                block.is_expanded = is_wanted
                self.touch(block)

    def take_changes(self) -> list[int]:
        """Positions of blocks that are new or different, in order."""
        changed, self._changed = sorted(self._changed), set()
        return changed

    def clear(self) -> None:
        self.blocks.clear()
        self._positions.clear()
        self._changed.clear()
        self.generation += 1
        self.on_change()
