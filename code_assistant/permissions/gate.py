"""The gate in front of the person: what rules and the current mode settle by themselves is not asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from code_assistant.permissions.access import Access, CommandAccess, EditAccess, Place, ReadAccess, SpawnAccess
from code_assistant.permissions.approver import Approver, Decision, PermissionRequest
from code_assistant.permissions.command_rules import Cover
from code_assistant.permissions.hidden_paths import HiddenPaths
from code_assistant.permissions.listed_rules import ListedRule
from code_assistant.permissions.modes import PermissionMode
from code_assistant.permissions.protected import protections_of
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.permissions.rules import Rule
from code_assistant.permissions.secret_places import SecretPlaces, Unseen
from code_assistant.permissions.shell.arguments import shown
from code_assistant.permissions.subjects import subject_of

PLAN_REASON = "plan mode is on, in which nothing is changed and no command runs that could change something"
BY_RULE = "a rule"
BY_PLAN = "plan mode"
LEAVES_SANDBOX = "it is to run outside of the sandbox"
MAY_BE_SECRET = "keys and other secrets are kept there"
ACTS_BY_ITSELF = "a change there can start programs, or change rules and instructions"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A decision that needs nobody, or why somebody is asked; and the rules behind it."""

    decision: Decision | None
    rules: tuple[Rule, ...] = ()
    reason: str = ""


class Gate:
    """Deny rules, then the mode, then ask rules, then allow rules, then the person. The mode counts from the next on.

    `readable` are folders of ours that may be read though they lie outside, `own_folders` those that hold our settings
    and what we keep.
    """

    def __init__(
        self,
        approver: Approver,
        rules: RuleBook,
        mode: PermissionMode = "ask",
        *,
        readable: tuple[Path, ...] = (),
        own_folders: tuple[Path, ...] = (),
    ) -> None:
        self._approver = approver
        self._rules = rules
        self._readable = readable
        self._own_folders = own_folders
        anchors = rules.anchors
        self._secrets = SecretPlaces.below(anchors.home, own_folders, (*anchors.folders, *readable))
        self.mode: PermissionMode = mode

    async def decide(self, request: PermissionRequest) -> Decision:
        is_long = isinstance(request.access, CommandAccess) and request.access.is_long
        outcome = await asyncio.to_thread(self._settle, request) if is_long else self._settle(request)
        self._rules.note(outcome.rules, subject_of(request))
        if outcome.decision is not None:
            return outcome.decision
        asked = replace(request, reason=outcome.reason, asked_by_rule=bool(outcome.rules))
        return await self._approver.decide(asked)

    def settled(self, request: PermissionRequest) -> Decision | None:
        """The decision that needs nobody; None for what must be asked."""
        return self._settle(request).decision

    def why_asked(self, request: PermissionRequest) -> str:
        """Why somebody must be asked, in words that go on after "asked because"; empty where that needs no words."""
        return self._settle(request).reason

    def may_read(self, request: PermissionRequest, place: Place) -> bool:
        """Whether this place could be read by this agent without asking, in every mode."""
        reading = replace(request, tool_name="read_files", access=ReadAccess(place))
        if self._rules.denying(reading) is not None or self._rules.asking(reading) is not None:
            return False
        return self._is_ordinary(reading) or self._allowing(reading) is not None

    def may_look_at(self, request: PermissionRequest, place: Place) -> bool:
        """Whether this agent may find out without asking that this place is there, whatever is said of reading it."""
        looking = replace(request, tool_name="read_files", access=ReadAccess(place))
        return self._is_ordinary(looking) or self._allowing(looking) is not None

    def tool_denial(self, tool_name: str) -> str | None:
        """Why a tool may not be used at all; None when it may."""
        rule = self._rules.denying_tool(tool_name)
        if rule is None:
            return None
        self._rules.note((rule,), tool_name)
        return _denial(rule)

    def forget(self, agent_id: str) -> None:
        self._rules.forget(agent_id)

    @property
    def rules(self) -> tuple[ListedRule, ...]:
        return self._rules.listed()

    def names_host(self, host: str) -> bool:
        return self._rules.names_host(host)

    def hidden(self) -> Callable[[Path], bool] | None:
        """Tells which resolved paths a rule keeps from being read; None when there is no such rule."""
        return self._rules.hidden()

    def unchangeable(self) -> HiddenPaths | None:
        """Tells which resolved paths a rule keeps from being changed unasked; None when there is no such rule."""
        return self._rules.unchangeable()

    def unseen(self, folder: Path) -> Callable[[Path], bool] | None:
        """Tells what is left out of what is found in a folder, by resolved paths; a secret one itself is seen whole."""
        by_rules = self._rules.hidden()
        return by_rules if self._secrets(folder) else Unseen(by_rules, self._secrets)

    def has_secrets_in(self, folder: Path) -> bool:
        return self._secrets.are_in(folder)

    def unreadable(self) -> HiddenPaths | None:
        """Tells which resolved paths a rule keeps from being read unasked; None when there is no such rule."""
        return self._rules.unreadable()

    def _settle(self, request: PermissionRequest) -> _Outcome:
        denying = self._rules.denying(request)
        if denying is not None:
            return _Outcome(Decision(False, _denial(denying), denying.text, BY_RULE), (denying,))
        refused = self._refused_by_plan(request)
        if refused is not None:
            return _Outcome(refused)
        if self.mode == "yolo":
            return self._settle_unasked(request)
        asking = self._rules.asking(request)
        if asking is not None:
            return _Outcome(None, (asking,), f"the rule {asking.text} says so")
        doubt = self._rules.doubting(request)
        if doubt is not None:
            return _Outcome(None, (doubt.rule,), doubt.words)
        if isinstance(request.access, CommandAccess):
            return self._settle_command(request, request.access)
        allowing = self._allowing(request)
        if allowing is not None:
            return _Outcome(Decision(True, by_rule=allowing.text), (allowing,))
        if self._is_ordinary(request):
            return _Outcome(Decision(True))
        return _Outcome(None, reason=self._why_protected(request.access))

    def _settle_unasked(self, request: PermissionRequest) -> _Outcome:
        """Where nobody is asked, what would come upon a file that is denied is denied with it."""
        access = request.access
        if isinstance(access, CommandAccess):
            for place in access.comes_upon:
                reading = replace(request, tool_name="read_files", access=ReadAccess(place))
                denying = self._rules.denying(reading)
                if denying is not None:
                    reason = f"it would read {place.named.name}, and {_denial(denying)}"
                    return _Outcome(Decision(False, reason, denying.text, BY_RULE), (denying,))
        return _Outcome(Decision(True))

    def _refused_by_plan(self, request: PermissionRequest) -> Decision | None:
        if self.mode != "plan":
            return None
        match request.access:
            case CommandAccess(is_read_only=True, leaves_sandbox=False):
                return None
            case CommandAccess(reason=reason):
                words = f"{PLAN_REASON} ({reason})" if reason else PLAN_REASON
                return Decision(False, words, denied_by=BY_PLAN)
            case EditAccess():
                return Decision(False, PLAN_REASON, denied_by=BY_PLAN)
            case _:
                return None

    def _settle_command(self, request: PermissionRequest, access: CommandAccess) -> _Outcome:
        if access.leaves_sandbox:
            return _Outcome(None, reason=LEAVES_SANDBOX)
        if access.is_read_only:
            return _Outcome(Decision(True))
        cover = self._rules.covering(request, access)
        if cover is None:
            left = self._rules.left_over(request, access)
            # Why something else in it is not proved to read is beside the point.
            return _Outcome(None, reason=access.reason if left is None else f"no rule allows {shown(left.text)}")
        for place in access.inputs if not cover.is_whole else ():
            if not self.may_read(request, place):
                return _Outcome(None, reason=f"it reads {place.named.name}, which is outside or kept from being read")
        used = list(cover.rules)
        for place in access.writes:
            writing = replace(request, tool_name="write_file", access=EditAccess((place,)))
            allowing = self._allowing(writing)
            if allowing is not None:
                used.append(allowing)
            elif not self._may_write(writing, place, cover):
                return _Outcome(None, reason=f"it writes to {place.shown}")
        names = ", ".join(dict.fromkeys(rule.text for rule in used))
        return _Outcome(Decision(True, by_rule=names or None, on_proof=not cover.is_whole), tuple(used))

    def _may_write(self, writing: PermissionRequest, place: Place, cover: Cover) -> bool:
        if cover.is_whole:
            return (cover.is_everything or place.folder is not None) and not self._protections(writing)
        return self._is_ordinary(writing)

    def _allowing(self, request: PermissionRequest) -> Rule | None:
        protections = self._protections(request)
        # A rule for everything was hardly meant for the hooks of git: there the rule must say so.
        return next((rule for rule in self._rules.allowing(request) if all(map(rule.names, protections))), None)

    def _is_ordinary(self, request: PermissionRequest) -> bool:
        """What the mode allows by itself: reading in the workspace, and editing there where edits are accepted."""
        match request.access:
            case ReadAccess(place):
                known = place.folder is not None or any(place.path.is_relative_to(each) for each in self._readable)
                return known and not self._protections(request)
            case EditAccess(places, deletes=False, other_names=False):
                inside = all(place.folder is not None for place in places)
                return self.mode == "accept-edits" and inside and not self._protections(request)
            case SpawnAccess():
                return True
            case _:
                return False

    def _why_protected(self, access: Access) -> str:
        match access:
            case ReadAccess(place) if self._secrets.names_of(place):
                return MAY_BE_SECRET
            case EditAccess(places) if any(map(self._secrets.names_of, places)):
                return MAY_BE_SECRET
            case EditAccess(places) if any(map(self._protections_of, places)):
                return ACTS_BY_ITSELF
            case _:
                return ""

    def _protections(self, request: PermissionRequest) -> frozenset[str]:
        """The names that a rule must say to allow it; none for what is like other places."""
        match request.access:
            case ReadAccess(place):
                return self._secrets.names_of(place)
            case EditAccess(places):
                return frozenset[str]().union(*map(self._protections_of, places))
            case _:
                return frozenset()

    def _protections_of(self, place: Place) -> frozenset[str]:
        of_edits = protections_of(place, self._own_folders, self._rules.anchors.home)
        return of_edits | self._secrets.names_of(place)


def _denial(rule: Rule) -> str:
    return f"the rule {rule.text} denies it"
