"""What is decided from the request alone: facts of the place that its system prompt tells."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from code_assistant.agent.system_prompt import Environment, system_prompt
from code_assistant.llm.offline.explorer import respond
from code_assistant.llm.offline.steps import Step
from code_assistant.llm.provider import ModelRequest, ToolSpecification
from code_assistant.messages import Message, Text

TOOLS = (ToolSpecification("execute_command", "", {}),)


def changes(repository: Path | None, memory: str = "") -> Step | str:
    place = Path("/shop")
    environment = Environment(place, (Path("/other"),), repository, None, "Linux", date(2026, 1, 2), "offline")
    asked = (Message("user", (Text("what changed?"),)),)
    return respond(ModelRequest(system_prompt(environment, memory), TOOLS, asked))


def test_outside_of_a_repository_git_is_not_run() -> None:
    answer = changes(None)
    assert isinstance(answer, str)
    assert "not in a git repository" in answer


def test_inside_of_one_it_is_whatever_the_notes_say() -> None:
    assert isinstance(changes(Path("/shop"), "- Not a git repository"), Step)
