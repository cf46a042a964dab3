"""The broker between asking agents and the person: what waits, in order, and the answers to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar
from uuid import uuid4

from code_assistant.events import (
    Event,
    PermissionRequested,
    PermissionResolution,
    PermissionResolved,
    PlanPresented,
    PlanResolved,
    QuestionAsked,
    QuestionResolved,
)
from code_assistant.permissions.answers import PermissionAnswer, WorkingMode
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.permissions.person import (
    Answered,
    NotAnswered,
    Plan,
    PlanApproved,
    PlanRejected,
    PlanReply,
    Question,
    QuestionReply,
)
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.permissions.rules import Rule

Prompt: TypeAlias = PermissionRequested | QuestionAsked | PlanPresented

SAID_NO = "the person said no"
DISMISSED = "The person did not want to answer that. Go on without it, and say what you assumed."
KEEP_PLANNING = "The person wants to keep planning."

ReplyT = TypeVar("ReplyT")


@dataclass(frozen=True, slots=True)
class _Waiting(Generic[ReplyT]):
    """A prompt nobody has answered yet, and who waits for the answer."""

    prompt: Prompt
    reply: asyncio.Future[ReplyT]
    withdrawn: Event
    rules: tuple[Rule, ...] = ()


class Broker:
    """The person of a run that has one. Prompts of all agents wait side by side, the oldest first.

    Each has an id of its own and takes exactly one answer: what is answered, or was withdrawn because its tool call
    ended, takes none, and the answer says so by returning False. All of it happens in the event loop's thread.
    """

    def __init__(self, publish: Callable[[Event], None], rules: RuleBook) -> None:
        self._publish = publish
        self._rules = rules
        self._waiting: dict[str, _Waiting[Any]] = {}

    @property
    def pending(self) -> tuple[Prompt, ...]:
        """What waits for the person, in the order it was asked."""
        return tuple(each.prompt for each in self._waiting.values() if not each.reply.done())

    async def decide(self, request: PermissionRequest) -> Decision:
        rules = self._rules.proposed(request)
        texts = [rule.text for rule in rules]
        prompt = PermissionRequested(
            request.origin,
            f"permission_{uuid4().hex}",
            request.tool_call_id,
            request.tool_name,
            request.action,
            request.detail,
            request.form,
            texts[0] if texts else None,
            tuple(texts[1:]),
            request.reason,
            "" if texts else self._rules.why_nothing_is_proposed(request),
            request.limits,
        )
        withdrawn = PermissionResolved(prompt.origin, prompt.request_id, prompt.tool_call_id, "withdrawn")
        future: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        return await self._wait(_Waiting(prompt, future, withdrawn, rules))

    async def answer(self, question: Question) -> QuestionReply:
        prompt = QuestionAsked(
            question.origin,
            f"question_{uuid4().hex}",
            question.tool_call_id,
            question.question,
            question.choices,
            question.several,
        )
        withdrawn = QuestionResolved(prompt.origin, prompt.request_id, prompt.tool_call_id, "withdrawn")
        future: asyncio.Future[QuestionReply] = asyncio.get_running_loop().create_future()
        return await self._wait(_Waiting(prompt, future, withdrawn))

    async def review(self, plan: Plan) -> PlanReply:
        prompt = PlanPresented(plan.origin, f"plan_{uuid4().hex}", plan.tool_call_id, plan.text)
        withdrawn = PlanResolved(prompt.origin, prompt.request_id, prompt.tool_call_id, "withdrawn")
        future: asyncio.Future[PlanReply] = asyncio.get_running_loop().create_future()
        return await self._wait(_Waiting(prompt, future, withdrawn))

    def answer_permission(self, request_id: str, answer: PermissionAnswer, reason: str = "") -> bool:
        """Answer one permission prompt. "Always" is a "once" where there is no rule to store."""
        waiting = self._open(request_id, PermissionRequested)
        if waiting is None:
            return False
        if answer == "deny":
            words = f"{SAID_NO}: {reason.strip()}" if reason.strip() else SAID_NO
            return self._resolve_permission(waiting, Decision(False, words, denied_by="you"), "denied", reason)
        if answer == "once" or not waiting.rules:
            return self._resolve_permission(waiting, Decision(True), "once")
        for rule in waiting.rules:
            self._rules.grant(rule, waiting.prompt.origin if answer == "agent" else None)
        names = ", ".join(rule.text for rule in waiting.rules)
        return self._resolve_permission(waiting, Decision(True, by_rule=names), answer)

    def answer_question(self, request_id: str, text: str) -> bool:
        return self._resolve_question(request_id, Answered(text))

    def dismiss_question(self, request_id: str) -> bool:
        """The person does not want to answer; the model is told so."""
        return self._resolve_question(request_id, NotAnswered(DISMISSED))

    def approve_plan(self, request_id: str, mode: WorkingMode) -> bool:
        return self._resolve_plan(request_id, PlanApproved(mode), mode, "")

    def reject_plan(self, request_id: str, feedback: str = "") -> bool:
        """Keep planning, and say what to change."""
        words = f"{KEEP_PLANNING} {feedback.strip()}".rstrip()
        return self._resolve_plan(request_id, PlanRejected(words), None, feedback)

    async def _wait(self, waiting: _Waiting[ReplyT]) -> ReplyT:
        request_id = waiting.prompt.request_id
        self._waiting[request_id] = waiting
        try:
            self._publish(waiting.prompt)
            return await waiting.reply
        finally:
            # Whoever answered has taken it out already; what is still here was left by its tool call.
            if self._waiting.pop(request_id, None) is not None:
                self._publish(waiting.withdrawn)

    def _open(self, request_id: str, kind: type[Prompt]) -> _Waiting[Any] | None:
        waiting = self._waiting.get(request_id)
        # A cancelled wait is no longer open, even before its task had the time to say so.
        if waiting is None or not isinstance(waiting.prompt, kind) or waiting.reply.done():
            return None
        return waiting

    def _resolve(self, waiting: _Waiting[ReplyT], reply: ReplyT, resolved: Event) -> bool:
        del self._waiting[waiting.prompt.request_id]
        waiting.reply.set_result(reply)
        self._publish(resolved)
        return True

    def _resolve_permission(
        self, waiting: _Waiting[Decision], decision: Decision, resolution: PermissionResolution, reason: str = ""
    ) -> bool:
        prompt = waiting.prompt
        resolved = PermissionResolved(prompt.origin, prompt.request_id, prompt.tool_call_id, resolution, reason)
        return self._resolve(waiting, decision, resolved)

    def _resolve_question(self, request_id: str, reply: QuestionReply) -> bool:
        waiting = self._open(request_id, QuestionAsked)
        if waiting is None:
            return False
        prompt = waiting.prompt
        resolution, text = ("answered", reply.text) if isinstance(reply, Answered) else ("dismissed", "")
        return self._resolve(
            waiting, reply, QuestionResolved(prompt.origin, request_id, prompt.tool_call_id, resolution, text)
        )

    def _resolve_plan(self, request_id: str, reply: PlanReply, mode: str | None, feedback: str) -> bool:
        waiting = self._open(request_id, PlanPresented)
        if waiting is None:
            return False
        prompt = waiting.prompt
        resolution = "approved" if isinstance(reply, PlanApproved) else "rejected"
        return self._resolve(
            waiting, reply, PlanResolved(prompt.origin, request_id, prompt.tool_call_id, resolution, mode, feedback)
        )
