"""Tool calls while they are being written, told apart although services disagree on how to do that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from code_assistant.llm.tool_input import parse_tool_input
from code_assistant.messages import ToolCall


class OpenCall:
    """One tool call whose arguments may still grow."""

    __slots__ = ("id", "name", "parts")

    def __init__(self, call_id: str, name: str) -> None:
        self.id = call_id
        self.name = name
        self.parts: list[str] = []

    @property
    def arguments(self) -> str:
        return "".join(self.parts)

    @property
    def looks_whole(self) -> bool:
        return bool(self.parts) and self.parts[-1].rstrip().endswith("}")

    def finish(self) -> ToolCall:
        # A tool without parameters is often called with no arguments at all.
        parsed, problem = parse_tool_input(self.arguments if self.arguments.strip() else "{}")
        return ToolCall(self.id, self.name, parsed, problem)


class OpenCalls:
    """All tool calls of one response, in the order in which they began.

    By the protocol the index tells them apart. Some services leave it out or send 0 for all, some give no ids or a
    new one with every piece, some repeat the name: a call is new when its index is, else when it comes with another
    id and a name, else when it comes with another name, or with a name and a second whole object of arguments.
    """

    def __init__(self) -> None:
        self._calls: list[OpenCall] = []
        self._by_index: dict[int, OpenCall] = {}
        self._by_id: dict[str, OpenCall] = {}

    def __iter__(self) -> Iterator[OpenCall]:
        return iter(self._calls)

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, entry: dict[str, Any]) -> None:
        """Take one piece of a tool call; raises TypeError where it is not of the protocol's form."""
        function: dict[str, Any] = entry.get("function") or {}
        call_id, name = _text(entry.get("id")), _text(function.get("name"))
        arguments = _arguments_text(function.get("arguments"))
        index = entry.get("index")
        call = self._known(index, call_id)
        if call is None or _begins_another(call, call_id, name, arguments):
            call = OpenCall(call_id, name)
            self._calls.append(call)
        call.id = call.id or call_id
        call.name = call.name or name
        if arguments:
            call.parts.append(arguments)
        if isinstance(index, int):
            self._by_index[index] = call
        if call_id:
            self._by_id[call_id] = call

    def _known(self, index: Any, call_id: str) -> OpenCall | None:
        """The call that a piece would go on with, if it goes on with any."""
        if isinstance(index, int):
            return self._by_index.get(index)
        return self._by_id.get(call_id) or (self._calls[-1] if self._calls else None)


def _begins_another(call: OpenCall, call_id: str, name: str, arguments: str) -> bool:
    if not name or (call_id and call_id == call.id):
        return False
    if call_id and call.id:
        return True
    if call.name and name != call.name:
        return True
    # Between two objects there is nothing in JSON that could join them.
    return call.looks_whole and arguments.lstrip().startswith("{")


def _text(value: Any) -> str:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{value!r} where text belongs")
    return value or ""


def _arguments_text(value: Any) -> str:
    """The arguments as text; some services send the object itself."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(cast("object", value))
