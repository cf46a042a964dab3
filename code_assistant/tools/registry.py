"""The tools that one agent is offered, by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from code_assistant.errors import ToolError
from code_assistant.tools.tool import Tool


class ToolRegistry:
    """What is not in it cannot be called, whatever a model asks for."""

    def __init__(self, tools: Iterable[Tool[Any]]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    @property
    def tools(self) -> tuple[Tool[Any], ...]:
        return tuple(self._tools.values())

    def find(self, name: str) -> Tool[Any]:
        try:
            return self._tools[name]
        except KeyError:
            offered = ", ".join(self._tools) or "none"
            raise ToolError(f"There is no tool named {name!r}. The tools are: {offered}.") from None
