"""What the events say the history is: the contract that a recorder relies on."""

from __future__ import annotations

from collections.abc import Iterable

from code_assistant.agent.history import History
from code_assistant.events import (
    Compacted,
    Event,
    GuidanceAdded,
    MessageDelivered,
    PromptReturned,
    PromptStarted,
    ResponseAdded,
    ResponseCut,
    ToolResultsAdded,
)
from code_assistant.messages import Message, Text


def replayed(events: Iterable[Event]) -> tuple[Message, ...]:
    history = History()
    for event in events:
        match event:
            case PromptStarted(message=message) | ToolResultsAdded(message=message):
                if message.content:
                    history.add_user(message.content)
            case GuidanceAdded(_, line) | MessageDelivered(_, _, line):
                history.add_user((Text(line),))
            case ResponseAdded(_, response):
                history.add_assistant(response.message.content)
            case ResponseCut(_, Message() as message):
                history.add_assistant(message.content)
            case Compacted(messages=messages) | PromptReturned(messages=messages):
                history.replace(messages)
            case _:
                pass
    return history.messages
