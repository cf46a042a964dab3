"""What the events of a session say its history is, in a form that every provider accepts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from code_assistant.agent.history import History, is_blank, is_legal
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
from code_assistant.messages import (
    Block,
    Image,
    Message,
    Opaque,
    RedactedThinking,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

# What stands in the place of a secret, see `secrets`.
MASKED = re.compile(r"\[[\w .-]{1,40} removed\]")
THOUGHTS = (Thinking, RedactedThinking)
LOST_RESULT = "The result of this call was lost: the session's file is damaged here."


def restored(events: Iterable[Event]) -> tuple[Message, ...]:
    """What can be sent again: valid, and without what a provider would refuse."""
    return mended(without_spoilt_thoughts(messages_of(events)))


def messages_of(events: Iterable[Event]) -> tuple[Message, ...]:
    """The history as it was. Of a whole file it is valid; of a damaged one see `mended`."""
    history = History()
    used_ids = history.used_ids
    # Of the last response, as long as nothing came behind it.
    calls: tuple[ToolCall, ...] = ()
    for event in events:
        if calls and isinstance(event, ResponseAdded | ResponseCut):
            # A line is lost here, and what was said then must not come before the results.
            history.add_user(tuple(map(_lost, calls)))
        calls = ()
        match event:
            case PromptStarted(message=message) | ToolResultsAdded(message=message):
                if message.content:
                    history.add_user(message.content)
            case GuidanceAdded(_, line) | MessageDelivered(_, _, line):
                history.add_user((Text(line),))
            case ResponseAdded(_, response):
                added = history.add_assistant(response.message.content)
                calls = added.tool_calls if added is not None else ()
            case ResponseCut(_, Message() as message):
                history.add_assistant(message.content)
            case Compacted(messages=messages) | PromptReturned(messages=messages):
                # Not `replace`, which refuses what is not valid.
                history = History(messages, used_ids)
            case _:
                pass
    return history.messages


def without_spoilt_thoughts(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Where a secret was masked, thinking goes: it is bound to all that came before it, word for word."""
    if not any(_is_masked(block) for message in messages for block in message.content):
        return tuple(messages)
    kept = (
        Message(message.role, tuple(block for block in message.content if not isinstance(block, THOUGHTS)))
        for message in messages
    )
    return tuple(message for message in kept if message.content)


def _is_masked(block: Block) -> bool:
    match block:
        case Text(text) | Thinking(text):
            return MASKED.search(text) is not None
        case ToolCall():
            return MASKED.search(json.dumps(dict(block.input))) is not None
        case ToolResult(_, content):
            return any(_is_masked(part) for part in content)
        case _:
            return False


def mended(messages: Sequence[Message]) -> tuple[Message, ...]:
    """A valid history, whatever is missing: calls and results that have lost each other get one, or go."""
    history: list[Message] = []
    seen: set[str] = set()
    open_calls: tuple[ToolCall, ...] = ()
    for message in messages:
        if message.role == "assistant":
            content = _said(tuple(_of_assistant(message.content, seen)))
        else:
            content = (*_results(message.content, open_calls), *_of_person(message.content))
        if not content:
            continue
        open_calls = ()
        if history and history[-1].role == message.role:
            history[-1] = Message(message.role, (*history[-1].content, *content))
        elif history or message.role == "user":
            history.append(Message(message.role, content))
        else:
            continue
        if message.role == "assistant":
            open_calls = history[-1].tool_calls
    return _closed(history)


def _closed(history: list[Message]) -> tuple[Message, ...]:
    """Every message with calls is followed by their results."""
    closed: list[Message] = []
    for message in history:
        calls = closed[-1].tool_calls if closed else ()
        if calls and message.role == "user":
            given = {block.tool_call_id for block in message.content if isinstance(block, ToolResult)}
            missing = tuple(_lost(call) for call in calls if call.id not in given)
            message = replace(message, content=(*missing, *message.content))
        closed.append(message)
    if closed and closed[-1].tool_calls:
        closed.append(Message("user", tuple(map(_lost, closed[-1].tool_calls))))
    return tuple(closed)


def _of_assistant(blocks: Iterable[Block], seen: set[str]) -> Iterator[Block]:
    for block in blocks:
        match block:
            case ToolResult() | Image():
                continue
            case Text(text) if is_blank(text):
                continue
            case Thinking(_, signature) if not signature:
                continue
            case ToolCall(call_id, name) if call_id in seen or not is_legal(call_id, name):
                continue
            case ToolCall(call_id):
                seen.add(call_id)
                yield block
            case _:
                yield block


def _said(content: tuple[Block, ...]) -> tuple[Block, ...]:
    """Nothing where there are only thoughts, which no provider takes back alone."""
    return content if any(isinstance(block, Text | ToolCall | Opaque) for block in content) else ()


def _of_person(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Image) or (isinstance(block, Text) and not is_blank(block.text)):
            yield block


def _results(blocks: Iterable[Block], calls: tuple[ToolCall, ...]) -> Iterator[Block]:
    """The first result of each call that is open, in any order."""
    wanted = {call.id for call in calls}
    for block in blocks:
        if isinstance(block, ToolResult) and block.tool_call_id in wanted:
            wanted.remove(block.tool_call_id)
            parts = tuple(part for part in block.content if not (isinstance(part, Text) and is_blank(part.text)))
            yield replace(block, content=parts)


def _lost(call: ToolCall) -> ToolResult:
    return ToolResult(call.id, (Text(LOST_RESULT),), is_error=True)
