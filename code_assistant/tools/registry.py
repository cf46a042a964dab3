"""The tools that one agent is offered, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from code_assistant.errors import ToolError
from code_assistant.tools.late_tool import LateTool
from code_assistant.tools.scopes import Scope

if TYPE_CHECKING:
    from code_assistant.tools.tool import Tool

OfferedTool: TypeAlias = "Tool[Any] | LateTool"


class ToolRegistry:
    """What is not in it cannot be called, whatever a model asks for.

    `refusals` are for tools that are there for others: why this agent has not got them.
    """

    def __init__(self, tools: Iterable[OfferedTool], refusals: Mapping[str, ToolError] = MappingProxyType({})) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._refusals = refusals

    def narrowed(self, keeps: Callable[[str], bool]) -> ToolRegistry:
        """Only the tools whose names are kept: never more than there are."""
        return ToolRegistry(tool for name, tool in self._tools.items() if keeps(name))

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def with_tool(self, tool: OfferedTool) -> ToolRegistry:
        return ToolRegistry((*self._tools.values(), tool))

    def with_refusal(self, name: str, error: ToolError) -> ToolRegistry:
        return ToolRegistry(self._tools.values(), {**self._refusals, name: error})

    def offered(self, scope: Scope) -> tuple[OfferedTool, ...]:
        """The tools that an agent of this scope is told about."""
        return tuple(tool for tool in self._tools.values() if scope in tool.scopes)

    def find(self, name: str, scope: Scope) -> Tool[Any]:
        """The tool that a call names; a tool that is there but not for this scope is refused like one that is not."""
        tool = self._tools.get(name)
        if tool is None and name in self._refusals:
            raise self._refusals[name]
        if tool is not None and scope in tool.scopes:
            loaded = tool.tool if isinstance(tool, LateTool) else tool
            # What is told of a tool opens nothing that the tool itself does not.
            if scope in loaded.scopes:
                return loaded
        offered = ", ".join(each.name for each in self.offered(scope)) or "none"
        raise ToolError(f"There is no tool named {name!r} for you. The tools are: {offered}.")
