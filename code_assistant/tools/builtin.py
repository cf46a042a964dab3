"""The tools that come with the program."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from code_assistant.tools.late_tool import LateTool
from code_assistant.tools.registry import OfferedTool, ToolRegistry

if TYPE_CHECKING:
    from code_assistant.tools.tool import Tool

ROOM = "tools"
# In the order in which they are offered. Searching the web comes in between, where there is a service to ask.
BEFORE_SEARCH = (
    *("read_files", "list_files", "glob_files", "search_files", "edit", "write_file", "delete_files"),
    *("execute_command", "command_output", "stop_command", "web_fetch"),
)
AFTER_SEARCH = ("todo", "ask_user", "present_plan")
BUILTIN = (*BEFORE_SEARCH, *AFTER_SEARCH)
BUILTIN_MODULES = tuple(f"code_assistant.{ROOM}.{name}" for name in BUILTIN)


def builtin_tools(search: OfferedTool | None = None) -> ToolRegistry:
    """Searching the web is offered only where there is a service to ask."""
    return ToolRegistry(
        (
            *map(_offered, BEFORE_SEARCH),
            *((search,) if search is not None else ()),
            *map(_offered, AFTER_SEARCH),
        )
    )


def _offered(name: str) -> LateTool:
    return LateTool(ROOM, name, partial(made, name))


def made(name: str) -> Tool[Any]:
    """A tool is the class of its name in the module of its name: `ReadFiles` in `read_files`."""
    module = import_module(f"code_assistant.{ROOM}.{name}")
    return getattr(module, name.title().replace("_", ""))()
