"""The body of a Chat Completions request: our data in the form that OpenAI and those who follow it take."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from code_assistant.llm.model import LimitField, Model
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.provider import ModelRequest, ToolSpecification
from code_assistant.llm.strict_schema import strict_schema
from code_assistant.llm.unseen_images import without_images
from code_assistant.messages import Block, Image, Message, Text, ToolCall, ToolResult

# The levels that every model with an effort knows; what is above them only some do, and the rest refuse it.
EFFORTS = {"xhigh": "high", "max": "high"}
ERROR_MARK = "[error] "
NO_TEXT = "(no text)"


def request_body(
    request: ModelRequest, model: Model, options: RequestOptions, limit_field: LimitField
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model.id,
        limit_field: options.output_limit(request, model),
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": _messages(request, model),
    }
    if request.tools:
        body["tools"] = [_tool(tool, model.strict_tools) for tool in request.tools]
        if not request.allow_tools:
            body["tool_choice"] = "none"
    effort = _effort(model, options, has_tools=bool(request.tools))
    if effort:
        body["reasoning_effort"] = effort
    return body


def _effort(model: Model, options: RequestOptions, *, has_tools: bool) -> str:
    """What to say about effort; empty for nothing."""
    if has_tools and model.tools_effort != "as wanted":
        return "none" if model.tools_effort == "none" else ""
    return EFFORTS.get(options.effort, options.effort) if model.effort else ""


def _tool(tool: ToolSpecification, strict: bool) -> dict[str, Any]:
    function: dict[str, Any] = {"name": tool.name, "description": tool.description}
    parameters = strict_schema(tool.input_schema) if strict else None
    if parameters is not None:
        function["strict"] = True
    return {"type": "function", "function": {**function, "parameters": parameters or tool.input_schema}}


def _messages(request: ModelRequest, model: Model) -> list[dict[str, Any]]:
    messages = request.messages if model.images else without_images(request.messages)
    listed = [{"role": "system", "content": request.system}] if request.system else []
    for message in messages:
        listed += _of_the_assistant(message) if message.role == "assistant" else _of_the_user(message)
    return listed


def _of_the_assistant(message: Message) -> Iterator[dict[str, Any]]:
    """Text and tool calls. Thoughts stay here: this protocol does not take them back."""
    said = "\n\n".join(block.text for block in message.content if isinstance(block, Text))
    calls = [_call(call) for call in message.tool_calls]
    if said or calls:
        spoken: dict[str, Any] = {"role": "assistant", "content": said or None}
        yield {**spoken, "tool_calls": calls} if calls else spoken


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = json.dumps(dict(call.input), ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _of_the_user(message: Message) -> Iterator[dict[str, Any]]:
    """Each result in a message of its own, then all that is no result, images of results too: they take text only."""
    results = [block for block in message.content if isinstance(block, ToolResult)]
    for result in results:
        yield {"role": "tool", "tool_call_id": result.tool_call_id, "content": _result_text(result)}
    others = [block for block in message.content if not isinstance(block, ToolResult)]
    parts = [*_images_of(results), *_parts(others)]
    if len(parts) == 1 and parts[0]["type"] == "text":
        yield {"role": "user", "content": parts[0]["text"]}
    elif parts:
        yield {"role": "user", "content": parts}


def _result_text(result: ToolResult) -> str:
    text = "\n".join(part.text for part in result.content if isinstance(part, Text)) or NO_TEXT
    return ERROR_MARK + text if result.is_error else text


def _images_of(results: Iterable[ToolResult]) -> Iterator[dict[str, Any]]:
    for result in results:
        images = [part for part in result.content if isinstance(part, Image)]
        if images:
            yield {"type": "text", "text": f"[What the tool call {result.tool_call_id} shows:]"}
            yield from _parts(images)


def _parts(blocks: Iterable[Block]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        match block:
            case Text(text):
                yield {"type": "text", "text": text}
            case Image(media_type, data):
                yield {"type": "image_url", "image_url": {"url": f"data:{media_type};base64,{data}"}}
            case _:
                pass
