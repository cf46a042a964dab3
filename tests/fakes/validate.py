"""The real API's rules for a Messages request, written without a look at the package under test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby
from typing import Any, TypeAlias

JsonObject: TypeAlias = Mapping[str, Any]

REQUIRED_KEYS = ("model", "max_tokens", "messages")
REMOVED_KEYS = frozenset({"temperature", "top_p", "top_k"})
TOP_LEVEL_KEYS = frozenset(
    {
        *REQUIRED_KEYS,
        *("cache_control", "container", "diagnostics", "inference_geo", "metadata", "output_config"),
        *("service_tier", "speed", "stop_sequences", "stream", "system", "thinking", "tool_choice", "tools"),
    }
)
BLOCK_TYPES = frozenset(
    {
        *("text", "image", "document", "search_result", "thinking", "redacted_thinking"),
        *("tool_use", "tool_result", "server_tool_use", "web_search_tool_result", "web_fetch_tool_result"),
        *("code_execution_tool_result", "bash_code_execution_tool_result", "tool_search_tool_result"),
        *("text_editor_code_execution_tool_result", "container_upload"),
    }
)
RESULT_BLOCK_TYPES = frozenset({"text", "image", "document", "search_result", "tool_reference", "browser_state"})
BLOCK_KEYS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    kind: (frozenset(required.split()), frozenset(optional.split()))
    for kind, required, optional in (
        ("text", "type text", "cache_control citations"),
        ("image", "type source", "cache_control transformations"),
        ("thinking", "type thinking signature", ""),
        ("redacted_thinking", "type data", ""),
        ("tool_use", "type id name input", "cache_control caller toolset_name"),
        ("tool_result", "type tool_use_id", "cache_control content is_error toolset_name"),
    )
}
BLOCKS_OF_ONE_ROLE = {
    "tool_use": "assistant",
    "thinking": "assistant",
    "redacted_thinking": "assistant",
    "tool_result": "user",
}
MOST_BREAKPOINTS = 4
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
TOOL_USE_ID = re.compile(r"[a-zA-Z0-9_-]+")


def check(request_body: JsonObject, issued_signatures: set[str]) -> str | None:
    """The first thing the API would say against the request, or None if it would serve it."""
    # Each check relies on those before it: the chain is lazy and stops at the first complaint.
    complaints = chain(
        _check_top_level(request_body),
        _check_messages(request_body),
        _check_system(request_body),
        _check_tools(request_body),
        _check_blocks(request_body),
        _check_signatures(request_body, issued_signatures),
        _check_tools_defined(request_body),
        _check_pairing(request_body),
        _check_breakpoints(request_body),
    )
    return next(complaints, None)


def _check_top_level(body: JsonObject) -> Iterator[str]:
    for key in REQUIRED_KEYS:
        if key not in body:
            yield f"{key}: Field required"
    for key in body:
        if key in REMOVED_KEYS:
            yield f"{key}: this parameter was removed in API version 2026-10-21"
        elif key not in TOP_LEVEL_KEYS:
            yield f"{key}: Extra inputs are not permitted"
    if not isinstance(body["model"], str):
        yield "model: Input should be a valid string"
    if type(body["max_tokens"]) is not int or body["max_tokens"] < 0:
        yield "max_tokens: Input should be a valid integer, not below 0"


def _check_messages(body: JsonObject) -> Iterator[str]:
    messages = body["messages"]
    if not isinstance(messages, list):
        yield "messages: Input should be a valid list"
    if not messages:
        yield "messages: at least one message is required"
    for at, message in enumerate(messages):
        if not isinstance(message, dict) or message.keys() != {"role", "content"}:
            yield f"messages.{at}: Input should be an object of `role` and `content`"
        if message["role"] not in ("user", "assistant", "system"):
            yield f"messages.{at}.role: Input should be 'user', 'assistant' or 'system'"
        if not isinstance(message["content"], str | list):
            yield f"messages.{at}.content: Input should be a valid string or list"
        is_final_answer = at == len(messages) - 1 and message["role"] == "assistant"
        if not message["content"] and not is_final_answer:
            yield f"messages.{at}: all messages must have non-empty content"
    if messages[0]["role"] != "user":
        yield 'messages: first message must use the "user" role'


def _check_system(body: JsonObject) -> Iterator[str]:
    system = body.get("system", "")
    if not isinstance(system, str | list):
        yield "system: Input should be a valid string or list"
    for at, block in enumerate(system if isinstance(system, list) else ()):
        yield from _check_block(f"system.{at}", block, frozenset({"text"}))


def _check_tools(body: JsonObject) -> Iterator[str]:
    tools = body.get("tools", [])
    if not isinstance(tools, list):
        yield "tools: Input should be a valid list"
    for at, tool in enumerate(tools):
        if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
            yield f"tools.{at}.name: Field required"
        if not TOOL_NAME.fullmatch(tool["name"]):
            yield f"tools.{at}.name: String should match pattern '^{TOOL_NAME.pattern}$'"
        is_ours = tool.get("type") in (None, "custom")
        schema = tool.get("input_schema")
        if is_ours and not (isinstance(schema, dict) and schema.get("type") == "object"):
            yield f"tools.{at}.input_schema.type: Field required, should be 'object'"
    if len({tool["name"] for tool in tools}) < len(tools):
        yield "tools: Tool names must be unique."
    if "tool_choice" in body and not tools:
        yield "tool_choice: tool_choice may only be specified while providing tools."


def _check_blocks(body: JsonObject) -> Iterator[str]:
    for at, message in enumerate(body["messages"]):
        for number, block in enumerate(_blocks(message)):
            place = f"messages.{at}.content.{number}"
            yield from _check_block(place, block, BLOCK_TYPES)
            role = BLOCKS_OF_ONE_ROLE.get(block["type"], message["role"])
            if role != message["role"]:
                yield f"{place}: `{block['type']}` blocks can only be in `{role}` messages"
            if block["type"] == "tool_use":
                yield from _check_call(place, block)
            elif block["type"] == "tool_result":
                yield from _check_result(place, block)


def _check_block(place: str, block: Any, types: frozenset[str]) -> Iterator[str]:
    kind = str(block.get("type")) if isinstance(block, dict) else "None"
    if kind not in types:
        yield f"{place}: Input tag '{kind}' does not match any of the expected tags: {sorted(types)}"
    if kind == "thinking" and "cache_control" in block:
        yield f"{place}.cache_control: thinking blocks cannot carry cache_control"
    if kind in BLOCK_KEYS:
        required, optional = BLOCK_KEYS[kind]
        for key in sorted(required - block.keys()):
            yield f"{place}.{key}: Field required"
        for key in sorted(block.keys() - required - optional):
            yield f"{place}.{key}: Extra inputs are not permitted"
    if kind == "text" and not isinstance(block["text"], str):
        yield f"{place}.text: Input should be a valid string"
    if kind == "text" and not block["text"].strip():
        yield f"{place.partition('.')[0]}: text content blocks must contain non-whitespace text"


def _check_call(place: str, block: JsonObject) -> Iterator[str]:
    if not TOOL_USE_ID.fullmatch(str(block["id"])):
        yield f"{place}.id: String should match pattern '^{TOOL_USE_ID.pattern}$'"
    if not TOOL_NAME.fullmatch(str(block["name"])):
        yield f"{place}.name: String should match pattern '^{TOOL_NAME.pattern}$'"
    if not isinstance(block["input"], dict):
        yield f"{place}.input: Input should be an object"


def _check_result(place: str, block: JsonObject) -> Iterator[str]:
    if not isinstance(block["tool_use_id"], str):
        yield f"{place}.tool_use_id: Input should be a valid string"
    content = block.get("content", "")
    if not isinstance(content, str | list):
        yield f"{place}.content: Input should be a valid string or list"
    for number, part in enumerate(content if isinstance(content, list) else ()):
        yield from _check_block(f"{place}.content.{number}", part, RESULT_BLOCK_TYPES)
    if block.get("is_error") and not content:
        yield f"{place}: content cannot be empty if `is_error` is true"


def _check_signatures(body: JsonObject, issued: set[str]) -> Iterator[str]:
    for at, message in enumerate(body["messages"]):
        for number, block in enumerate(_blocks(message)):
            if block["type"] == "thinking" and str(block["signature"]) not in issued:
                yield f"messages.{at}.content.{number}: Invalid `signature` in `thinking` block"


def _check_tools_defined(body: JsonObject) -> Iterator[str]:
    kinds = {block["type"] for message in body["messages"] for block in _blocks(message)}
    if not body.get("tools") and kinds & {"tool_use", "tool_result"}:
        yield "tools: Requests which include `tool_use` or `tool_result` blocks must define tools"


def _check_pairing(body: JsonObject) -> Iterator[str]:
    turns = list(_turns(body["messages"]))
    calls = [block["id"] for _, blocks in turns for block in blocks if block["type"] == "tool_use"]
    if len(set(calls)) < len(calls):
        yield "messages: `tool_use` ids must be unique"
    open_calls: set[str] = set()
    for _, blocks in turns:
        yield from _check_answers(open_calls, blocks)
        open_calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
    yield from _check_answers(open_calls, [])


def _check_answers(calls: set[str], blocks: list[JsonObject]) -> Iterator[str]:
    """A turn must answer each call of the turn before it, once, ahead of all else."""
    answers = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    for answer in answers:
        if answer not in calls:
            yield (
                f"messages: unexpected `tool_use_id` found in `tool_result` blocks: {answer}. Each `tool_result` "
                "block must have a corresponding `tool_use` block in the previous message."
            )
        if answers.count(answer) > 1:
            yield f"messages: each tool_use must have a single result. Found several with id: {answer}"
    for missing in sorted(calls - set(answers)):
        yield (
            f"messages: `tool_use` ids were found without `tool_result` blocks immediately after: {missing}. Each "
            "`tool_use` block must have a corresponding `tool_result` block in the next message."
        )
    if any(block["type"] != "tool_result" for block in blocks[: len(answers)]):
        yield "messages: `tool_result` blocks must come first in the content of a user message"


def _check_breakpoints(body: JsonObject) -> Iterator[str]:
    found = _count_breakpoints([body.get(key) for key in ("system", "tools", "messages")])
    found += body.get("cache_control") is not None
    if found > MOST_BREAKPOINTS:
        yield f"A maximum of {MOST_BREAKPOINTS} blocks with cache_control may be provided. Found {found}."


def _count_breakpoints(value: Any) -> int:
    """Breakpoints on the items of lists, however deep; a tool's input or schema is nobody's content."""
    if isinstance(value, list):
        return sum(map(_count_breakpoints, value))
    if isinstance(value, dict):
        return (value.get("cache_control") is not None) + _count_breakpoints(value.get("content"))
    return 0


def _turns(messages: Iterable[JsonObject]) -> Iterator[tuple[str, list[JsonObject]]]:
    """The messages with consecutive ones of the same role combined, as the API does."""
    for role, run in groupby(messages, key=lambda message: message["role"]):
        yield role, [block for message in run for block in _blocks(message)]


def _blocks(message: JsonObject) -> list[Any]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
