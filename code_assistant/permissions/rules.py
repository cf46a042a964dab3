"""Rules: whether they cover what is asked for. A rule that allows must cover all of it, one that denies any part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from code_assistant.permissions.access import (
    Access,
    CommandAccess,
    EditAccess,
    FetchAccess,
    Place,
    ReadAccess,
    SpawnAccess,
)
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.permissions.command_patterns import CommandPattern
from code_assistant.permissions.hosts import Domain
from code_assistant.permissions.path_patterns import PathPattern
from code_assistant.permissions.rule_tools import COMMAND_TOOLS, EDIT_TOOLS, READ_TOOLS

if TYPE_CHECKING:
    from code_assistant.permissions.shell.analysis import Member


@dataclass(frozen=True, slots=True)
class AgentName:
    """A definition that sub-agents are made from, whatever the case of its letters."""

    name: str

    def covers(self, name: str) -> bool:
        return self.name.casefold() == name.casefold()


Specifier: TypeAlias = PathPattern | CommandPattern | Domain | AgentName | None


@dataclass(frozen=True, slots=True)
class Rule:
    """`text` is how it is written and shown. Without a specifier it is for whatever the tools do."""

    text: str
    tools: frozenset[str]
    specifier: Specifier = None

    def allows(self, request: PermissionRequest) -> bool:
        """Whether the whole of a request is covered; of a command, whether it is meant as a whole."""
        if request.tool_name not in self.tools or self.is_beside(request):
            return False
        access = request.access
        if isinstance(access, CommandAccess):
            return self.allows_whole(access)
        return all(self._covers(access, place, widely=False) for place in _places(access) or (None,))

    def allows_whole(self, access: CommandAccess) -> bool:
        """Whether it is for every command, or for exactly this text in the folder that the person works in."""
        match self.specifier:
            case None:
                return self.tools >= COMMAND_TOOLS
            case CommandPattern(text):
                # The same words are another program in another folder.
                return text is not None and text == access.command and access.is_in_root
            case _:
                return False

    def allows_member(self, member: Member) -> bool:
        return isinstance(self.specifier, CommandPattern) and self.specifier.covers(member)

    def is_beside(self, request: PermissionRequest) -> bool:
        """Whether it is for running commands, and only the folder is asked for that one is to work in."""
        runs = self.specifier is None and self.tools == COMMAND_TOOLS
        return runs and not isinstance(request.access, CommandAccess)

    @property
    def denied_tools(self) -> frozenset[str]:
        """What may not be read may not be changed either."""
        return self.tools | EDIT_TOOLS if "read_files" in self.tools else self.tools

    def touches(self, request: PermissionRequest) -> bool:
        """Whether any part of a request is covered, by any of its names. So rules look that deny or ask."""
        access = request.access
        if isinstance(access, CommandAccess):
            return self._touches_command(access, request.tool_name)
        if request.tool_name not in self.denied_tools and not self._is_for_kind(access):
            return False
        return any(self._covers(access, place, widely=True) for place in _places(access) or (None,))

    def names(self, name: str) -> bool:
        """Whether it is about paths and says this name, rather than covering it with many others."""
        return isinstance(self.specifier, PathPattern) and self.specifier.names(name)

    @property
    def keeps_from_changing(self) -> bool:
        """Whether it is about changing certain paths, where it denies or asks."""
        return isinstance(self.specifier, PathPattern) and self.denied_tools >= EDIT_TOOLS

    def doubted(self, access: CommandAccess) -> Place | None:
        """What a command names that it covers, where nobody knows whether that is changed."""
        pattern = self.specifier
        if not isinstance(pattern, PathPattern) or not self.keeps_from_changing:
            return None
        named = (place for place in access.could_change if pattern.covers_all_in(place))
        return next(named, None) or next((place for place in access.reworks if pattern.is_below(place)), None)

    def _touches_command(self, access: CommandAccess, tool_name: str) -> bool:
        match self.specifier:
            case None:
                # A command that was proved to read is a way of reading like others.
                reads = self.tools >= READ_TOOLS and access.is_read_only and bool(access.reads)
                return tool_name in self.tools or reads
            case CommandPattern() as pattern:
                return pattern.touches(access.command, access.analysis)
            case PathPattern() as pattern:
                is_read = self.tools >= READ_TOOLS and _reads(access, pattern)
                return is_read or (self.keeps_from_changing and _changes(access, pattern))
            case _:
                return False

    def _is_for_kind(self, access: Access) -> bool:
        """A path that may not be read or changed is so for every tool, also for one that rules cannot name."""
        if not isinstance(self.specifier, PathPattern):
            return False
        if isinstance(access, ReadAccess):
            return self.denied_tools >= READ_TOOLS
        return isinstance(access, EditAccess) and self.denied_tools >= EDIT_TOOLS

    def _covers(self, access: Access, place: Place | None, *, widely: bool) -> bool:
        match self.specifier:
            case None:
                return True
            case PathPattern() as pattern:
                return place is not None and pattern.covers(place, widely=widely)
            case CommandPattern():
                return False
            case Domain() as domain:
                return isinstance(access, FetchAccess) and domain.covers(access.host)
            case AgentName() as agent:
                return isinstance(access, SpawnAccess) and agent.covers(access.definition)


def _reads(access: CommandAccess, pattern: PathPattern) -> bool:
    return access.may_name_anything or any(pattern.covers(place, widely=True) for place in access.reads)


def _changes(access: CommandAccess, pattern: PathPattern) -> bool:
    return (
        access.may_change_anything
        or any(pattern.covers(place, widely=True) for place in access.writes + access.changes)
        or any(pattern.bases and pattern.covers(place, widely=True) for place in access.copies)
        or any(map(pattern.is_below, access.uproots))
        or any(map(pattern.covers_all_in, access.reworks))
    )


def _places(access: Access) -> tuple[Place, ...]:
    match access:
        case ReadAccess(place):
            return (place,)
        case EditAccess(places):
            return places
        case _:
            return ()
