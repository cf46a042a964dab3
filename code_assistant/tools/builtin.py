"""The tools that come with the program."""

from __future__ import annotations

from code_assistant.tools.glob_files import GlobFiles
from code_assistant.tools.list_files import ListFiles
from code_assistant.tools.read_files import ReadFiles
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.search_files import SearchFiles


def builtin_tools() -> ToolRegistry:
    return ToolRegistry((ReadFiles(), ListFiles(), GlobFiles(), SearchFiles()))
