"""What a tool asks before it does something that needs a yes, and what it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from code_assistant.events import DetailForm, Origin
from code_assistant.permissions.access import Access


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """One thing one tool call wants to do: for rules to look at, and whole and in plain words for people.

    `reason` is why it must be asked, in words that go on after "asked because"; the gate knows it, and whether it is
    `asked_by_rule`, so that no other rule could allow it; None where the gate has not looked. `limits` is a sentence on
    what it cannot do, though it be allowed.
    """

    origin: Origin
    tool_call_id: str
    tool_name: str
    access: Access
    action: str
    detail: str = ""
    form: DetailForm = "text"
    reason: str = ""
    limits: str = ""
    asked_by_rule: bool | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Yes or no. The reason of a no is for the model, too; `by_rule` names the rule behind a yes or a no.

    `denied_by` is who said no, in a word or two. A yes `on_proof` is for a command of which some parts are allowed
    only as they were proved to read.
    """

    allowed: bool
    reason: str = ""
    by_rule: str | None = None
    denied_by: str = ""
    on_proof: bool = False


class Approver(Protocol):
    """Decides on requests. Waiting for the decision is cancelled with the asking task."""

    async def decide(self, request: PermissionRequest) -> Decision: ...
