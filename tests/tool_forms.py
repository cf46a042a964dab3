"""What is kept beside each tool for models, made from the tool itself: `python -m tests.tool_forms` writes it anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import code_assistant
from code_assistant.subagents.spawn_agent import SpawnAgent
from code_assistant.tools.builtin import BUILTIN, made
from code_assistant.tools.tool import Tool
from code_assistant.tools.tool_input import ToolInput
from code_assistant.tools.web_search import WebSearch

PACKAGE = Path(code_assistant.__file__).parent


def tool_classes() -> list[type[Tool[Any]]]:
    return [*(type(made(name)) for name in BUILTIN), WebSearch, SpawnAgent]


def form_path(tool: type[Tool[Any]]) -> Path:
    _, room, _ = tool.__module__.split(".")
    return PACKAGE / room / f"{tool.name}.json"


def form_of(tool: type[Tool[Any]]) -> str:
    inputs: type[ToolInput] = vars(tool)["Input"]
    form = {"scopes": sorted(tool.scopes), "input_schema": inputs.model_json_schema()}
    return f"{json.dumps(form, indent=2, ensure_ascii=False)}\n"


if __name__ == "__main__":
    for each in tool_classes():
        form_path(each).write_text(form_of(each), encoding="utf-8")
