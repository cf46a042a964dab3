"""Sub-agents under a rate limit: all pause at one gate, one tries first, all finish, and each can be cancelled."""

from __future__ import annotations

import asyncio
from pathlib import Path

from code_assistant.events import AgentActivityChanged, AgentFinished, RequestDelayed
from code_assistant.llm.pace import Pace
from code_assistant.llm.patience import Patience
from code_assistant.llm.provider import ClientFactory
from code_assistant.llm.rate_gate import RateGate
from code_assistant.llm.retry_policy import RetryPolicy
from tests.agent.providers import factory
from tests.agent.subagents.support import results, spawn, spawning
from tests.fakes.clock import ManualClock
from tests.fakes.script import Gate, Reply, after, hold, status, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD

STEADY = RetryPolicy(chance=lambda: 0.0)
CHILDREN = 8
LIMIT = status(429, "rate_limit_error", "slow down", {"retry-after": "20"})


def at_one_gate(server: ScriptedServer, clock: ManualClock) -> ClientFactory:
    """The gate's time is the test's; streams have a limit that no test reaches."""
    return factory(server.url, pace=Pace(RateGate(clock), Patience(10**6, 10**6, 10**6), clock))


async def test_safe_r4_eight_under_one_limit(server: ScriptedServer, tmp_path: Path) -> None:
    """All are refused, one goes first when the time is over, and the others only after it was let in."""
    clock = ManualClock()
    probe = Gate("probe")
    first_again: list[str] = []

    def again(number: int) -> Reply:
        first_again.append(f"look {number}")
        answer = turn(text(f"Seen {number}."))
        return after(probe, answer) if len(first_again) == 1 else answer

    for number in range(CHILDREN):
        server.script(f"look {number}", [LIMIT, lambda _, number=number: again(number)])
    server.script_default([turn(*(spawn(f"look {number}") for number in range(CHILDREN))), turn(text("ok"))])
    async with spawning(server, tmp_path, retries=STEADY, clients=at_one_gate(server, clock)) as harness:
        harness.session.send("go")
        await clock.until_slept(CHILDREN)
        await harness.until(RequestDelayed, CHILDREN)
        assert len(server.requests) == 1 + CHILDREN
        delays = [each for each in harness.of(RequestDelayed) if each.origin.depth == 2]
        assert {each.origin.name for each in delays} == {f"helper-{number + 1}" for number in range(CHILDREN)}
        assert all(each.is_rate_limit and each.wait == 20 and each.attempt == 2 for each in delays)
        waiting = [each for each in harness.of(AgentActivityChanged) if each.activity == "waiting for a rate limit"]
        assert len(waiting) == CHILDREN
        clock.advance(20)
        await probe.until_reached()
        # Everybody else is told that somebody tries, and sends nothing before that was let in.
        await harness.until_so(lambda: sum(each.wait == 0 for each in harness.of(RequestDelayed)) == CHILDREN - 1)
        assert len(first_again) == 1
        probe.open()
        await harness.session.idle()
        assert results(harness) == [f"Seen {number}." for number in range(CHILDREN)]
        assert {each.status for each in harness.of(AgentFinished)} == {"completed"}
        assert all(each.turns == 1 for each in harness.of(AgentFinished))
    assert len(server.requests) == 2 + 2 * CHILDREN


async def test_cancelled_while_it_waits(server: ScriptedServer, tmp_path: Path) -> None:
    clock = ManualClock()
    for name in ("one", "two"):
        server.script(f"look {name}", [LIMIT, turn(text(f"Seen {name}."))])
    server.script_default([turn(spawn("look one", "c1"), spawn("look two", "c2")), turn(text("ok"))])
    async with spawning(server, tmp_path, retries=STEADY, clients=at_one_gate(server, clock)) as harness:
        harness.session.send("go")
        await clock.until_slept(2)
        assert harness.session.cancel_agent("c1")
        assert (await harness.until(AgentFinished)).status == "cancelled"
        clock.advance(20)
        await harness.session.idle()
        assert results(harness) == ["Sub-agent cancelled by user.", "Seen two."]


async def test_the_one_that_tries_is_cancelled(server: ScriptedServer, tmp_path: Path) -> None:
    """Then another one tries: nobody waits for somebody who is gone."""
    clock = ManualClock()
    silent = Gate("silent")
    server.script("look one", [LIMIT, after(silent, turn(text("late")))])
    later = Gate("later")
    server.script("look three", [after(later, LIMIT), turn(text("Seen three."))])
    server.script_default(
        [turn(spawn("look one", "c1"), spawn("look three", "c3")), turn(text("ok"))],
    )
    async with spawning(server, tmp_path, retries=STEADY, clients=at_one_gate(server, clock)) as harness:
        harness.session.send("go")
        await clock.until_slept(1)
        later.open()
        await clock.until_slept(2)
        clock.advance(20)
        await server.until_requests(4)
        # Who came first tries first.
        await silent.until_reached()
        assert server.requests[-1].conversation == "look one"
        assert harness.session.cancel_agent("c1")
        async with asyncio.timeout(HANG_GUARD):
            await harness.session.idle()
        assert results(harness) == ["Sub-agent cancelled by user.", "Seen three."]
        silent.open()


async def test_a_child_has_retries_of_its_own(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("look", [status(500, "api_error", "oops"), turn(text("Never."))])
    server.script_default([turn(spawn("look", max_request_retries=0, request_retry_delay=1)), turn(text("ok"))])
    async with spawning(server, tmp_path, retries=STEADY) as harness:
        await harness.ask("go")
        assert results(harness)[0].startswith("Sub-agent ended: failed.")
        assert len(server.requests) == 3


async def test_the_delay_of_its_own(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("look", [status(500, "api_error", "oops"), turn(text("Seen."))])
    server.script_default([turn(spawn("look", request_retry_delay=7)), turn(text("ok"))])
    async with spawning(server, tmp_path, retries=STEADY) as harness:
        await harness.ask("go")
        (delayed,) = harness.of(RequestDelayed)
        assert delayed.wait == 0.007
        assert results(harness) == ["Seen."]


async def test_a_limit_reached_in_the_middle_of_an_answer(server: ScriptedServer, tmp_path: Path) -> None:
    """A sibling that is being answered goes on; who is refused waits, and the answer is there once."""
    clock = ManualClock()
    slow = Gate("slow")
    server.script("look one", [turn(text("Seen one.", pieces=["Seen", hold(slow), " one."]))])
    server.script("look two", [LIMIT, turn(text("Seen two."))])
    server.script_default([turn(spawn("look one"), spawn("look two")), turn(text("ok"))])
    async with spawning(server, tmp_path, retries=STEADY, clients=at_one_gate(server, clock)) as harness:
        harness.session.send("go")
        await slow.until_reached()
        await clock.until_slept(1)
        slow.open()
        await harness.until(AgentFinished)
        clock.advance(20)
        await harness.session.idle()
        assert results(harness) == ["Seen one.", "Seen two."]
