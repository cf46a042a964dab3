"""About how many tokens something has, at the cost of a look at its size. Only the service knows for sure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, assert_never

from code_assistant.llm.provider import ToolSpecification
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

# Of UTF-8: English and code have about four, other scripts fewer. Rather too many tokens than too few.
BYTES_PER_TOKEN = 3.5
# What a picture of the largest size that is not scaled down takes.
IMAGE_TOKENS = 1600
# The role, and what stands around a call and its result.
FRAME_TOKENS = 4


def text_tokens(text: str) -> int:
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -int(-size // BYTES_PER_TOKEN)


def block_tokens(block: Block) -> int:
    match block:
        case Text(text) | Thinking(text):
            return text_tokens(text)
        case RedactedThinking(data):
            return text_tokens(data)
        case Image():
            return IMAGE_TOKENS
        case ToolCall(_, name, given):
            return 2 * FRAME_TOKENS + text_tokens(name) + _json_tokens(given)
        case ToolResult(_, content):
            return 2 * FRAME_TOKENS + sum(map(block_tokens, content))
        case Opaque(data):
            return _json_tokens(data)
        case _:
            assert_never(block)


def message_tokens(message: Message) -> int:
    return FRAME_TOKENS + sum(map(block_tokens, message.content))


def messages_tokens(messages: Iterable[Message]) -> int:
    return sum(map(message_tokens, messages))


def tools_tokens(tools: Iterable[ToolSpecification]) -> int:
    return sum(
        2 * FRAME_TOKENS + text_tokens(each.name) + text_tokens(each.description) + _json_tokens(each.input_schema)
        for each in tools
    )


def cut_to_tokens(text: str, tokens: int, mark: str) -> str:
    """The text, or its beginning and its end with a mark in between, so that it has no more tokens than that."""
    whole = text_tokens(text)
    if whole <= tokens:
        return text
    room = max(tokens - text_tokens(mark), 0)
    kept = len(text) * room // whole
    first, last = kept // 3, kept - kept // 3
    return f"{text[:first]}{mark}{text[len(text) - last :]}"


def _json_tokens(data: Any) -> int:
    return text_tokens(json.dumps(data, ensure_ascii=False, default=dict))
