"""What a conversation is made of, in tokens: for people who want to know what fills the window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from code_assistant.agent.compaction import is_summary
from code_assistant.agent.system_prompt import NOTES_HEADING
from code_assistant.agent.tokens import block_tokens, text_tokens, tools_tokens
from code_assistant.context_report import ContextPart
from code_assistant.llm.provider import ToolSpecification
from code_assistant.messages import Block, Message, ToolResult

NAMED_TOOLS = 3


def context_parts(
    system: str, tools: Sequence[ToolSpecification], messages: Sequence[Message], used: int
) -> tuple[tuple[ContextPart, ...], tuple[ContextPart, ...]]:
    """All parts, adding up to `used`, and the tools whose results are the largest."""
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    said: Counter[str] = Counter()
    results: Counter[str] = Counter()
    for message in messages:
        for block in message.content:
            said[_kind(message, block)] += block_tokens(block)
            if isinstance(block, ToolResult):
                results[names[block.tool_call_id]] += block_tokens(block)
    own, heading, notes = system.partition(NOTES_HEADING)
    estimates = {
        "system prompt": text_tokens(own),
        "project notes": text_tokens(heading + notes),
        "tools": tools_tokens(tools),
        **{kind: said[kind] for kind in ("summary", "your messages", "the model's messages", "tool results")},
    }
    parts = _scaled({name: tokens for name, tokens in estimates.items() if tokens}, used)
    scale = used / max(sum(estimates.values()), 1)
    largest = tuple(ContextPart(name, round(scale * tokens)) for name, tokens in results.most_common(NAMED_TOOLS))
    return parts, largest


def _kind(message: Message, block: Block) -> str:
    if isinstance(block, ToolResult):
        return "tool results"
    if message.role == "assistant":
        return "the model's messages"
    return "summary" if is_summary(block) else "your messages"


def _scaled(estimates: Mapping[str, int], used: int) -> tuple[ContextPart, ...]:
    """What rounding leaves over goes to the largest part."""
    whole = sum(estimates.values())
    if not whole:
        return ()
    scaled = {name: tokens * used // whole for name, tokens in estimates.items()}
    scaled[max(scaled, key=scaled.__getitem__)] += used - sum(scaled.values())
    return tuple(ContextPart(name, tokens) for name, tokens in scaled.items())
