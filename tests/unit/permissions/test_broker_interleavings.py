"""Prompts of several agents, answered, denied and withdrawn at random moments: none is lost, doubled or crossed."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.events import (
    Event,
    PermissionRequested,
    PermissionResolved,
    PlanPresented,
    PlanResolved,
    QuestionAsked,
    QuestionResolved,
)
from code_assistant.permissions.access import CommandAccess
from code_assistant.permissions.answers import PermissionAnswer
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.permissions.broker import Broker
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.person import Answered, NotAnswered, Plan, PlanApproved, PlanRejected, Question
from code_assistant.permissions.rule_book import RuleBook
from tests.hang_guard import HANG_GUARD
from tests.unit.permissions.support import ANCHORS, agent

AGENTS = ("main", "first", "second")
COMMANDS = ("make", "make test")
Kind: TypeAlias = Literal["permission", "question", "plan"]


@dataclass
class Asked:
    """One call that waits: who asked for what, its task, and what it must be told in the end."""

    kind: Kind
    agent_id: str
    call_id: str
    command: str
    task: asyncio.Task[Any]
    expected: object = None
    is_withdrawn: bool = False


@dataclass
class Office:
    """A broker behind a gate, and a model of what it must do, kept step by step."""

    events: list[Event] = field(default_factory=list[Event])
    asked: dict[str, Asked] = field(default_factory=dict[str, Asked])
    granted: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def __post_init__(self) -> None:
        book = RuleBook(ANCHORS)
        self.broker = Broker(self.events.append, book)
        self.gate = Gate(self.broker, book)

    @property
    def open_calls(self) -> list[str]:
        """In the order they were asked."""
        return [call_id for call_id, asked in self.asked.items() if asked.expected is None and not asked.is_withdrawn]

    async def ask(self, kind: Kind, agent_id: str, command: str) -> None:
        call_id = f"call-{len(self.asked)}"
        origin = agent(agent_id)
        match kind:
            case "permission":
                request = PermissionRequest(
                    origin, call_id, "execute_command", CommandAccess(command), "run a command", command
                )
                waiting = self.gate.decide(request)
            case "question":
                waiting = self.broker.answer(Question(origin, call_id, command))
            case "plan":
                waiting = self.broker.review(Plan(origin, call_id, command))
        asked = Asked(kind, agent_id, call_id, command, asyncio.ensure_future(waiting))
        self.asked[call_id] = asked
        if kind == "permission" and {(agent_id, command), ("everybody", command)} & self.granted:
            asked.expected = Decision(True, by_rule=f"Bash({command})")
        # One step, after which the prompt is published; its answer may come at any later one.
        await asyncio.sleep(0)

    def request_id(self, call_id: str) -> str:
        (prompt,) = (
            event
            for event in self.events
            if isinstance(event, PermissionRequested | QuestionAsked | PlanPresented) and event.tool_call_id == call_id
        )
        return prompt.request_id

    def answer(self, number: int, answer: PermissionAnswer) -> None:
        """Answer any call that ever asked, whether it still waits or not."""
        if not self.asked:
            return
        asked = list(self.asked.values())[number % len(self.asked)]
        was_open = asked.call_id in self.open_calls
        if (
            asked.kind == "permission"
            and not was_open
            and asked.expected == Decision(True, by_rule=f"Bash({asked.command})")
        ):
            # A rule has answered it, or "always" has: there may be no prompt to name.
            return
        taken = self._send(asked, self.request_id(asked.call_id), answer)
        assert taken is was_open

    def _send(self, asked: Asked, request_id: str, answer: PermissionAnswer) -> bool:
        is_open = asked.call_id in self.open_calls
        text = f"for {asked.call_id}"
        match asked.kind:
            case "permission":
                if is_open:
                    asked.expected = self._decision(asked, answer, text)
                return self.broker.answer_permission(request_id, answer, text)
            case "question":
                if is_open:
                    asked.expected = Answered(text) if answer != "deny" else NotAnswered
                if answer == "deny":
                    return self.broker.dismiss_question(request_id)
                return self.broker.answer_question(request_id, text)
            case "plan":
                if is_open:
                    asked.expected = PlanApproved("ask") if answer != "deny" else PlanRejected
                if answer == "deny":
                    return self.broker.reject_plan(request_id, text)
                return self.broker.approve_plan(request_id, "ask")

    def _decision(self, asked: Asked, answer: PermissionAnswer, reason: str) -> Decision:
        if answer == "deny":
            return Decision(False, f"the person said no: {reason}", denied_by="you")
        if answer == "once":
            return Decision(True)
        self.granted.add((asked.agent_id if answer == "agent" else "everybody", asked.command))
        return Decision(True, by_rule=f"Bash({asked.command})")

    def withdraw(self, number: int) -> None:
        """The tool call ends first: cancelled, which its prompt feels at once."""
        calls = self.open_calls
        if calls:
            asked = self.asked[calls[number % len(calls)]]
            asked.is_withdrawn = True
            asked.task.cancel()

    async def check(self) -> None:
        """Everything ends; then each call was told exactly what was said to it, and each prompt went once."""
        for call_id in self.open_calls:
            self.asked[call_id].is_withdrawn = True
            self.asked[call_id].task.cancel()
        if self.asked:
            await asyncio.wait([each.task for each in self.asked.values()], timeout=HANG_GUARD)
        for asked in self.asked.values():
            if asked.is_withdrawn:
                assert asked.task.cancelled()
            elif isinstance(asked.expected, type):
                assert isinstance(asked.task.result(), asked.expected)
            else:
                assert asked.task.result() == asked.expected
        assert self.broker.pending == ()
        self._check_events()

    def _check_events(self) -> None:
        prompts = [
            event for event in self.events if isinstance(event, PermissionRequested | QuestionAsked | PlanPresented)
        ]
        ends = [
            event for event in self.events if isinstance(event, PermissionResolved | QuestionResolved | PlanResolved)
        ]
        assert Counter(each.request_id for each in prompts) == Counter(each.request_id for each in ends)
        assert max(Counter(each.request_id for each in prompts).values(), default=1) == 1
        origins = {each.request_id: (each.origin, each.tool_call_id) for each in prompts}
        for end in ends:
            assert (end.origin, end.tool_call_id) == origins[end.request_id]
            assert (end.resolution == "withdrawn") is self.asked[end.tool_call_id].is_withdrawn


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("ask"),
            st.sampled_from(("permission", "permission", "question", "plan")),
            st.sampled_from(AGENTS),
            st.sampled_from(COMMANDS),
        ),
        st.tuples(st.just("answer"), st.integers(0, 30), st.sampled_from(("once", "agent", "session", "deny"))),
        st.tuples(st.just("withdraw"), st.integers(0, 30)),
        st.tuples(st.just("step"), st.integers(1, 3)),
    ),
    max_size=40,
)


async def scenario(steps: list[tuple[Any, ...]]) -> None:
    office = Office()
    for step in steps:
        match step:
            case ("ask", kind, agent_id, command):
                await office.ask(kind, agent_id, command)
            case ("answer", number, answer):
                office.answer(number, answer)
            case ("withdraw", number):
                office.withdraw(number)
            case (_, count):
                for _ in range(count):
                    await asyncio.sleep(0)
            case _:
                raise AssertionError(step)
        waiting = [prompt.tool_call_id for prompt in office.broker.pending]
        assert waiting == office.open_calls
    await office.check()


@settings(max_examples=150, derandomize=True, deadline=None)
@given(STEPS)
def test_safe_r9_random_interleavings_lose_double_and_cross_nothing(steps: list[tuple[Any, ...]]) -> None:
    asyncio.run(scenario(steps))


@pytest.mark.soak
@pytest.mark.timeout(1800)
@settings(max_examples=20_000, deadline=None)
@given(STEPS)
def test_soak_random_interleavings(steps: list[tuple[Any, ...]]) -> None:
    asyncio.run(scenario(steps))
