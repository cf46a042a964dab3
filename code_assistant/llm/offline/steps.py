"""A plan: a generator that asks for tool calls and ends with an answer. Replaying a conversation finds its next step.

Nothing is remembered between two requests: a plan is begun anew each time and given the results that the conversation
holds, so that it stands where it was.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from code_assistant.messages import JsonObject

MOST_ROUNDS = 40
NOT_OFFERED = "the tool {0} is not available here"
NO_MORE_CALLS = "no more tool calls were allowed"


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Step:
    """Calls that belong into one response, and a few words before them."""

    calls: tuple[Call, ...]
    words: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: its texts, one for each file where it read several. One that was not made has failed."""

    texts: tuple[str, ...]
    failed: bool = False
    was_made: bool = True

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


Outcomes: TypeAlias = tuple[Outcome, ...]
ResultT = TypeVar("ResultT")
Part: TypeAlias = Generator[Step, Outcomes, ResultT]
Plan: TypeAlias = Part[str]


@dataclass(frozen=True, slots=True)
class Round:
    """Calls that were made in one response, with what came of them."""

    calls: tuple[Call, ...]
    outcomes: Outcomes


def advance(plan: Plan, rounds: Sequence[Round], offered: frozenset[str], *, allow_tools: bool) -> Step | str:
    """The next step of a plan, or its answer. Where no tool may be called, what it still asks for fails."""
    past = deque(rounds)
    # A plan ends after a few rounds; where it does not, results do not fit to calls, and calling on would never end.
    may_call = allow_tools and len(rounds) < MOST_ROUNDS
    try:
        step = next(plan)
        while True:
            made = tuple(call for call in step.calls if call.tool in offered)
            if made and past and past[0].calls != made:
                # Another model made them, or the tools have changed since: they answer something else.
                past.clear()
            if made and not past and may_call:
                return Step(made, step.words)
            step = plan.send(_outcomes(step, made, past.popleft() if made and past else None))
    except StopIteration as end:
        return str(end.value)


def _outcomes(step: Step, made: tuple[Call, ...], done: Round | None) -> Outcomes:
    results = iter(done.outcomes if done is not None else (_failure(NO_MORE_CALLS) for _ in made))
    return tuple(next(results) if call in made else _failure(NOT_OFFERED.format(call.tool)) for call in step.calls)


def _failure(words: str) -> Outcome:
    return Outcome((words,), failed=True, was_made=False)
