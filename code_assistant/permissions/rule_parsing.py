"""Reading rules: what they may say. Other tools' names for our tools are understood."""

from __future__ import annotations

import re

from code_assistant.errors import NotAvailableYet, UsageError
from code_assistant.permissions.command_patterns import command_pattern
from code_assistant.permissions.hosts import parse_domain
from code_assistant.permissions.path_patterns import Anchors, file_pattern, path_pattern
from code_assistant.permissions.rule_tools import (
    COMMAND_TOOLS,
    EDIT_TOOLS,
    FETCH_TOOLS,
    FILE_TOOLS,
    NAMES,
    READ_TOOLS,
    SPAWN_TOOLS,
)
from code_assistant.permissions.rules import AgentName, Rule, Specifier

LATER_NAMES = re.compile(r"mcp__[\w*-]+")
FORM = re.compile(r"(?P<name>[\w-]+)(?:\((?P<inside>.*)\))?", re.DOTALL)
AGENT = re.compile(r"[\w.-]{1,64}")
MAXIMUM_CHARACTERS = 12_000


def parse_rule(text: str, anchors: Anchors) -> Rule:
    """Raises UsageError for a rule that makes no sense, NotAvailableYet for one that will."""
    written = text.strip()
    if LATER_NAMES.fullmatch(written):
        raise NotAvailableYet(f"A rule for {written}")
    form = FORM.fullmatch(written) if len(written) <= MAXIMUM_CHARACTERS else None
    if form is None:
        shown = f"{text[:80]!r}{'…' if len(text) > 80 else ''}"
        raise UsageError(f"{shown} is not a rule. Write a tool, or a tool and what it is for: Bash(make test).")
    name, inside = form["name"], form["inside"]
    if name not in NAMES:
        raise UsageError(f"{text!r}: there is no tool {name!r}. {_nearest(name)}")
    tools = NAMES[name]
    if inside is None and tools == FILE_TOOLS:
        raise UsageError(f"{text!r} names no file. Write it like EditFile(/src/a.py), or Edit to mean all files.")
    if inside is None or (inside.strip() == "*" and not tools & (READ_TOOLS | EDIT_TOOLS)):
        return Rule(written, tools)
    return Rule(written, tools, _specifier(written, tools, inside, anchors))


def _specifier(rule: str, tools: frozenset[str], inside: str, anchors: Anchors) -> Specifier:
    if not inside.strip():
        raise UsageError(f"{rule!r} says nothing between its brackets. Leave them out to mean the whole tool.")
    if tools == FILE_TOOLS:
        return file_pattern(inside.lstrip(), anchors)
    if tools <= READ_TOOLS or tools <= EDIT_TOOLS:
        return path_pattern(inside.lstrip(), anchors)
    if tools <= COMMAND_TOOLS:
        if "\0" in inside:
            raise UsageError(f"{rule!r}: no command holds a NUL character.")
        return command_pattern(inside)
    if tools <= SPAWN_TOOLS:
        if AGENT.fullmatch(inside.strip()) is None:
            raise UsageError(f"{rule!r} does not name a kind of sub-agent. Write it like Agent(explore).")
        return AgentName(inside.strip())
    if tools <= FETCH_TOOLS:
        return parse_domain(rule, inside)
    raise UsageError(f"{rule!r}: rules for this tool are for the whole tool. Leave out the brackets.")


def _nearest(name: str) -> str:
    import difflib

    lowered = {known.lower(): known for known in NAMES}
    near = difflib.get_close_matches(name.lower(), lowered, 1)
    return f"Did you mean {lowered[near[0]]}?" if near else f"Rules are for: {', '.join(sorted(NAMES))}."
