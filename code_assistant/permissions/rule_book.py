"""The rules in force: those of the command line and of files, what was answered with "always", and what was added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from code_assistant.errors import UsageError
from code_assistant.events import Origin
from code_assistant.permissions.access import CommandAccess, Place, leaves_sandbox
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.permissions.command_patterns import CommandPattern
from code_assistant.permissions.command_rules import Cover, cover_of, left_over
from code_assistant.permissions.hidden_paths import HiddenPaths
from code_assistant.permissions.hosts import Domain
from code_assistant.permissions.listed_rules import (
    COMMAND_LINE,
    RULE_LISTS,
    SETTINGS,
    THIS_SESSION,
    ListedRule,
    RuleList,
)
from code_assistant.permissions.path_patterns import Anchors, PathPattern
from code_assistant.permissions.proposing import proposed_rules
from code_assistant.permissions.rule_parsing import parse_rule
from code_assistant.permissions.rule_tools import READ_TOOLS
from code_assistant.permissions.rules import Rule

if TYPE_CHECKING:
    from code_assistant.permissions.shell.analysis import Member

# What a person wrote down on purpose, word by word.
NAMED_BY_PERSON = (COMMAND_LINE, SETTINGS)
NOT_UNDERSTOOD: dict[RuleList, str] = {
    "deny": "NOTHING IS DENIED BY IT",
    "ask": "It makes nothing ask",
    "allow": "It allows nothing",
}


@dataclass(slots=True)
class _Entry:
    """A rule in its list, and what it did so far. `agent_id` is whom it is for, None for everybody."""

    id: str
    list: RuleList
    rule: Rule
    source: str
    agent_id: str | None = None
    matched: int = 0
    last: str = ""

    @property
    def listed(self) -> ListedRule:
        return ListedRule(
            self.id, self.list, self.rule.text, self.source, self.matched, self.last, self.agent_id is not None
        )


@dataclass(frozen=True, slots=True)
class Doubt:
    """`words` go on after "asked because"."""

    rule: Rule
    words: str


class RuleBook:
    """What denies beats what asks, and that beats what allows; nothing else matters. An agent's own are for no other.

    The texts given here are those of the command line; a bad one raises UsageError.
    """

    def __init__(
        self, anchors: Anchors, allow: Iterable[str] = (), deny: Iterable[str] = (), ask: Iterable[str] = ()
    ) -> None:
        self._anchors = anchors
        self._entries: list[_Entry] = []
        self._count = 0
        given: dict[RuleList, Iterable[str]] = {"deny": deny, "ask": ask, "allow": allow}
        for rule_list, texts in given.items():
            for text in texts:
                self._append(rule_list, parse_rule(text, anchors), COMMAND_LINE)

    @property
    def anchors(self) -> Anchors:
        return self._anchors

    def load(self, rule_list: RuleList, texts: Iterable[str], source: str, anchors: Anchors | None = None) -> list[str]:
        """Take the rules of a file; gives what is to be said of those that cannot be understood."""
        warnings: list[str] = []
        for text in texts:
            try:
                self._append(rule_list, parse_rule(text, anchors or self._anchors), source)
            except UsageError as error:
                warnings.append(f"{source}, {rule_list}: {error.person} {NOT_UNDERSTOOD[rule_list]}.")
        return warnings

    def parse(self, text: str) -> Rule:
        """Raises UsageError for what is no rule."""
        return parse_rule(text, self._anchors)

    def add(self, rule_list: RuleList, rule: Rule, source: str = THIS_SESSION) -> ListedRule:
        """From the next request on it counts, for all agents. The same rule is kept once."""
        same = next((each for each in self._entries if _is(each, rule_list, rule, source, None)), None)
        return (same or self._append(rule_list, rule, source)).listed

    def remove(self, rule_id: str) -> bool:
        """False when there is no such rule any more."""
        before = len(self._entries)
        self._entries = [each for each in self._entries if each.id != rule_id]
        return len(self._entries) < before

    def replace(self, rule_id: str, rule: Rule) -> None:
        """Another rule in the place of one, for whom that was and where it comes from; one that is there is not kept
        twice.
        """
        entry = next((each for each in self._entries if each.id == rule_id), None)
        if entry is not None:
            self._entries = [
                each
                for each in self._entries
                if each is entry or not _is(each, entry.list, rule, entry.source, entry.agent_id)
            ]
            entry.rule, entry.matched, entry.last = rule, 0, ""

    def find(self, rule_id: str) -> tuple[ListedRule, Rule] | None:
        return next(((each.listed, each.rule) for each in self._entries if each.id == rule_id), None)

    def denying(self, request: PermissionRequest) -> Rule | None:
        return next((rule for rule in self._in("deny", request) if rule.touches(request)), None)

    def asking(self, request: PermissionRequest) -> Rule | None:
        rules = (rule for rule in self._in("ask", request) if not rule.is_beside(request))
        return next((rule for rule in rules if rule.touches(request)), None)

    def doubting(self, request: PermissionRequest) -> Doubt | None:
        """The rule that may be broken by a command of which that is not known, so that nothing else can allow it."""
        access = request.access
        if not isinstance(access, CommandAccess):
            return None
        entries = [
            each for each in self._entries if each.list != "allow" and each.agent_id in (None, request.origin.agent_id)
        ]
        return self._doubted_change(entries, access) or _doubted_start(entries, access)

    def _doubted_change(self, entries: Sequence[_Entry], access: CommandAccess) -> Doubt | None:
        for entry in entries:
            if entry.rule.keeps_from_changing:
                place = entry.rule.doubted(access)
                if place is not None or access.is_too_deep:
                    return Doubt(entry.rule, self._doubt(entry, place))
        return None

    def allowing(self, request: PermissionRequest) -> tuple[Rule, ...]:
        return tuple(rule for rule in self._in("allow", request) if rule.allows(request))

    def covering(self, request: PermissionRequest, access: CommandAccess) -> Cover | None:
        """The rules that allow a command together."""
        return cover_of(access, self._for_tool(request))

    def left_over(self, request: PermissionRequest, access: CommandAccess) -> Member | None:
        """What they do not allow of it, where they allow some."""
        return left_over(access, self._for_tool(request))

    def denying_tool(self, tool_name: str) -> Rule | None:
        """The rule that takes a whole tool away, whatever it is called with."""
        rules = (each.rule for each in self._entries if each.list == "deny")
        return next((rule for rule in rules if rule.specifier is None and tool_name in rule.denied_tools), None)

    def names_host(self, host: str) -> bool:
        """Whether a rule that the person wrote down names this very host, so that it may be a private one.

        An "always" does not, kept or not: what was allowed was a page somewhere, and the name may lead elsewhere
        tomorrow. Nor does a project.
        """
        written = (each for each in self._entries if each.list == "allow" and each.source in NAMED_BY_PERSON)
        specifiers = (each.rule.specifier for each in written)
        return any(isinstance(each, Domain) and not each.with_subdomains and each.covers(host) for each in specifiers)

    def hidden(self) -> HiddenPaths | None:
        """Tells which resolved paths may not be read, so that they are not listed or searched; None for none."""
        patterns = tuple(self._patterns_for_reading("deny"))
        return HiddenPaths(patterns) if patterns else None

    def unchangeable(self) -> HiddenPaths | None:
        """Tells which resolved paths may not be changed unasked; None for none."""
        rules = (each.rule for each in self._entries if each.list != "allow" and each.rule.keeps_from_changing)
        patterns = tuple(rule.specifier for rule in rules if isinstance(rule.specifier, PathPattern))
        return HiddenPaths(patterns) if patterns else None

    def unreadable(self) -> HiddenPaths | None:
        """Tells which resolved paths may not be read unasked; None for none."""
        patterns = tuple(self._patterns_for_reading("deny", "ask"))
        return HiddenPaths(patterns) if patterns else None

    def listed(self) -> tuple[ListedRule, ...]:
        """Every rule in force, in the order in which they are looked at."""
        return tuple(each.listed for rule_list in RULE_LISTS for each in self._entries if each.list == rule_list)

    def note(self, rules: Iterable[Rule], subject: str) -> None:
        """These rules decided something just now."""
        decided = list(rules)
        for entry in self._entries:
            if any(entry.rule is rule for rule in decided):
                entry.matched += 1
                entry.last = subject

    def proposed(self, request: PermissionRequest) -> tuple[Rule, ...]:
        """What "always" would store; nothing where no rule would allow this very request the next time."""
        in_force = list(self._in("allow", request))
        rules = proposed_rules(request, self._anchors, in_force)
        is_kept = request.asked_by_rule
        if rules and is_kept is None:
            is_kept = self.asking(request) is not None or self.doubting(request) is not None
        if not rules or is_kept:
            return ()
        return rules if _would_allow(request, rules, in_force) else ()

    def why_nothing_is_proposed(self, request: PermissionRequest) -> str:
        """Why "always" would store nothing; empty where it is only that no rule would be narrow enough."""
        asking = self.asking(request)
        if asking is not None:
            return f"the rule {asking.text} asks every time"
        doubt = self.doubting(request)
        if doubt is not None:
            return f"the rule {doubt.rule.text} counts first"
        if leaves_sandbox(request.access):
            return "what leaves the sandbox is asked about every time"
        return ""

    def grant(self, rule: Rule, agent: Origin | None = None) -> None:
        """From now on the rule allows: one agent, or everybody in this session."""
        if agent is None:
            self.add("allow", rule)
        elif not any(_is(each, "allow", rule, agent.name, agent.agent_id) for each in self._entries):
            self._append("allow", rule, agent.name, agent.agent_id)

    def forget(self, agent_id: str) -> None:
        """An agent has ended; nobody else takes over what it was allowed."""
        self._entries = [each for each in self._entries if each.agent_id != agent_id]

    def _append(self, rule_list: RuleList, rule: Rule, source: str, agent_id: str | None = None) -> _Entry:
        self._count += 1
        entry = _Entry(f"rule-{self._count}", rule_list, rule, source, agent_id)
        self._entries.append(entry)
        return entry

    def _for_tool(self, request: PermissionRequest) -> list[Rule]:
        return [rule for rule in self._in("allow", request) if request.tool_name in rule.tools]

    def _patterns_for_reading(self, *lists: RuleList) -> Iterator[PathPattern]:
        for each in self._entries:
            pattern = each.rule.specifier
            if each.list in lists and isinstance(pattern, PathPattern) and each.rule.tools & READ_TOOLS:
                yield pattern

    def _doubt(self, entry: _Entry, place: Place | None) -> str:
        rule = f"the rule {entry.rule.text} ({entry.source})"
        if place is None:
            return f"more lies below it, or is named in it, than can be looked at, and {rule} keeps files from that"
        root = self._anchors.root
        named = place.named.relative_to(root) if place.named.is_relative_to(root) else place.named
        does = "read or change" if entry.rule.tools >= READ_TOOLS else "change"
        return f"it could {does} {named}, which {rule} {'denies' if entry.list == 'deny' else 'asks about'}"

    def _in(self, rule_list: RuleList, request: PermissionRequest) -> Iterator[Rule]:
        agents = (None, request.origin.agent_id)
        return (each.rule for each in self._entries if each.list == rule_list and each.agent_id in agents)


def _is(entry: _Entry, rule_list: RuleList, rule: Rule, source: str, agent_id: str | None) -> bool:
    return (entry.list, entry.rule, entry.source, entry.agent_id) == (rule_list, rule, source, agent_id)


def _would_allow(request: PermissionRequest, rules: Sequence[Rule], in_force: Sequence[Rule]) -> bool:
    if isinstance(request.access, CommandAccess):
        fitting = [rule for rule in (*in_force, *rules) if request.tool_name in rule.tools]
        return cover_of(request.access, fitting) is not None
    return all(rule.allows(request) for rule in rules)


def _doubted_start(entries: Sequence[_Entry], access: CommandAccess) -> Doubt | None:
    """A rule about commands, one of which a program could start of which nobody knows whether it starts any."""
    # Not at the top: the tables of programs come with it, which are loaded with the first command.
    from code_assistant.permissions.mentions import mentions_in
    from code_assistant.permissions.shell.spellings import Spellings

    patterns = [(each, each.rule.specifier) for each in entries if isinstance(each.rule.specifier, CommandPattern)]
    programs = {pattern.program for _, pattern in patterns if pattern.program}
    mentions = mentions_in(access, programs) if programs else Spellings()
    for entry, pattern in patterns:
        if pattern.is_among(mentions):
            verb = "denies" if entry.list == "deny" else "asks about"
            return Doubt(entry.rule, f"it could start what the rule {entry.rule.text} {verb}")
    return None
