"""The rules in force: those the person started with, and what they answered with "always"."""

from __future__ import annotations

from collections.abc import Iterable

from code_assistant.events import Origin
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.permissions.hidden_paths import HiddenPaths
from code_assistant.permissions.hosts import Domain
from code_assistant.permissions.path_patterns import Anchors, PathPattern
from code_assistant.permissions.rules import READ_TOOLS, Rule, parse_rule, proposed_rule


class RuleBook:
    """A rule that denies beats every rule that allows. An agent's own rules are for no other agent."""

    def __init__(self, anchors: Anchors, allow: Iterable[str] = (), deny: Iterable[str] = ()) -> None:
        self._anchors = anchors
        self._allow = [parse_rule(text, anchors) for text in allow]
        self._started_with = tuple(self._allow)
        self._deny = tuple(parse_rule(text, anchors) for text in deny)
        self._of_agents: dict[str, list[Rule]] = {}
        self._names: dict[str, str] = {}

    def denying(self, request: PermissionRequest) -> Rule | None:
        return next((rule for rule in self._deny if rule.denies(request)), None)

    def denying_tool(self, tool_name: str) -> Rule | None:
        """The rule that takes a whole tool away, whatever it is called with."""
        return next((rule for rule in self._deny if rule.specifier is None and tool_name in rule.denied_tools), None)

    def allowing(self, request: PermissionRequest) -> tuple[Rule, ...]:
        return tuple(rule for rule in self._rules_for(request.origin.agent_id) if rule.allows(request))

    def names_host(self, host: str) -> bool:
        """Whether a rule that the person started with names this very host, so that it may be a private one.

        An "always" does not: what was allowed was a page somewhere, and the name may lead elsewhere tomorrow.
        """
        specifiers = (rule.specifier for rule in self._started_with)
        return any(isinstance(each, Domain) and not each.with_subdomains and each.covers(host) for each in specifiers)

    def hidden(self) -> HiddenPaths | None:
        """Tells which resolved paths may not be read, so that they are not listed or searched; None for none."""
        patterns = tuple(
            rule.specifier for rule in self._deny if isinstance(rule.specifier, PathPattern) and rule.tools & READ_TOOLS
        )
        return HiddenPaths(patterns) if patterns else None

    def listed(self) -> tuple[tuple[str, str], ...]:
        """Every rule in force and whom it is for, in words, the denying ones first."""
        return (
            *(("deny", rule.text) for rule in self._deny),
            *(("allow", rule.text) for rule in self._allow),
            *(
                (f"allow for {self._names[agent_id]}", rule.text)
                for agent_id, rules in self._of_agents.items()
                for rule in rules
            ),
        )

    def proposed(self, request: PermissionRequest) -> Rule | None:
        """What "always" would store; None where no rule would allow this very request the next time."""
        rule = proposed_rule(request, self._anchors)
        return rule if rule is not None and rule.allows(request) else None

    def grant(self, rule: Rule, agent: Origin | None = None) -> None:
        """From now on the rule allows: one agent, or everybody in this session."""
        rules = self._allow if agent is None else self._of_agents.setdefault(agent.agent_id, [])
        if agent is not None:
            self._names[agent.agent_id] = agent.name
        if rule not in rules:
            rules.append(rule)

    def forget(self, agent_id: str) -> None:
        """An agent has ended; nobody else takes over what it was allowed."""
        self._of_agents.pop(agent_id, None)
        self._names.pop(agent_id, None)

    def _rules_for(self, agent_id: str) -> Iterable[Rule]:
        return (*self._allow, *self._of_agents.get(agent_id, ()))
