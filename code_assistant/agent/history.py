"""The conversation as the provider will see it, and the strict validator that runs before every request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import uuid4

from code_assistant.errors import HistoryError
from code_assistant.messages import Block, Image, Message, Opaque, Text, Thinking, ToolCall, ToolResult

LEGAL_ID = re.compile(r"[a-zA-Z0-9_-]{1,256}")
LEGAL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
ILLEGAL_NAME_CHARACTERS = re.compile(r"[^a-zA-Z0-9_-]")


class History:
    """What has the same role as the last message joins it, so that roles always take turns.

    Append-only but for `replace`, which is for compaction, for a prompt that came to nothing and for going back: caches
    and thinking depend on what came before.
    """

    def __init__(self, messages: Iterable[Message] = (), used_ids: set[str] | None = None) -> None:
        """Histories that share `used_ids` share no id of a tool call."""
        self._messages = list(messages)
        self._used_ids = used_ids if used_ids is not None else set[str]()
        self._used_ids |= {call.id for message in self._messages for call in message.tool_calls}

    @property
    def used_ids(self) -> set[str]:
        """To be shared with histories that must not use any of them again."""
        return self._used_ids

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(self._messages)

    def add_user(self, blocks: Sequence[Block]) -> None:
        """Add what the person, or a tool on the person's side, has to say."""
        self._append(Message("user", tuple(blocks)))

    def add_assistant(self, blocks: Sequence[Block]) -> Message | None:
        """Add what may be kept of a response; gives what was added, None when nothing was left."""
        kept = legal_blocks(blocks, self._used_ids)
        if not any(isinstance(block, Text | ToolCall | Opaque) for block in kept):
            return None
        message = Message("assistant", kept)
        self._append(message)
        return message

    def without(self, blocks: Sequence[Block]) -> tuple[Message, ...] | None:
        """The conversation without what stands in its last message; None where these blocks are not all there."""
        *before, last = self._messages
        kept = tuple(block for block in last.content if not any(block is each for each in blocks))
        if len(kept) != len(last.content) - len(blocks):
            return None
        return (*before, Message(last.role, kept)) if kept else tuple(before)

    def replace(self, messages: Sequence[Message]) -> None:
        """Another conversation in the place of this one, or none. Ids that were used stay so."""
        if messages:
            validate(messages)
        self._messages = list(messages)

    def _append(self, message: Message) -> None:
        if self._messages and self._messages[-1].role == message.role:
            message = Message(message.role, (*self._messages.pop().content, *message.content))
        self._messages.append(message)


def validate(messages: Sequence[Message]) -> None:
    """Raise HistoryError unless every provider must accept the conversation."""
    if not messages or messages[0].role != "user":
        raise HistoryError("The conversation must begin with a message of the person.")
    seen: set[str] = set()
    expected: tuple[ToolCall, ...] = ()
    for position, message in enumerate(messages):
        where = f"message {position + 1}"
        if position and message.role == messages[position - 1].role:
            raise HistoryError(f"{where}: two messages of the {message.role} follow each other.")
        _check_blocks(message, where)
        _check_results(message, expected, where)
        expected = message.tool_calls
        for call in expected:
            _check_call(call, seen, where)
    if expected:
        raise HistoryError(f"tool call {expected[0].id} at the end has no result.")


def _check_blocks(message: Message, where: str) -> None:
    if not message.content:
        raise HistoryError(f"{where} is empty.")
    results_over = False
    for block in message.content:
        match block:
            case Text(text):
                _check_text(text, where)
            case ToolResult(call_id, content):
                if results_over:
                    raise HistoryError(f"{where}: the result of {call_id} comes after other content.")
                for part in content:
                    if isinstance(part, Text):
                        _check_text(part.text, where)
            case _:
                pass
        if message.role == "user" and not isinstance(block, Text | Image | ToolResult):
            raise HistoryError(f"{where}: a message of the person holds a {type(block).__name__}.")
        if message.role == "assistant" and isinstance(block, ToolResult | Image):
            raise HistoryError(f"{where}: a message of the assistant holds a {type(block).__name__}.")
        results_over = results_over or not isinstance(block, ToolResult)


def _check_text(text: str, where: str) -> None:
    if is_blank(text):
        raise HistoryError(f"{where} holds blank text.")


def _check_results(message: Message, expected: tuple[ToolCall, ...], where: str) -> None:
    given = [block.tool_call_id for block in message.content if isinstance(block, ToolResult)]
    wanted = [call.id for call in expected]
    if sorted(given) != sorted(wanted):
        raise HistoryError(f"{where}: results for {given} where {wanted} were called.")


def _check_call(call: ToolCall, seen: set[str], where: str) -> None:
    if call.id in seen:
        raise HistoryError(f"{where}: tool call id {call.id} is used twice.")
    if not is_legal(call.id, call.name):
        raise HistoryError(f"{where}: tool call {call.name!r} with id {call.id!r} has an illegal name or id.")
    seen.add(call.id)


def is_legal(call_id: str, name: str) -> bool:
    """Whether every provider takes such an id and such a name of a tool call."""
    return bool(LEGAL_ID.fullmatch(call_id) and LEGAL_NAME.fullmatch(name))


def is_blank(text: str) -> bool:
    return not text or text.isspace()


def legal_blocks(blocks: Iterable[Block], used_ids: set[str]) -> tuple[Block, ...]:
    """What a history may keep of a response: no blank text, no unsigned thinking, legal and unique tool calls.

    Models and gateways now and then break these rules, and no provider takes such a message back.
    """
    kept: list[Block] = []
    for block in blocks:
        match block:
            case Text(text) if is_blank(text):
                continue
            case Thinking(_, signature) if not signature:
                continue
            case ToolCall():
                kept.append(_legal_call(block, used_ids))
            case _:
                kept.append(block)
    return tuple(kept)


def _legal_call(call: ToolCall, used_ids: set[str]) -> ToolCall:
    name = ILLEGAL_NAME_CHARACTERS.sub("_", call.name)[:128] or "unnamed"
    call_id = call.id
    if not LEGAL_ID.fullmatch(call_id) or call_id in used_ids:
        call_id = f"call_{uuid4().hex}"
    used_ids.add(call_id)
    return replace(call, id=call_id, name=name)
