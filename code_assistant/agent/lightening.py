"""Takes large tool results out of a conversation, the oldest ones: they can be had again, words cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from code_assistant.agent.tokens import block_tokens
from code_assistant.messages import Block, Image, Message, RedactedThinking, Text, Thinking, ToolResult

# Below this, what stands in its place would save little.
LARGE_TOKENS = 300
STUB = "[The result of {0} was taken out to save room ({1}). Run the tool again if it is needed.]"


@dataclass(frozen=True, slots=True)
class Lightened:
    """`taken_out` says of how many calls of which tools."""

    messages: tuple[Message, ...]
    taken_out: tuple[tuple[str, int], ...]


def lightened(messages: Sequence[Message], room: int, *, keeps_last: bool = True) -> Lightened:
    """The newest large results stay as long as they fit into `room` tokens, those of the last message anyway.

    Thinking behind the first result that is gone is left out, too: its signatures are bound to all that was before it.
    """
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    old = _old_results(messages, room, keeps_last)
    if not old:
        return Lightened(tuple(messages), ())
    changed: list[Message] = []
    is_same = True
    for message in messages:
        is_same = is_same and not any(_is_old(block, old) for block in message.content)
        changed.append(message if is_same else _light(message, old, names))
    counts = Counter(names[each] for each in old)
    return Lightened(tuple(changed), tuple(counts.most_common()))


def _old_results(messages: Sequence[Message], room: int, keeps_last: bool) -> set[str]:
    """The calls whose results have to go."""
    old: set[str] = set()
    for message in reversed(messages):
        is_kept = keeps_last and message is messages[-1]
        for block in reversed(message.content):
            tokens = block_tokens(block) if isinstance(block, ToolResult) else 0
            if not isinstance(block, ToolResult) or tokens < LARGE_TOKENS:
                continue
            room -= tokens
            if room < 0 and not is_kept:
                old.add(block.tool_call_id)
    return old


def _light(message: Message, old: set[str], names: dict[str, str]) -> Message:
    kept = tuple(block for block in message.content if not isinstance(block, Thinking | RedactedThinking))
    # No message may be empty, and one of nothing but thinking says nothing that anything is bound to.
    return replace(message, content=tuple(_stub(block, old, names) for block in kept or message.content))


def _is_old(block: Block, old: set[str]) -> TypeGuard[ToolResult]:
    return isinstance(block, ToolResult) and block.tool_call_id in old


def _stub(block: Block, old: set[str], names: dict[str, str]) -> Block:
    if not _is_old(block, old):
        return block
    images = sum(isinstance(part, Image) for part in block.content)
    characters = sum(len(part.text) for part in block.content if isinstance(part, Text))
    sizes = [f"{characters:,} characters"] if characters else []
    sizes += [f"{images} image{'s' if images > 1 else ''}"] if images else []
    return replace(block, content=(Text(STUB.format(names[block.tool_call_id], ", ".join(sizes))),))
