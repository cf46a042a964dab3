"""The body of a Messages request: our data in the documented form, with the cache's break points."""

from __future__ import annotations

from typing import Any

from code_assistant.llm.model import Model
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.provider import ModelRequest, ToolSpecification
from code_assistant.llm.unseen_images import without_images
from code_assistant.message_json import block_object
from code_assistant.messages import Message

CACHE = {"type": "ephemeral"}
# Two of the four break points the service allows; the other two are on tools and system. The older one lets
# the next request find what the last one stored even when many blocks came in between.
CACHED_MESSAGES = 2
MIN_THINKING_BUDGET = 1024


def request_body(request: ModelRequest, model: Model, options: RequestOptions) -> dict[str, Any]:
    max_tokens = options.output_limit(request, model)
    body: dict[str, Any] = {"model": model.id, "max_tokens": max_tokens, "stream": True}
    if request.system:
        body["system"] = [{"type": "text", "text": request.system, "cache_control": CACHE}]
    if request.tools:
        body["tools"] = _tools(request.tools)
        if not request.allow_tools:
            body["tool_choice"] = {"type": "none"}
    body["messages"] = _messages(request.messages if model.images else without_images(request.messages))
    thinking = _thinking(model, options.thinking, max_tokens)
    if thinking is not None:
        body["thinking"] = thinking
    if options.effort and model.effort:
        body["output_config"] = {"effort": options.effort}
    return body


def _thinking(model: Model, wanted: bool, max_tokens: int) -> dict[str, Any] | None:
    if not wanted:
        return {"type": model.thinking_off} if model.thinking_off else None
    if model.thinking == "adaptive":
        # Without "summarized" newer models keep their thinking, and what they say between tool calls, to themselves.
        return {"type": "adaptive", "display": "summarized"}
    if model.thinking == "budget" and max_tokens >= 2 * MIN_THINKING_BUDGET:
        return {"type": "enabled", "budget_tokens": max_tokens // 2}
    return None


def _tools(tools: tuple[ToolSpecification, ...]) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema} for tool in tools
    ]
    listed[-1]["cache_control"] = CACHE
    return listed


def _messages(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    listed = [_message(message) for message in messages]
    users = [message for message in listed if message["role"] == "user"]
    for message in users[-CACHED_MESSAGES:]:
        message["content"][-1]["cache_control"] = CACHE
    return listed


def _message(message: Message) -> dict[str, Any]:
    return {"role": message.role, "content": [block_object(each) for each in message.content]}
