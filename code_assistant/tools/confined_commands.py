"""Commands for agents that work read-only: offered only where bubblewrap lets nothing be written or sent."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from code_assistant.sandbox_kind import SandboxKind
from code_assistant.tools.command_output import CommandOutput
from code_assistant.tools.execute_command import ExecuteCommand
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.scopes import Scope
from code_assistant.tools.stop_command import StopCommand
from code_assistant.tools.tool import Tool

READ_ONLY_SCOPES: frozenset[Scope] = frozenset({"sub_agent_read_only"})
READ_ONLY_WORDS = (
    "- You work read-only: the command sees all files but can write only to /tmp, and it has no network. Programs that "
    "write beside what they read, such as builds and test runs with caches, fail here."
)


class ConfinedCommand(ExecuteCommand):
    scopes = READ_ONLY_SCOPES

    @cached_property
    def description(self) -> str:
        return f"{super().description}\n{READ_ONLY_WORDS}"

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        schema = super().input_schema
        kept = {name: each for name, each in schema["properties"].items() if name != "outside_sandbox"}
        return {**schema, "properties": kept}


class ConfinedOutput(CommandOutput):
    scopes = READ_ONLY_SCOPES


class ConfinedStop(StopCommand):
    scopes = READ_ONLY_SCOPES


def with_confined_commands(tools: ToolRegistry, kind: SandboxKind | None) -> ToolRegistry:
    """In place of the usual ones, where those are there; they are not for read-only agents."""
    confined: tuple[Tool[Any], ...] = (ConfinedCommand(), ConfinedOutput(), ConfinedStop())
    if kind == "bubblewrap":
        for tool in confined:
            tools = tools.with_tool(tool) if tool.name in tools else tools
    return tools
