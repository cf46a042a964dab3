"""What the events say the history is: the contract that a recorder relies on."""

from __future__ import annotations

from collections.abc import Iterable

from code_assistant.agent.history import History
from code_assistant.events import Event, GuidanceAdded, PromptStarted, ResponseAdded, ResponseCut, ToolResultsAdded
from code_assistant.messages import Message, Text


def replayed(events: Iterable[Event]) -> tuple[Message, ...]:
    history = History()
    for event in events:
        match event:
            case PromptStarted(_, _, message) | ToolResultsAdded(_, message):
                history.add_user(message.content)
            case GuidanceAdded(_, line):
                history.add_user((Text(line),))
            case ResponseAdded(_, response):
                history.add_assistant(response.message.content)
            case ResponseCut(_, Message() as message):
                history.add_assistant(message.content)
            case _:
                pass
    return history.messages
