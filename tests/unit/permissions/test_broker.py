"""The broker: prompts wait in order, each takes one answer, and an answer changes just what it should."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from code_assistant.events import (
    Choice,
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
from code_assistant.permissions.broker import DISMISSED, KEEP_PLANNING, SAID_NO, Broker
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.person import Answered, NotAnswered, Plan, PlanApproved, PlanRejected, Question
from code_assistant.permissions.rule_book import RuleBook
from tests.hang_guard import HANG_GUARD
from tests.unit.permissions.support import ANCHORS, agent, command, delete, fetch

ORIGIN = agent("main")
QUESTION = Question(ORIGIN, "call", "Which?", (Choice("A", "the first"), Choice("B")), several=True)
PLAN = Plan(ORIGIN, "call", "1. do it")


@dataclass
class Desk:
    """A broker, what it publishes, and a gate before it."""

    events: list[Event] = field(default_factory=list[Event])

    def __post_init__(self) -> None:
        book = RuleBook(ANCHORS)
        self.broker = Broker(self.events.append, book)
        self.gate = Gate(self.broker, book)

    @property
    def first(self) -> str:
        return self.broker.pending[0].request_id

    @asynccontextmanager
    async def waiting(self, *asking: Awaitable[object]) -> AsyncGenerator[list[asyncio.Task[object]]]:
        """Tasks that wait for the person, in this order."""
        tasks = [asyncio.ensure_future(each) for each in asking]
        await asyncio.sleep(0)
        assert len(self.broker.pending) == len(tasks)
        try:
            yield tasks
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=HANG_GUARD)
            assert self.broker.pending == ()


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_a_prompt_carries_all_that_a_person_must_see(desk: Desk) -> None:
    asked = PermissionRequest(
        agent("child"), "call-7", "execute_command", CommandAccess("ls"), "run", "ls", form="output"
    )
    async with desk.waiting(desk.broker.decide(asked), desk.broker.answer(QUESTION), desk.broker.review(PLAN)):
        permission, question, plan = desk.broker.pending
        assert permission == PermissionRequested(
            agent("child"), permission.request_id, "call-7", "execute_command", "run", "ls", "output", "Bash(ls)"
        )
        assert question == QuestionAsked(ORIGIN, question.request_id, "call", "Which?", QUESTION.choices, True)
        assert plan == PlanPresented(ORIGIN, plan.request_id, "call", "1. do it")
        assert desk.events == [permission, question, plan]
        assert len({each.request_id for each in desk.broker.pending}) == 3


PERMISSION_ANSWERS = [
    ("once", "", Decision(True), "once"),
    ("agent", "", Decision(True, by_rule="Bash(make)"), "agent"),
    ("session", "", Decision(True, by_rule="Bash(make)"), "session"),
    ("deny", "", Decision(False, SAID_NO, denied_by="you"), "denied"),
    ("deny", "  ", Decision(False, SAID_NO, denied_by="you"), "denied"),
    ("deny", " use ninja ", Decision(False, f"{SAID_NO}: use ninja", denied_by="you"), "denied"),
]


@pytest.mark.parametrize(("answer", "reason", "decision", "resolution"), PERMISSION_ANSWERS)
async def test_each_answer_to_a_permission_prompt(
    desk: Desk, answer: PermissionAnswer, reason: str, decision: Decision, resolution: str
) -> None:
    async with desk.waiting(desk.gate.decide(command("make"))) as (task,):
        request_id = desk.first
        assert desk.broker.answer_permission(request_id, answer, reason)
        assert desk.broker.pending == ()
        assert await task == decision
    resolved = desk.events[-1]
    assert isinstance(resolved, PermissionResolved)
    assert (resolved.request_id, resolved.resolution, resolved.reason) == (request_id, resolution, reason)
    assert len(desk.events) == 2


# Who asks the same thing again after "make" of the agent `first` was answered, and whether that needs the person.
AFTERWARDS = [
    ("once", {"first": False, "second": False, "main": False}),
    ("agent", {"first": True, "second": False, "main": False}),
    ("session", {"first": True, "second": True, "main": True}),
    ("deny", {"first": False, "second": False, "main": False}),
]


@pytest.mark.parametrize(("answer", "allowed"), AFTERWARDS)
async def test_always_is_for_exactly_whom_it_was_said(
    desk: Desk, answer: PermissionAnswer, allowed: dict[str, bool]
) -> None:
    async with desk.waiting(desk.gate.decide(command("make", "first"))):
        assert desk.broker.answer_permission(desk.first, answer)
    for agent_id, expected in allowed.items():
        decision = desk.gate.settled(command("make", agent_id))
        assert (decision is not None and decision.allowed) is expected
        assert desk.gate.settled(command("make all", agent_id)) is None


async def test_always_is_once_where_there_is_no_rule_to_store(desk: Desk) -> None:
    for asked in (command("make\u200b"), delete("a")):
        async with desk.waiting(desk.gate.decide(asked)) as (task,):
            prompt = desk.broker.pending[0]
            assert isinstance(prompt, PermissionRequested)
            assert prompt.rule is None
            assert desk.broker.answer_permission(desk.first, "session")
            assert await task == Decision(True)
        assert isinstance(desk.events[-1], PermissionResolved)
        assert desk.events[-1].resolution == "once"
        assert desk.gate.settled(asked) is None


async def test_the_answers_to_a_question(desk: Desk) -> None:
    async with desk.waiting(desk.broker.answer(QUESTION), desk.broker.answer(QUESTION)) as (answered, dismissed):
        first, second = (each.request_id for each in desk.broker.pending)
        assert desk.broker.dismiss_question(second)
        assert desk.broker.answer_question(first, "B")
        assert await answered == Answered("B")
        assert await dismissed == NotAnswered(DISMISSED)
    assert desk.events[2:] == [
        QuestionResolved(ORIGIN, second, "call", "dismissed"),
        QuestionResolved(ORIGIN, first, "call", "answered", "B"),
    ]


async def test_the_answers_to_a_plan(desk: Desk) -> None:
    plans = [desk.broker.review(PLAN) for _ in range(3)]
    async with desk.waiting(*plans) as (approved, changed, rejected):
        first, second, third = (each.request_id for each in desk.broker.pending)
        assert desk.broker.approve_plan(first, "accept-edits")
        assert desk.broker.reject_plan(second, " more tests ")
        assert desk.broker.reject_plan(third)
        assert await approved == PlanApproved("accept-edits")
        assert await changed == PlanRejected(f"{KEEP_PLANNING} more tests")
        assert await rejected == PlanRejected(KEEP_PLANNING)
    assert desk.events[3:] == [
        PlanResolved(ORIGIN, first, "call", "approved", "accept-edits"),
        PlanResolved(ORIGIN, second, "call", "rejected", None, " more tests "),
        PlanResolved(ORIGIN, third, "call", "rejected"),
    ]


ANSWERS: dict[str, Callable[[Broker, str], bool]] = {
    "once": lambda broker, request_id: broker.answer_permission(request_id, "once"),
    "agent": lambda broker, request_id: broker.answer_permission(request_id, "agent"),
    "session": lambda broker, request_id: broker.answer_permission(request_id, "session"),
    "deny": lambda broker, request_id: broker.answer_permission(request_id, "deny"),
    "answer": lambda broker, request_id: broker.answer_question(request_id, "text"),
    "dismiss": lambda broker, request_id: broker.dismiss_question(request_id),
    "approve": lambda broker, request_id: broker.approve_plan(request_id, "ask"),
    "reject": lambda broker, request_id: broker.reject_plan(request_id, "no"),
}
FITTING = {"permission": {"once", "agent", "session", "deny"}, "question": {"answer", "dismiss"}}
FITTING["plan"] = {"approve", "reject"}


@pytest.mark.parametrize("kind", FITTING)
async def test_safe_r9_an_answer_of_the_wrong_kind_or_with_a_wrong_id_changes_nothing(desk: Desk, kind: str) -> None:
    asking = {
        "permission": desk.gate.decide(command("make")),
        "question": desk.broker.answer(QUESTION),
        "plan": desk.broker.review(PLAN),
    }
    async with desk.waiting(asking.pop(kind)) as (task,):
        before = (desk.broker.pending, list(desk.events))
        for name, give in ANSWERS.items():
            for request_id in ("", "permission_0", desk.first.upper(), desk.first[:-1]):
                assert not give(desk.broker, request_id)
            if name not in FITTING[kind]:
                assert not give(desk.broker, desk.first)
        assert (desk.broker.pending, desk.events) == before
        await asyncio.sleep(0)
        assert not task.done()
    for unused in asking.values():
        unused.close()


@pytest.mark.parametrize("name", ANSWERS)
async def test_safe_r9_a_second_answer_is_refused_and_changes_nothing(desk: Desk, name: str) -> None:
    asked = {"permission": command("make"), "question": QUESTION, "plan": PLAN}
    kind = next(kind for kind, names in FITTING.items() if name in names)
    wait = {"permission": desk.gate.decide, "question": desk.broker.answer, "plan": desk.broker.review}[kind]
    async with desk.waiting(wait(asked[kind])) as (task,):  # pyright: ignore[reportArgumentType]
        request_id = desk.first
        assert ANSWERS[name](desk.broker, request_id)
        events = list(desk.events)
        for give in ANSWERS.values():
            assert not give(desk.broker, request_id)
        reply = await task
        for give in ANSWERS.values():
            assert not give(desk.broker, request_id)
        assert desk.events == events
    if name in ("once", "deny"):
        assert desk.gate.settled(command("make")) is None, f"the late answers stored a rule beside {reply}"


@pytest.mark.parametrize("answer", ["once", "agent", "session", "deny"])
async def test_safe_r9_an_answer_in_the_moment_of_the_cancellation_is_stale(
    desk: Desk, answer: PermissionAnswer
) -> None:
    async with desk.waiting(desk.gate.decide(command("make"))) as (task,):
        request_id = desk.first
        task.cancel()
        # The task has not run yet; nobody waits for the answer any more.
        assert desk.broker.pending == ()
        assert not desk.broker.answer_permission(request_id, answer)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not desk.broker.answer_permission(request_id, answer)
    assert [type(event) for event in desk.events] == [PermissionRequested, PermissionResolved]
    assert isinstance(desk.events[1], PermissionResolved)
    assert desk.events[1].resolution == "withdrawn"
    assert desk.gate.settled(command("make")) is None


async def test_a_cancellation_in_the_moment_of_the_answer_resolves_once(desk: Desk) -> None:
    async with desk.waiting(desk.gate.decide(command("make"))) as (task,):
        assert desk.broker.answer_permission(desk.first, "once")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert [type(event) for event in desk.events] == [PermissionRequested, PermissionResolved]
    assert isinstance(desk.events[1], PermissionResolved)
    assert desk.events[1].resolution == "once"


async def test_the_end_of_one_call_leaves_the_prompts_of_others(desk: Desk) -> None:
    asking = [desk.gate.decide(fetch("example.org", each)) for each in ("first", "second", "third")]
    async with desk.waiting(*asking) as (first, second, third):
        order = [each.request_id for each in desk.broker.pending]
        second.cancel()
        await asyncio.wait([second], timeout=HANG_GUARD)
        assert [each.request_id for each in desk.broker.pending] == [order[0], order[2]]
        assert desk.broker.answer_permission(order[0], "deny")
        assert await first == Decision(False, SAID_NO, denied_by="you")
        assert not third.done()
        assert desk.first == order[2]


async def test_a_prompt_that_cannot_be_published_does_not_stay_open() -> None:
    class Broken(Exception):
        pass

    def publish(event: Event) -> None:
        if isinstance(event, QuestionAsked):
            raise Broken

    broker = Broker(publish, RuleBook(ANCHORS))
    with pytest.raises(Broken):
        await broker.answer(QUESTION)
    assert broker.pending == ()
