"""A tool that is not loaded yet is offered as the tool itself would be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from code_assistant.config.settings import Advertise, AgentSettings
from code_assistant.errors import ToolError
from code_assistant.subagents.building import Building
from code_assistant.subagents.caller import Caller
from code_assistant.subagents.definition import builtin_definitions
from code_assistant.subagents.runner import AgentRunner
from code_assistant.subagents.spawn_agent import SpawnAgent
from code_assistant.subagents.spawn_offer import SpawnOffer
from code_assistant.tools.builtin import builtin_tools, made
from code_assistant.tools.late_tool import LateTool
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.tool import Tool
from code_assistant.tools.web_search import WebSearch
from tests.rows import each_row
from tests.tool_forms import form_of, form_path, tool_classes


@each_row("tool", tool_classes(), ids=lambda tool: tool.name)
def test_what_is_kept_beside_a_tool_is_what_it_says_itself(tool: type[Tool[Any]]) -> None:
    assert form_path(tool).read_text(encoding="utf-8") == form_of(tool), "python -m tests.tool_forms writes it anew"


def told(tool: LateTool | Tool[Any]) -> tuple[object, ...]:
    # The order counts, too: services remember the beginning of what they are sent.
    return tool.name, tool.scopes, tool.description, str(tool.input_schema)


def test_models_are_told_the_same_before_and_after_it_is_loaded() -> None:
    search = LateTool("tools", "web_search", lambda: WebSearch("", ""))
    tools = builtin_tools(search)
    offered = tools.offered("main")
    assert len(offered) > 14
    for each in offered:
        assert isinstance(each, LateTool)
        assert told(each) == told(tools.find(each.name, "main"))


def test_a_tool_is_made_once() -> None:
    tools = builtin_tools()
    assert tools.find("todo", "main") is tools.narrowed(lambda name: name == "todo").find("todo", "main")


def test_what_is_told_of_a_tool_opens_nothing_that_it_does_not_itself() -> None:
    tools = ToolRegistry([LateTool("tools", "read_files", lambda: made("ask_user"))])
    assert tools.find("read_files", "main").name == "ask_user"
    with pytest.raises(ToolError, match="no tool named 'read_files' for you"):
        tools.find("read_files", "sub_agent_read_only")


@pytest.mark.parametrize("advertise", ["default", "full"])
def test_models_are_told_the_same_of_spawning(advertise: Advertise) -> None:
    definitions = builtin_definitions()
    building = SimpleNamespace(definitions=definitions, settings=AgentSettings(advertise=advertise))
    tool = SpawnAgent(cast(Building, building), cast(AgentRunner, None), cast(Caller, None))
    offer = SpawnOffer(definitions, lambda: tool, everything=advertise == "full")
    assert told(offer) == told(tool)
