"""The tools that come with the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_assistant.tools.ask_user import AskUser
from code_assistant.tools.command_output import CommandOutput
from code_assistant.tools.delete_files import DeleteFiles
from code_assistant.tools.edit import Edit
from code_assistant.tools.execute_command import ExecuteCommand
from code_assistant.tools.glob_files import GlobFiles
from code_assistant.tools.list_files import ListFiles
from code_assistant.tools.present_plan import PresentPlan
from code_assistant.tools.read_files import ReadFiles
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.search_files import SearchFiles
from code_assistant.tools.stop_command import StopCommand
from code_assistant.tools.todo import Todo
from code_assistant.tools.web_fetch import WebFetch
from code_assistant.tools.write_file import WriteFile

if TYPE_CHECKING:
    from code_assistant.tools.web_search import WebSearch


def builtin_tools(search: WebSearch | None = None) -> ToolRegistry:
    """Searching the web is offered only where there is a service to ask."""
    return ToolRegistry(
        (
            ReadFiles(),
            ListFiles(),
            GlobFiles(),
            SearchFiles(),
            Edit(),
            WriteFile(),
            DeleteFiles(),
            ExecuteCommand(),
            CommandOutput(),
            StopCommand(),
            WebFetch(),
            *((search,) if search is not None else ()),
            Todo(),
            AskUser(),
            PresentPlan(),
        )
    )
