"""The conversation: blocks in their order, and which of them have changed since somebody last looked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from code_assistant.tui.transcript.blocks import OURS, Block, ToolBlock


class Transcript:
    """Append-only but for `replace`, `clear` and `put_before`.

    Whoever shows it takes the changes; `on_change` tells that there are some. `has_older` is whether there is more
    to be put before all that is there, and `put_before_count` how much was.
    """

    def __init__(self, on_change: Callable[[], None] = lambda: None) -> None:
        self.blocks: list[Block] = []
        self.on_change = on_change
        self._positions: dict[str, int] = {}
        self._changed: set[int] = set()
        self.generation = 0
        self.has_older = False
        self.put_before_count = 0
        self._scope = ""
        self._ids: Counter[str] = Counter()

    def begin_scope(self, scope: str) -> None:
        """Ids that are made up from now on are counted within this: the same when the same is shown again."""
        if scope != self._scope:
            self._scope = scope
            self._ids.clear()

    def new_id(self, kind: str) -> str:
        self._ids[kind] += 1
        return f"{OURS}{self._scope}-{kind}-{self._ids[kind]}"

    def put_before(self, blocks: Sequence[Block]) -> None:
        """What came earlier than all that is there."""
        count = len(blocks)
        self.blocks[:0] = blocks
        self._positions = {block.id: position for position, block in enumerate(self.blocks)}
        self._changed = {position + count for position in self._changed}
        self.put_before_count += count
        self.on_change()

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
        self._ids.clear()
        self._scope = ""
        self.has_older = False
        self.generation += 1
        self.on_change()
