"""Requests that are sent again: which, when, how often, and that nothing is run or shown twice because of it."""

from __future__ import annotations

import asyncio
from email.utils import formatdate
from itertools import pairwise

import pytest

from code_assistant.events import (
    PromptReturned,
    RequestDelayed,
    RequestStarted,
    ResponseAdded,
    ResponseCut,
    TextDelta,
    ToolStarted,
)
from code_assistant.llm.retry_policy import LONGEST_BACK_OFF, RetryPolicy
from code_assistant.messages import Message, Text
from code_assistant.resuming.conversation import messages_of
from tests.agent.harness import running
from tests.fakes.clock import ManualClock
from tests.fakes.script import Reply, call, cut, error_event, hang_up, no_stop, raw, reset, status, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD

# No jitter, and no wait that a test would feel.
QUICK = RetryPolicy(first_delay=0.0, chance=lambda: 0.0)
STEADY = RetryPolicy(chance=lambda: 0.0)


def refused(code: int, headers: dict[str, str] | None = None, kind: str = "api_error") -> Reply:
    return status(code, kind, "not now", headers)


@pytest.mark.parametrize("code", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_safe_r4_what_may_pass_is_tried_again(server: ScriptedServer, code: int) -> None:
    server.script_default([refused(code), refused(code), turn(text("Here."))])
    async with running(server, retries=QUICK) as harness:
        finished = await harness.ask()
        assert (finished.outcome, finished.answer, finished.turns) == ("completed", "Here.", 1)
        delays = [(each.attempt, each.attempts, each.status) for each in harness.of(RequestDelayed)]
        if code in (429, 529):
            assert len(server.requests) == 3
        else:
            # Without a wait there is nothing to tell.
            assert delays == []
        assert harness.messages == (Message("user", (Text("hi"),)), Message("assistant", (Text("Here."),)))
        assert messages_of(harness.events) == harness.messages
    assert len(server.requests) == 3


@pytest.mark.parametrize("code", [400, 401, 402, 403, 404, 413, 422, 302])
async def test_safe_r4_what_does_not_pass_is_not(server: ScriptedServer, code: int) -> None:
    server.script_default([refused(code, kind="invalid_request_error"), turn(text("Here."))])
    async with running(server, retries=QUICK) as harness:
        assert (await harness.ask()).outcome == "failed"
        assert harness.of(RequestDelayed) == []
    assert len(server.requests) == 1


async def test_safe_r4_at_most_eight_times_and_each_wait_longer(server: ScriptedServer) -> None:
    server.script_default([refused(500)] * 9)
    clock = ManualClock()
    async with running(server, retries=STEADY, clock=clock) as harness:
        harness.session.send("hi")
        for number in range(1, 8):
            await harness.until(RequestDelayed, number)
            await clock.until_waiting(1)
            clock.advance(LONGEST_BACK_OFF)
        await harness.until_so(lambda: bool(harness.finished))
        (finished,) = harness.finished
        assert finished.outcome == "failed"
        assert finished.error is not None
        assert finished.error.endswith("It was tried 8 times.")
        assert clock.slept == [0.5, 1, 2, 4, 8, 16, 32]
        assert [each.attempt for each in harness.of(RequestDelayed)] == [2, 3, 4, 5, 6, 7, 8]
        assert {each.turn for each in harness.of(RequestStarted)} == {1}
    assert len(server.requests) == 8


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "20"}, 20.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after": formatdate(4102444800, usegmt=True)}, None),
        ({"retry-after": "60"}, 60.0),
        ({"retry-after": "61"}, None),
    ],
)
async def test_safe_r4_what_the_service_says_counts(
    server: ScriptedServer, headers: dict[str, str], wait: float | None
) -> None:
    """A minute is waited for; what is longer is for the person to decide."""
    server.script_default([refused(429, headers), turn(text("Here."))])
    async with running(server, retries=STEADY) as harness:
        harness.session.send("hi")
        if wait is None:
            await harness.until_so(lambda: bool(harness.finished))
            error = harness.finished[0].error
            assert error is not None
            assert "Try again after" in error
            assert len(server.requests) == 1
        else:
            delayed = await harness.until(RequestDelayed)
            assert delayed.is_rate_limit
            assert delayed.status == 429
            assert delayed.wait == pytest.approx(wait, abs=0.5)
            harness.session.interrupt()
            await harness.session.idle()


async def test_a_prompt_that_must_wait_too_long_is_given_back(server: ScriptedServer) -> None:
    server.script_default([refused(429, {"retry-after": "3600"}), turn(text("Later."))])
    async with running(server, retries=STEADY) as harness:
        finished = await harness.ask("when?")
        assert (finished.outcome, finished.error_kind) == ("failed", "rate_limit")
        assert [each.prompt_id for each in harness.of(PromptReturned)] == [finished.prompt_id]
        assert harness.agent.history.messages == ()
        await harness.session.idle()
        assert not harness.session.retry()
        assert (await harness.ask("when?")).answer == "Later."
        assert harness.messages[0] == Message("user", (Text("when?"),))
        assert messages_of(harness.events) == harness.messages


async def test_after_tools_ran_the_prompt_stays(server: ScriptedServer) -> None:
    """What was done is not forgotten: the same conversation can go on later."""
    server.script_default(
        [turn(call("echo", {"note": "one"})), refused(429, {"retry-after": "3600"}), turn(text("Done."))]
    )
    async with running(server, retries=STEADY) as harness:
        assert (await harness.ask()).outcome == "failed"
        assert harness.of(PromptReturned) == []
        await harness.session.idle()
        assert harness.session.retry()
        await harness.until_so(lambda: len(harness.finished) == 2)
        assert harness.finished[1].answer == "Done."


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(turn(text("Half an", pieces=["Half", " an"]), cut()), id="cut"),
        pytest.param(turn(text("Half"), reset()), id="reset"),
        pytest.param(turn(text("Half"), no_stop()), id="no stop"),
        pytest.param(turn(text("Half"), error_event("overloaded_error", "busy")), id="overloaded"),
        pytest.param(turn(text("Half"), error_event("api_error", "oops")), id="error"),
        pytest.param(turn(text("Half"), raw(b"data: {nonsense\n\n")), id="nonsense"),
        pytest.param(hang_up(), id="hang up"),
    ],
)
async def test_safe_r5_a_broken_answer_counts_for_nothing(server: ScriptedServer, broken: Reply) -> None:
    server.script_default([broken, turn(text("The whole answer."))])
    async with running(server, retries=QUICK) as harness:
        finished = await harness.ask()
        assert finished.answer == "The whole answer."
        assert harness.messages[-1] == Message("assistant", (Text("The whole answer."),))
        (broken_off,) = harness.of(ResponseCut)
        assert broken_off.is_tried_again
        after = harness.events[harness.events.index(broken_off) :]
        assert "".join(each.text for each in after if isinstance(each, TextDelta)) == "The whole answer."
        assert messages_of(harness.events) == harness.messages
    assert server.requests[0].body == server.requests[1].body


async def test_safe_r5_no_tool_runs_twice(server: ScriptedServer) -> None:
    """Its block was closed, but not the answer: it runs once, from the answer that came whole."""
    server.script_default(
        [turn(call("echo", {"note": "one"}), cut()), turn(call("echo", {"note": "one"})), turn(text("Done."))]
    )
    async with running(server, retries=QUICK) as harness:
        assert (await harness.ask()).answer == "Done."
        assert len(harness.of(ToolStarted)) == 1


async def test_an_answer_that_goes_on_is_not_joined_to_a_broken_piece(server: ScriptedServer) -> None:
    server.script_default(
        [turn(text("One, "), stop="max_tokens"), turn(text("tw"), cut()), turn(text("two.", pieces=["two."]))]
    )
    async with running(server, retries=QUICK) as harness:
        assert (await harness.ask()).answer == "One, two."


async def test_interrupted_while_it_waits(server: ScriptedServer) -> None:
    server.script_default([refused(500), turn(text("Never mind."))])
    clock = ManualClock()
    async with running(server, retries=STEADY, clock=clock) as harness:
        harness.session.send("hi")
        await harness.until(RequestDelayed)
        await clock.until_waiting(1)
        assert harness.session.interrupt()
        async with asyncio.timeout(HANG_GUARD):
            await harness.session.idle()
        assert harness.finished[0].outcome == "interrupted"
        assert clock.waiting == 0
        assert (await harness.ask("again")).answer == "Never mind."
        assert messages_of(harness.events) == harness.messages


async def test_every_request_has_one_end(server: ScriptedServer) -> None:
    server.script_default([refused(503), turn(text("Half"), cut()), turn(text("Whole."))])
    async with running(server, retries=QUICK) as harness:
        await harness.ask()
        marks = [each for each in harness.events if isinstance(each, RequestStarted | ResponseCut | ResponseAdded)]
        for first, second in pairwise(marks):
            assert isinstance(first, RequestStarted) != isinstance(second, RequestStarted)
