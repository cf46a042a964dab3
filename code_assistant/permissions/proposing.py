"""What "always" stores: the narrowest rules for just this, one for each part of a command.

A command is kept exactly. Whatever may follow it could be an option that starts something, or a file somewhere else:
whoever wants more than was asked about writes the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from code_assistant.errors import UsageError
from code_assistant.permissions.access import (
    CommandAccess,
    EditAccess,
    FetchAccess,
    Place,
    ReadAccess,
    SpawnAccess,
    ToolAccess,
)
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.permissions.command_patterns import command_pattern, spelled, written_pattern
from code_assistant.permissions.command_rules import changes_folder
from code_assistant.permissions.hosts import written_host
from code_assistant.permissions.path_patterns import FILE_SYSTEM, Anchors, escaped
from code_assistant.permissions.protected import protections_of
from code_assistant.permissions.rule_parsing import parse_rule
from code_assistant.permissions.rule_tools import COMMAND_TOOLS
from code_assistant.permissions.rules import Rule
from code_assistant.sanitize import is_unmistakable

if TYPE_CHECKING:
    from code_assistant.permissions.shell.analysis import Analysis, Member

# What is longer, or holds characters that cannot be seen, is not allowed for good by one look at it.
MAXIMUM_COMMAND_CHARACTERS = 10_000
MOST_RULES = 10


def proposed_rules(request: PermissionRequest, anchors: Anchors, in_force: Sequence[Rule]) -> tuple[Rule, ...]:
    """None where no rule would be narrow enough. Parts that rules allow already need no further one."""
    match request.access:
        case CommandAccess() as access:
            return _rules_for_command(access, anchors, in_force)
        case FetchAccess(host):
            return _parsed(f"WebFetch(domain:{written_host(host)})", anchors)
        case ReadAccess(place):
            return _rule_for_path("Read", place, anchors)
        case EditAccess((place,), deletes=False):
            return _rule_for_path("EditFile", place, anchors)
        case EditAccess() | SpawnAccess():
            return ()
        case ToolAccess():
            return (Rule(request.tool_name, frozenset({request.tool_name})),)


def _rules_for_command(access: CommandAccess, anchors: Anchors, in_force: Sequence[Rule]) -> tuple[Rule, ...]:
    command, analysis = access.command, access.analysis
    if not access.is_in_root or access.leaves_sandbox or len(command) > MAXIMUM_COMMAND_CHARACTERS:
        return ()
    if not is_unmistakable(command):
        return ()
    if analysis is None:
        return (_exact(command),)
    reads_outside = any(place.folder is None for place in access.inputs)
    if (changes_folder(analysis) or reads_outside) and analysis.obstacle is None and not access.writes:
        # One rule for the whole: its parts would mean something else in the folder that they were allowed in, or with
        # another file to read from.
        return (_exact(command),)
    if analysis.obstacle is not None or any(_is_special(place, anchors.home) for place in access.writes):
        return ()
    if reads_outside:
        return ()
    members = _rules_for_members(analysis, access, in_force)
    writes = [rule for place in access.writes for rule in _rule_for_path("EditFile", place, anchors)]
    if members is None or len(writes) != len(access.writes):
        return ()
    rules = tuple(dict.fromkeys((*members, *writes)))
    return rules if len(rules) <= MOST_RULES else ()


def _rules_for_members(analysis: Analysis, access: CommandAccess, in_force: Sequence[Rule]) -> list[Rule] | None:
    rules: list[Rule] = []
    direct = [member for member in analysis.members if member.is_direct]
    for member in direct:
        if member in access.harmless or any(rule.allows_member(member) for rule in (*in_force, *rules)):
            continue
        rule = _rule_for_member(member)
        if rule is None and len(direct) > 1:
            return None
        rules.append(rule or _exact(access.command))
    return rules


def _rule_for_member(member: Member) -> Rule | None:
    """None where its words are not known before it runs, so that only the text of the whole command could be meant."""
    return None if any(word.value is None for word in member.words) else _exact(spelled(member))


def _exact(command: str) -> Rule:
    inside = written_pattern(command)
    return Rule(f"Bash({inside})", COMMAND_TOOLS, command_pattern(inside))


def _is_special(place: Place, home: Path) -> bool:
    """Whether writing there is more than an edit in the workspace."""
    return place.folder is None or bool(protections_of(place, home=home))


def _rule_for_path(name: str, place: Place, anchors: Anchors) -> tuple[Rule, ...]:
    """Exactly this path, whatever characters its name has; for reading, what is below it, too, if it is a folder."""
    is_below_root = place.path.is_relative_to(anchors.root)
    base = anchors.root if is_below_root else FILE_SYSTEM
    relative = "/".join(place.path.relative_to(base).parts)
    return _parsed(f"{name}({'/' if is_below_root else '//'}{escaped(relative)})", anchors) if relative else ()


def _parsed(text: str, anchors: Anchors) -> tuple[Rule, ...]:
    """The rule that a text means, now and when it is read from a file; none where it could not be read."""
    try:
        return (parse_rule(text, anchors),)
    except UsageError:
        return ()
