"""Content blocks and usage as JSON objects, in the form of the Messages protocol that other tools read too."""

from __future__ import annotations

from typing import Any, assert_never

from code_assistant.messages import (
    Block,
    Image,
    Opaque,
    RedactedThinking,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)


def block_object(block: Block) -> dict[str, Any]:
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text, signature):
            return {"type": "thinking", "thinking": text, "signature": signature}
        case RedactedThinking(data):
            return {"type": "redacted_thinking", "data": data}
        case Image(media_type, data):
            return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}
        case ToolCall(call_id, name, arguments):
            return {"type": "tool_use", "id": call_id, "name": name, "input": dict(arguments)}
        case ToolResult(call_id, content, is_error):
            parts = [block_object(part) for part in content]
            return {"type": "tool_result", "tool_use_id": call_id, "content": parts, "is_error": is_error}
        case Opaque(data):
            return dict(data)
        case _:
            assert_never(block)


def usage_object(usage: Usage) -> dict[str, int]:
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
    }
