"""Rules: what they may say, and whether they cover a request. Other tools' names for our tools are understood."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from code_assistant.errors import NotAvailableYet, UsageError
from code_assistant.permissions.access import (
    Access,
    CommandAccess,
    EditAccess,
    FetchAccess,
    Place,
    ReadAccess,
    ToolAccess,
)
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.permissions.hosts import Domain, parse_domain, written_host
from code_assistant.permissions.path_patterns import FILE_SYSTEM, Anchors, PathPattern, escaped, path_pattern
from code_assistant.sanitize import is_unmistakable

READ_TOOLS = frozenset({"read_files", "list_files", "glob_files", "search_files"})
EDIT_TOOLS = frozenset({"edit", "write_file", "delete_files"})
COMMAND_TOOLS = frozenset({"execute_command"})
FETCH_TOOLS = frozenset({"web_fetch"})
SPAWN_TOOLS = frozenset({"spawn_agent"})
OTHER_TOOLS = frozenset({"web_search", "todo", "ask_user", "present_plan", "command_output", "stop_command"})
OWN_TOOLS = READ_TOOLS | EDIT_TOOLS | COMMAND_TOOLS | FETCH_TOOLS | SPAWN_TOOLS | OTHER_TOOLS
NAMES: dict[str, frozenset[str]] = {
    **dict.fromkeys(("Read", "Grep", "Glob", "LS"), READ_TOOLS),
    **dict.fromkeys(("Edit", "Write", "MultiEdit"), EDIT_TOOLS),
    "Bash": COMMAND_TOOLS,
    "WebFetch": FETCH_TOOLS,
    **dict.fromkeys(("Agent", "Task"), SPAWN_TOOLS),
    "WebSearch": frozenset({"web_search"}),
    "TodoWrite": frozenset({"todo"}),
    "AskUserQuestion": frozenset({"ask_user"}),
    "ExitPlanMode": frozenset({"present_plan"}),
    "BashOutput": frozenset({"command_output"}),
    "KillShell": frozenset({"stop_command"}),
    **{name: frozenset({name}) for name in OWN_TOOLS},
}
LATER_NAMES = re.compile(r"mcp__.+")
FORM = re.compile(r"(?P<name>[\w-]+)(?:\((?P<inside>.*)\))?", re.DOTALL)
# What is longer, or holds characters that cannot be seen, is not allowed for good by one look at it.
MAXIMUM_COMMAND_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class ExactCommand:
    command: str


Specifier: TypeAlias = PathPattern | ExactCommand | Domain | None


@dataclass(frozen=True, slots=True)
class Rule:
    """`text` is how it is written and shown. Without a specifier it is for whatever the tools do."""

    text: str
    tools: frozenset[str]
    specifier: Specifier = None

    def allows(self, request: PermissionRequest) -> bool:
        """Whether the whole of a request is covered."""
        if request.tool_name not in self.tools:
            return False
        places = _places(request)
        return all(self._covers(request, place, widely=False) for place in places or (None,))

    @property
    def denied_tools(self) -> frozenset[str]:
        """What may not be read may not be changed either."""
        return self.tools | EDIT_TOOLS if "read_files" in self.tools else self.tools

    def denies(self, request: PermissionRequest) -> bool:
        """Whether any part of a request is covered."""
        if request.tool_name not in self.denied_tools and not self._denies_kind(request.access):
            return False
        places = _places(request)
        return any(self._covers(request, place, widely=True) for place in places or (None,))

    def names(self, name: str) -> bool:
        """Whether it is about paths and says this name, rather than covering it with many others."""
        return isinstance(self.specifier, PathPattern) and self.specifier.names(name)

    def _denies_kind(self, access: Access) -> bool:
        """A path that may not be read or changed is so for every tool, also for one that rules cannot name."""
        if not isinstance(self.specifier, PathPattern):
            return False
        if isinstance(access, ReadAccess):
            return self.denied_tools >= READ_TOOLS
        return isinstance(access, EditAccess) and self.denied_tools >= EDIT_TOOLS

    def _covers(self, request: PermissionRequest, place: Place | None, *, widely: bool) -> bool:
        match self.specifier:
            case None:
                return True
            case PathPattern() as pattern:
                return place is not None and pattern.covers(place, widely=widely)
            case ExactCommand(command):
                access = request.access
                # The same words are another program in another folder.
                return isinstance(access, CommandAccess) and access.command == command and (widely or access.is_in_root)
            case Domain() as domain:
                return isinstance(request.access, FetchAccess) and domain.covers(request.access.host)


def _places(request: PermissionRequest) -> tuple[Place, ...]:
    match request.access:
        case ReadAccess(place):
            return (place,)
        case EditAccess(places):
            return places
        case _:
            return ()


def parse_rule(text: str, anchors: Anchors) -> Rule:
    """Raises UsageError for a rule that makes no sense, NotAvailableYet for one that will."""
    written = text.strip()
    form = FORM.fullmatch(written)
    if form is None:
        raise UsageError(f"{text!r} is not a rule. Write a tool, or a tool and what it is for: Bash(make test).")
    name, inside = form["name"], form["inside"]
    if LATER_NAMES.fullmatch(name):
        raise NotAvailableYet(f"A rule for {name}")
    if name not in NAMES:
        raise UsageError(f"{text!r}: there is no tool {name!r}. {_nearest(name)}")
    tools = NAMES[name]
    if inside is None or (inside == "*" and not tools & (READ_TOOLS | EDIT_TOOLS)):
        return Rule(written, tools)
    return Rule(written, tools, _specifier(written, tools, inside, anchors))


def _specifier(rule: str, tools: frozenset[str], inside: str, anchors: Anchors) -> Specifier:
    if not inside.strip():
        raise UsageError(f"{rule!r} says nothing between its brackets. Leave them out to mean the whole tool.")
    if tools <= READ_TOOLS or tools <= EDIT_TOOLS:
        return path_pattern(inside.lstrip(), anchors)
    if tools <= COMMAND_TOOLS:
        if "*" in inside:
            raise NotAvailableYet(f"The rule {rule!r}, with a pattern of commands,", "Name an exact command.")
        return ExactCommand(inside)
    if tools <= SPAWN_TOOLS:
        raise NotAvailableYet(f"The rule {rule!r}, for one kind of sub-agent,", "Leave out the brackets.")
    if tools <= FETCH_TOOLS:
        return parse_domain(rule, inside)
    raise UsageError(f"{rule!r}: rules for this tool are for the whole tool. Leave out the brackets.")


def _nearest(name: str) -> str:
    import difflib

    lowered = {known.lower(): known for known in NAMES}
    near = difflib.get_close_matches(name.lower(), lowered, 1)
    return f"Did you mean {lowered[near[0]]}?" if near else f"Rules are for: {', '.join(sorted(NAMES))}."


def proposed_rule(request: PermissionRequest, anchors: Anchors) -> Rule | None:
    """What "always" stores: the narrowest rule for just this; None where there is no such rule."""
    match request.access:
        case CommandAccess(command, is_in_root):
            if not is_in_root or len(command) > MAXIMUM_COMMAND_CHARACTERS or not is_unmistakable(command):
                return None
            return Rule(f"Bash({command})", COMMAND_TOOLS, ExactCommand(command))
        case FetchAccess(host):
            return Rule(f"WebFetch(domain:{written_host(host)})", FETCH_TOOLS, Domain(host, with_subdomains=False))
        case ReadAccess(place):
            return _rule_for_path("Read", READ_TOOLS, place, anchors)
        case EditAccess((place,), deletes=False):
            return _rule_for_path("Edit", EDIT_TOOLS - {"delete_files"}, place, anchors)
        case EditAccess():
            return None
        case ToolAccess():
            return Rule(request.tool_name, frozenset({request.tool_name}))


def _rule_for_path(name: str, tools: frozenset[str], place: Place, anchors: Anchors) -> Rule | None:
    """Exactly this path (and what is below, if it is a folder), whatever characters its name has."""
    is_below_root = place.path.is_relative_to(anchors.root)
    base = anchors.root if is_below_root else FILE_SYSTEM
    relative = "/".join(place.path.relative_to(base).parts)
    if not relative:
        return None
    regex = re.compile(rf"{re.escape(relative)}/\Z", re.DOTALL)
    written = f"{'/' if is_below_root else '//'}{escaped(relative)}"
    # What is changed is a file, and what may one day be a folder of that name was never asked about.
    covers_below = tools >= READ_TOOLS
    pattern = PathPattern(written, regex, False, (base,), (), is_exact=True, covers_below=covers_below)
    return Rule(f"{name}({written})", tools, pattern)
