"""What a model is told of spawn_agent: which definitions there are, and the fields that it may fill in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from code_assistant.subagents.definition import Definitions
from code_assistant.tools.late_tool import LateTool

if TYPE_CHECKING:
    from code_assistant.subagents.spawn_agent import SpawnAgent

ROOM = "subagents"
SPAWN_TOOL = "spawn_agent"
SPAWN_MODULE = f"code_assistant.{ROOM}.{SPAWN_TOOL}"
ADVERTISED = ("instructions", "mode", "require_file_references", "description", "agent")


class SpawnOffer(LateTool):
    def __init__(self, definitions: Definitions, make: Callable[[], SpawnAgent], *, everything: bool) -> None:
        super().__init__(ROOM, SPAWN_TOOL, make)
        self.description = with_definitions(self.description, definitions)
        self.input_schema = shown_schema(self.input_schema, everything=everything)


def with_definitions(words: str, definitions: Definitions) -> str:
    listed = "\n".join(f"- {each.name}: {each.description}" for each in definitions.all.values())
    return f"{words}\n\nDefinitions for `agent`:\n{listed}\n- self: a fresh copy of you"


def shown_schema(whole: dict[str, Any], *, everything: bool) -> dict[str, Any]:
    """The schema a model is shown: the few fields that matter, or all that work."""
    properties = whole["properties"]
    names = tuple(properties) if everything else ADVERTISED
    schema = {key: value for key, value in whole.items() if key != "title"}
    return {**schema, "properties": {name: _plain(properties[name]) for name in names}}


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    """Without the null that stands for leaving a field out: models need not be told."""
    shown = {key: value for key, value in field.items() if key not in ("title", "default", "anyOf")}
    choices = [each for each in field.get("anyOf", ()) if each != {"type": "null"}]
    if len(choices) == 1:
        shown = {**choices[0], **shown}
    return shown
