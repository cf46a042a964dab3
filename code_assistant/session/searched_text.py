"""What of an event people look for: what was said and done, each in one event only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from code_assistant.events import (
    AgentFinished,
    AgentSpawned,
    BlockAdded,
    Compacted,
    Event,
    MessageDelivered,
    Notice,
    PromptStarted,
    ResponseCut,
    ToolFinished,
    ToolStarted,
)
from code_assistant.messages import Text, Thinking

SEARCHED = frozenset(
    kind.__name__
    for kind in (
        PromptStarted,
        BlockAdded,
        ResponseCut,
        ToolStarted,
        ToolFinished,
        AgentSpawned,
        AgentFinished,
        MessageDelivered,
        Notice,
        Compacted,
    )
)


def searched_text(event: Event, *, is_main: bool) -> str:
    """Empty for what has nothing to be found."""
    # What the main file says of sub-agents stands in their own files, too.
    if is_main and event.origin.depth > 1:
        return ""
    return "\n".join(filter(None, _texts(event, is_main=is_main)))


def _texts(event: Event, *, is_main: bool) -> Iterator[str]:
    match event:
        case PromptStarted(_, _, message):
            # The prompt of a sub-agent is its instructions.
            yield message.text if is_main else ""
        case BlockAdded(_, Text(text) | Thinking(text)):
            yield text
        case ResponseCut(_, message):
            yield message.text if message is not None else ""
        case ToolStarted(_, _, name, arguments, title):
            yield from (name, title, *_strings(arguments))
        case ToolFinished(display=display):
            yield from (display.title, display.summary, display.detail)
        case AgentSpawned(origin, label, instructions):
            yield from (origin.name, label, instructions)
        case AgentFinished(warning=warning, error=error):
            yield from (warning or "", error or "")
        case MessageDelivered(_, _, text) | Notice(_, _, text):
            yield text
        case Compacted(summary=summary):
            yield summary
        case _:
            pass


def _strings(value: object) -> Iterator[str]:
    """Without recursion: a model may nest its input as deep as it likes."""
    pending: list[Any] = [value]
    while pending:
        found = pending.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, dict):
            pending.extend(cast("dict[str, Any]", found).values())
        elif isinstance(found, list):
            pending.extend(cast("list[Any]", found))
