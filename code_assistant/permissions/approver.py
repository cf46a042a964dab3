"""What a tool asks before it does something that needs a yes, and who answers when nobody is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from code_assistant.events import Origin

NOBODY = "nobody is there to allow it (--add-dir opens a further folder, --permission-mode yolo allows everything)"


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """One thing one tool call wants to do: to what, for rules to look at, and whole and in plain words for people."""

    origin: Origin
    tool_call_id: str
    tool_name: str
    target: str
    action: str


@dataclass(frozen=True, slots=True)
class Decision:
    allowed: bool
    reason: str = ""


class Approver(Protocol):
    """Decides on requests. Waiting for the decision is cancelled with the asking task."""

    async def decide(self, request: PermissionRequest) -> Decision: ...


class NobodyThere:
    """The approver of a run without a person: what would ask is denied at once, and said."""

    async def decide(self, request: PermissionRequest) -> Decision:
        del request
        return Decision(False, NOBODY)
