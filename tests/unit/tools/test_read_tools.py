"""What holds for all read tools: a description, a small schema, and no heavy imports before they are used."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from code_assistant.tools.glob_files import GlobFiles
from code_assistant.tools.list_files import ListFiles
from code_assistant.tools.read_files import ReadFiles
from code_assistant.tools.search_files import SearchFiles
from code_assistant.tools.tool import Tool
from tests.rows import each_row

TOOLS: list[Tool[Any]] = [ReadFiles(), ListFiles(), GlobFiles(), SearchFiles()]


@each_row("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_is_described_in_few_words(tool: Tool[Any]) -> None:
    assert 300 < len(tool.description) < 1500
    schema = json.dumps(tool.input_schema)
    assert len(schema) < 2000
    assert "$ref" not in schema
    assert "anyOf" not in schema


def test_the_tools_load_nothing_heavy_before_they_are_used() -> None:
    program = """
import sys
from code_assistant.tools.glob_files import GlobFiles
from code_assistant.tools.list_files import ListFiles
from code_assistant.tools.read_files import ReadFiles
from code_assistant.tools.search_files import SearchFiles
for tool in (ReadFiles(), ListFiles(), GlobFiles(), SearchFiles()):
    tool.description, tool.input_schema
print([name for name in ("pathspec", "difflib", "code_assistant.workspace.ripgrep") if name in sys.modules])
"""
    output = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert output == "[]\n"
