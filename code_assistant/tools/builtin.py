"""The tools that come with the program."""

from __future__ import annotations

from code_assistant.tools.ask_user import AskUser
from code_assistant.tools.command_output import CommandOutput
from code_assistant.tools.execute_command import ExecuteCommand
from code_assistant.tools.glob_files import GlobFiles
from code_assistant.tools.list_files import ListFiles
from code_assistant.tools.present_plan import PresentPlan
from code_assistant.tools.read_files import ReadFiles
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.search_files import SearchFiles
from code_assistant.tools.stop_command import StopCommand
from code_assistant.tools.todo import Todo


def builtin_tools() -> ToolRegistry:
    return ToolRegistry(
        (
            ReadFiles(),
            ListFiles(),
            GlobFiles(),
            SearchFiles(),
            ExecuteCommand(),
            CommandOutput(),
            StopCommand(),
            Todo(),
            AskUser(),
            PresentPlan(),
        )
    )
