"""The rules for a Chat Completions request, the strictest of the services', written without a look at the package."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, TypeAlias

JsonObject: TypeAlias = Mapping[str, Any]

REQUIRED_KEYS = ("model", "messages")
TOP_LEVEL_KEYS = frozenset(
    {
        *REQUIRED_KEYS,
        *("max_tokens", "max_completion_tokens", "stream", "stream_options", "tools", "tool_choice"),
        *("parallel_tool_calls", "reasoning_effort", "temperature", "top_p", "stop", "user", "response_format"),
    }
)
EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh"})
# Of these OpenAI's service takes tools only together with these values, None for one that is left out.
EFFORT_WITH_TOOLS = {
    "gpt-5.4": (None, "none"),
    "gpt-5.5": (None, "none"),
    "gpt-5.6": ("none",),
    "gpt-6-": ("none",),
}
MESSAGE_KEYS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    role: (frozenset(required.split()), frozenset(optional.split()))
    for role, required, optional in (
        ("system", "role content", ""),
        ("developer", "role content", ""),
        ("user", "role content", "name"),
        ("assistant", "role", "content tool_calls refusal"),
        ("tool", "role content tool_call_id", ""),
    )
}
FUNCTION_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
DATA_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}")
STRICT_KEYS = frozenset(
    {
        *("type", "description", "enum", "const", "pattern", "format", "multipleOf", "minimum", "maximum"),
        *("exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "anyOf", "items", "$ref", "$defs"),
        *("definitions", "properties", "required", "additionalProperties", "title"),
    }
)


def check_chat(body: JsonObject) -> str | None:
    """The first thing a service would say against the request, or None if it would serve it."""
    # Each check relies on those before it: the chain is lazy and stops at the first complaint.
    complaints = chain(_check_top_level(body), _check_messages(body), _check_tools(body), _check_pairing(body))
    return next(complaints, None)


def _check_top_level(body: JsonObject) -> Iterator[str]:
    for key in REQUIRED_KEYS:
        if key not in body:
            yield f"Missing required parameter: '{key}'."
    for key in body:
        if key not in TOP_LEVEL_KEYS:
            yield f"Unrecognized request argument supplied: {key}"
    limits = [body[key] for key in ("max_tokens", "max_completion_tokens") if key in body]
    if len(limits) > 1:
        yield "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
    if any(type(limit) is not int or limit < 1 for limit in limits):
        yield "Invalid value for the limit: expected an integer of at least 1."
    if body.get("stream_options") is not None and not body.get("stream"):
        yield "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    if body.get("reasoning_effort", "low") not in EFFORTS:
        yield f"Invalid value for 'reasoning_effort': {body['reasoning_effort']!r}"
    for family, allowed in EFFORT_WITH_TOOLS.items():
        if body["model"].startswith(family) and body.get("tools") and body.get("reasoning_effort") not in allowed:
            yield f"Function tools with reasoning_effort are not supported for {body['model']} in /v1/chat/completions."


def _check_messages(body: JsonObject) -> Iterator[str]:
    messages = body["messages"]
    if not isinstance(messages, list) or not messages:
        yield "Invalid 'messages': expected a list of at least one message."
    for at, message in enumerate(messages):
        yield from _check_message(f"messages[{at}]", message)
        if message["role"] in ("system", "developer") and at:
            yield f"messages[{at}]: the system message must be at the beginning."
    spoken = [message for message in messages if message["role"] not in ("system", "developer")]
    if not spoken or spoken[0]["role"] != "user":
        yield "messages: the conversation must begin with a message of the user."


def _check_message(place: str, message: Any) -> Iterator[str]:
    role = str(message.get("role")) if isinstance(message, dict) else "None"
    if role not in MESSAGE_KEYS:
        yield f"{place}.role: {role!r} is not one of {sorted(MESSAGE_KEYS)}"
    required, optional = MESSAGE_KEYS[role]
    for key in sorted(required - message.keys()):
        yield f"{place}: missing '{key}'"
    for key in sorted(message.keys() - required - optional):
        yield f"{place}: '{key}' is not permitted"
    content = message.get("content")
    if isinstance(content, list) and role == "user":
        for number, part in enumerate(content):
            yield from _check_part(f"{place}.content[{number}]", part)
        if not content:
            yield f"{place}.content: expected at least one part"
    elif role == "assistant" and message.get("tool_calls") and content is None:
        pass
    elif not isinstance(content, str) or not content.strip():
        yield f"{place}.content: expected text that is not blank"
    if role == "assistant" and "tool_calls" in message:
        yield from _check_calls(place, message["tool_calls"])


def _check_part(place: str, part: Any) -> Iterator[str]:
    match part:
        case {"type": "text", "text": str(text), **rest} if text.strip() and not rest:
            return
        case {"type": "image_url", "image_url": {"url": str(url), **more}, **rest} if not rest and not more:
            if not DATA_IMAGE.fullmatch(url):
                yield f"{place}: not a data URI of an image"
        case _:
            yield f"{place}: neither text that is not blank nor an image: {part!r}"


def _check_calls(place: str, calls: Any) -> Iterator[str]:
    if not isinstance(calls, list) or not calls:
        yield f"{place}.tool_calls: expected a list of at least one call"
    for number, call in enumerate(calls):
        match call:
            case {"id": str(call_id), "type": "function", "function": {"name": str(name), "arguments": str(arguments)}}:
                if not call_id or not FUNCTION_NAME.fullmatch(name):
                    yield f"{place}.tool_calls[{number}]: no id, or an illegal name: {name!r}"
                if not _is_object(arguments):
                    yield f"{place}.tool_calls[{number}].function.arguments: expected the JSON of an object"
            case _:
                yield f"{place}.tool_calls[{number}]: not a call of a function: {call!r}"


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _check_tools(body: JsonObject) -> Iterator[str]:
    tools = body.get("tools", [])
    if "tools" in body and not tools:
        yield "Invalid 'tools': empty array."
    names: list[str] = []
    for at, tool in enumerate(tools):
        match tool:
            case {"type": "function", "function": {"name": str(name), "parameters": {"type": "object"} as parameters}}:
                names.append(name)
                if not FUNCTION_NAME.fullmatch(name):
                    yield f"tools[{at}].function.name: illegal name {name!r}"
                if tool["function"].get("strict"):
                    yield from _check_strict(f"tools[{at}].function.parameters", parameters)
            case _:
                yield f"tools[{at}]: not a function with parameters of type 'object'"
    if len(set(names)) < len(names):
        yield "tools: the names of functions must be unique."
    if "tool_choice" in body and not tools:
        yield "'tool_choice' is only allowed when 'tools' are specified."


def _check_strict(place: str, schema: JsonObject) -> Iterator[str]:
    for key in sorted(schema.keys() - STRICT_KEYS):
        yield f"{place}: '{key}' is not permitted in a strict schema"
    if "$ref" in schema and len(schema) > 1:
        yield f"{place}: $ref cannot have keywords beside it"
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield f"{place}: 'additionalProperties' is required to be supplied and to be false"
        if sorted(schema.get("required", [])) != sorted(schema.get("properties", {})):
            yield f"{place}: 'required' is required to be supplied and to hold every key of 'properties'"
    for group in ("properties", "$defs", "definitions"):
        for name, inner in schema.get(group, {}).items():
            yield from _check_strict(f"{place}.{group}.{name}", inner)
    for number, inner in enumerate(schema.get("anyOf", ())):
        yield from _check_strict(f"{place}.anyOf[{number}]", inner)
    if "items" in schema:
        yield from _check_strict(f"{place}.items", schema["items"])


def _check_pairing(body: JsonObject) -> Iterator[str]:
    """Each call is answered by one tool message, right behind the message that holds it."""
    seen: set[str] = set()
    unanswered: set[str] = set()
    for at, message in enumerate(body["messages"]):
        if message["role"] == "tool":
            if message["tool_call_id"] not in unanswered:
                yield f"messages[{at}]: 'tool' must be a response to a preceding message with 'tool_calls'."
            unanswered.discard(message["tool_call_id"])
            continue
        if unanswered:
            yield f"messages[{at}]: tool_call_ids did not have response messages: {sorted(unanswered)}"
        ids = [call["id"] for call in message.get("tool_calls", ())]
        if len({*ids, *seen}) < len(ids) + len(seen):
            yield f"messages[{at}]: the ids of tool calls must be unique."
        seen.update(ids)
        unanswered = set(ids)
    if unanswered:
        yield f"messages: tool_call_ids did not have response messages: {sorted(unanswered)}"
