"""What sub-agents are made from: a name, a prompt, and how far its authority goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from code_assistant.events import AgentMode
from code_assistant.own_texts import own_text
from code_assistant.subagents.errors import SpawnError

SELF = "self"
AD_HOC_TURNS = 10
WHERE_DEFINITIONS_LIVE = "Choose one of these, or leave agent out for an ad-hoc sub-agent: {0}."


@dataclass(frozen=True, slots=True)
class Definition:
    """`tools` are the only ones it has, None for all of its mode; `denied` are taken away from them."""

    name: str
    description: str
    prompt: str
    mode: AgentMode
    max_turns: int
    tools: frozenset[str] | None = None
    denied: frozenset[str] = frozenset()
    model: str | None = None
    allow_spawn: bool = False

    def keeps(self, tool_name: str) -> bool:
        return (self.tools is None or tool_name in self.tools) and tool_name not in self.denied


class Definitions:
    """By name; the first of a name wins."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self._by_name: dict[str, Definition] = {}
        for each in definitions:
            self._by_name.setdefault(each.name, each)

    @property
    def all(self) -> Mapping[str, Definition]:
        return self._by_name

    def find(self, name: str) -> Definition:
        found = self._by_name.get(name)
        if found is None:
            names = ", ".join((*self._by_name, SELF))
            raise SpawnError(
                "AGENT_NOT_FOUND",
                f"There is no agent definition named {name!r}.",
                suggestion=WHERE_DEFINITIONS_LIVE.format(names),
            )
        return found


@cache
def builtin_definitions() -> Definitions:
    """Those that come with the program."""
    return Definitions(
        (
            _builtin("explore", "finds things in the code base and reports where they are", "read_only", 40),
            _builtin("plan", "works out how a change should be made, step by step", "read_only", 40),
            _builtin("review", "looks for faults in code or in a change", "read_only", 40),
            _builtin("general", "does a whole piece of work, changes and commands included", "default", 60),
        )
    )


def _builtin(name: str, description: str, mode: AgentMode, max_turns: int) -> Definition:
    return Definition(name, description, prompt_text(name), mode, max_turns)


def prompt_text(name: str) -> str:
    """A prompt of ours, from the file beside the others."""
    return own_text("subagents/definitions", f"{name}.md").strip()
