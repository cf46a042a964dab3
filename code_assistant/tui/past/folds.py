"""Blocks as the person had left them: unfolded or folded by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from code_assistant.tui.agents.record import ToolLine
from code_assistant.tui.transcript.agent_block import EARLIER, INSTRUCTIONS, AgentBlock
from code_assistant.tui.transcript.blocks import Block, ThinkingBlock, ToolBlock


def apply_folds(
    blocks: Iterable[Block],
    folds: Mapping[tuple[str, str], bool],
    read: Callable[[AgentBlock, ToolLine], None],
) -> list[Block]:
    """Gives those that look different now. `read` fetches what an unfolded tool call of a sub-agent holds."""
    wanted: dict[str, list[tuple[str, bool]]] = {}
    for (block_id, target), is_expanded in folds.items():
        wanted.setdefault(block_id, []).append((target, is_expanded))
    changed: list[Block] = []
    for block in blocks:
        for target, is_expanded in wanted.get(block.id, ()):
            _fold(block, target, read, is_expanded=is_expanded)
            changed.append(block)
    return changed


def _fold(block: Block, target: str, read: Callable[[AgentBlock, ToolLine], None], *, is_expanded: bool) -> None:
    if isinstance(block, AgentBlock) and target:
        _fold_inside(block, target, read, is_expanded=is_expanded)
    elif isinstance(block, ToolBlock | AgentBlock):
        block.is_expanded, block.was_toggled = is_expanded, True
        if isinstance(block, AgentBlock):
            block.touch("header")
    elif isinstance(block, ThinkingBlock):
        block.is_expanded = is_expanded


def _fold_inside(
    block: AgentBlock, target: str, read: Callable[[AgentBlock, ToolLine], None], *, is_expanded: bool
) -> None:
    is_known = target in (INSTRUCTIONS, EARLIER) or block.index_of(target) is not None
    if is_known and block.is_unfolded(target) != is_expanded:
        line = block.toggle_target(target)
        if line is not None:
            read(block, line)
