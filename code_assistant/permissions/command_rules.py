"""Which rules together allow a command: every simple command in it must be allowed, or proved to change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from code_assistant.permissions.access import CommandAccess
from code_assistant.permissions.rules import Rule

if TYPE_CHECKING:
    from code_assistant.permissions.shell.analysis import Analysis, Member

# After these the same words are another program: the folder is another one.
FOLDER_CHANGING = frozenset({"cd", "pushd", "popd"})


@dataclass(frozen=True, slots=True)
class Cover:
    """`is_whole` when one rule is for the whole text, and so for where that writes to in the workspace.

    `is_everything` when it is for every command, wherever that writes to.
    """

    rules: tuple[Rule, ...]
    is_whole: bool = False
    is_everything: bool = False


def cover_of(access: CommandAccess, rules: Sequence[Rule]) -> Cover | None:
    """None where something in it is left that no rule allows, or that no rule may allow."""
    analysis = access.analysis
    if access.leaves_sandbox:
        return None
    if analysis is not None and analysis.obstacle is not None:
        return None
    whole = _whole(access, rules)
    if access.looks_through and (whole is None or whole.specifier is None):
        # Whoever allowed it in general did not think of the files that a rule keeps.
        return None
    if whole is not None:
        return Cover((whole,), is_whole=True, is_everything=whole.specifier is None)
    allowing = _allowing(access, rules)
    if not allowing or None in allowing.values():
        return None
    return Cover(tuple(dict.fromkeys(rule for each in allowing.values() for rule in each or ())))


def left_over(access: CommandAccess, rules: Sequence[Rule]) -> Member | None:
    """The first simple command that no rule allows, where one allows another; None where that is not what is wrong."""
    if access.analysis is None or access.analysis.obstacle is not None:
        return None
    allowing = _allowing(access, rules)
    has_rule = any(allowing.values())
    return next((member for member, each in allowing.items() if each is None), None) if has_rule else None


def _allowing(access: CommandAccess, rules: Sequence[Rule]) -> dict[Member, tuple[Rule, ...] | None]:
    """What allows each simple command: no rule is needed for what only reads, and None is one that no rule allows."""
    analysis = access.analysis
    # The same words are another program in another folder.
    if analysis is None or not access.is_in_root or changes_folder(analysis):
        return {}
    found: dict[Member, tuple[Rule, ...] | None] = {}
    for member in (member for member in analysis.members if member.is_direct):
        rule = next((rule for rule in rules if rule.allows_member(member)), None)
        found[member] = () if member in access.harmless else None if rule is None else (rule,)
    return found


def _whole(access: CommandAccess, rules: Sequence[Rule]) -> Rule | None:
    """The rule for the whole text: where it looks through folders, one for just this comes first."""
    fitting = [rule for rule in rules if rule.allows_whole(access)]
    if access.looks_through:
        fitting.sort(key=lambda rule: rule.specifier is None)
    return fitting[0] if fitting else None


def changes_folder(analysis: Analysis) -> bool:
    return any(member.program in FOLDER_CHANGING for member in analysis.members)
