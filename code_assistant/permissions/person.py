"""Who answers what rules and modes leave open: a person at a front end, or nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from code_assistant.events import Choice, Origin
from code_assistant.permissions.access import leaves_sandbox
from code_assistant.permissions.approver import Approver, Decision, PermissionRequest
from code_assistant.permissions.modes import PermissionMode

NOBODY = (
    "nobody is there to allow it (--allow allows by rule, --add-dir opens a further folder, "
    "--permission-mode yolo allows all that no rule denies)"
)
NOBODY_TRUSTS = "nobody is there to allow it, and this folder is not trusted (--trust trusts it for this run)"
NOBODY_TO_LET_OUT = (
    "nobody is there to allow it (no rule lets a command out of the sandbox; sandbox.writable opens further places in "
    "it, --no-sandbox does without, --permission-mode yolo allows all that no rule denies)"
)
NOBODY_TO_ANSWER = "Nobody is there to answer. Decide by yourself what is most sensible, and say what you assumed."
NOBODY_TO_APPROVE = "Nobody is there to approve the plan, so plan mode stays. Give the whole plan as your answer."


@dataclass(frozen=True, slots=True)
class Question:
    """What the model wants to know, and the answers it offers; the person may always write another one."""

    origin: Origin
    tool_call_id: str
    question: str
    choices: tuple[Choice, ...] = ()
    several: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    origin: Origin
    tool_call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    text: str


@dataclass(frozen=True, slots=True)
class NotAnswered:
    """The words say why, to the model."""

    words: str


QuestionReply: TypeAlias = Answered | NotAnswered


@dataclass(frozen=True, slots=True)
class PlanApproved:
    mode: PermissionMode


@dataclass(frozen=True, slots=True)
class PlanRejected:
    """The words are for the model: what to change, or that nobody is there."""

    words: str


PlanReply: TypeAlias = PlanApproved | PlanRejected


class Person(Approver, Protocol):
    """Everything that may wait for a person. Each wait is cancelled with the asking task."""

    async def answer(self, question: Question) -> QuestionReply: ...

    async def review(self, plan: Plan) -> PlanReply: ...


@dataclass
class NobodyThere:
    """The person of a run without one: what would ask is denied at once, and said."""

    is_trusted: bool = True

    async def decide(self, request: PermissionRequest) -> Decision:
        words = NOBODY_TO_LET_OUT if leaves_sandbox(request.access) else NOBODY if self.is_trusted else NOBODY_TRUSTS
        return Decision(False, f"{words}; it is asked because {request.reason}" if request.reason else words)

    async def answer(self, question: Question) -> QuestionReply:
        del question
        return NotAnswered(NOBODY_TO_ANSWER)

    async def review(self, plan: Plan) -> PlanReply:
        del plan
        return PlanRejected(NOBODY_TO_APPROVE)
