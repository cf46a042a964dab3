"""The gate in front of the person: what rules and the current mode settle by themselves is not asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from code_assistant.permissions.access import CommandAccess, EditAccess, ReadAccess
from code_assistant.permissions.approver import Approver, Decision, PermissionRequest
from code_assistant.permissions.modes import PermissionMode
from code_assistant.permissions.protected import protections_of
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.permissions.rules import Rule

PLAN_REASON = "plan mode is on, in which nothing is changed and no command is run"


class Gate:
    """Deny rules, then the mode, then allow rules, then the person. The mode counts from the next request on.

    `readable` are folders of ours that may be read though they lie outside, `own_folders` those that hold our settings.
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
        self.mode: PermissionMode = mode

    async def decide(self, request: PermissionRequest) -> Decision:
        settled = self.settled(request)
        return settled if settled is not None else await self._approver.decide(request)

    def settled(self, request: PermissionRequest) -> Decision | None:
        """The decision that needs nobody; None for what must be asked."""
        denying = self._rules.denying(request)
        if denying is not None:
            return Decision(False, f"the rule {denying.text} denies it", denying.text)
        if self.mode == "plan" and isinstance(request.access, EditAccess | CommandAccess):
            return Decision(False, PLAN_REASON)
        if self.mode == "yolo":
            return Decision(True)
        allowing = self._allowing(request)
        if allowing is not None:
            return Decision(True, by_rule=allowing.text)
        return Decision(True) if self._is_ordinary(request) else None

    def tool_denial(self, tool_name: str) -> str | None:
        """Why a tool may not be used at all; None when it may."""
        rule = self._rules.denying_tool(tool_name)
        return None if rule is None else f"the rule {rule.text} denies it"

    def forget(self, agent_id: str) -> None:
        self._rules.forget(agent_id)

    @property
    def rules(self) -> tuple[tuple[str, str], ...]:
        return self._rules.listed()

    def names_host(self, host: str) -> bool:
        return self._rules.names_host(host)

    def hidden(self) -> Callable[[Path], bool] | None:
        """Tells which resolved paths a rule keeps from being read; None when there is no such rule."""
        return self._rules.hidden()

    def _allowing(self, request: PermissionRequest) -> Rule | None:
        protections = self._protections(request)
        # A rule for everything was hardly meant for the hooks of git: there the rule must say so.
        return next((rule for rule in self._rules.allowing(request) if all(map(rule.names, protections))), None)

    def _is_ordinary(self, request: PermissionRequest) -> bool:
        """What the mode allows by itself: reading in the workspace, and editing there where edits are accepted."""
        match request.access:
            case ReadAccess(place):
                return place.folder is not None or any(place.path.is_relative_to(each) for each in self._readable)
            case EditAccess(places, deletes=False, other_names=False):
                inside = all(place.folder is not None for place in places)
                return self.mode == "accept-edits" and inside and not self._protections(request)
            case _:
                return False

    def _protections(self, request: PermissionRequest) -> frozenset[str]:
        places = request.access.places if isinstance(request.access, EditAccess) else ()
        return frozenset[str]().union(*(protections_of(place, self._own_folders) for place in places))
