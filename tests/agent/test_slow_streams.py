"""Streams that keep one waiting, through the real transports, by a clock of the test's own: given up, tried again."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager

from code_assistant.events import RequestDelayed, TextDelta
from code_assistant.llm.pace import Pace
from code_assistant.llm.patience import Patience
from code_assistant.llm.rate_gate import RateGate
from code_assistant.llm.retry_policy import RetryPolicy
from tests.agent import harness as harness_module
from tests.agent.harness import Harness, running
from tests.agent.providers import factory
from tests.fakes.clock import ManualClock
from tests.fakes.script import Gate, Scripted, after, comment, hold, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD

QUICK = RetryPolicy(first_delay=0.0, chance=lambda: 0.0)
LIMITS = Patience(first_byte=60, silence=90, no_content=300)


def watched_by(server: ScriptedServer, clock: ManualClock) -> AbstractAsyncContextManager[Harness]:
    pace = Pace(RateGate(clock), LIMITS, clock)
    clients = factory(server.url, harness_module.DEFAULT_TRANSPORT, pace=pace)
    return running(server, clients=clients, retries=QUICK)


async def seen(harness: Harness, text_so_far: str) -> None:
    await harness.until_so(
        lambda: "".join(each.text for each in harness.of(TextDelta)).endswith(text_so_far),
    )


async def given_up(harness: Harness, clock: ManualClock, server: ScriptedServer, seconds: float) -> None:
    """Time passes until the stream is given up, and the request is there a second time."""
    clock.advance(seconds - 1)
    await asyncio.sleep(0)
    assert len(server.requests) == 1
    clock.advance(1)
    async with asyncio.timeout(HANG_GUARD):
        await server.until_requests(2)


def after_first(gate: Gate) -> list[Scripted]:
    return [turn(text("Half more", pieces=["Half", hold(gate), " more"])), turn(text("Whole."))]


async def test_safe_r6_not_a_byte(server: ScriptedServer) -> None:
    gate, clock = Gate(), ManualClock()
    server.script_default([after(gate, turn(text("Late."))), turn(text("In time."))])
    async with watched_by(server, clock) as harness:
        harness.session.send("hi")
        await gate.until_reached()
        await given_up(harness, clock, server, 60)
        await harness.until_so(lambda: bool(harness.finished))
        assert harness.finished[0].answer == "In time."
        gate.open()


async def test_safe_r6_silence_in_the_middle(server: ScriptedServer) -> None:
    gate, clock = Gate(), ManualClock()
    server.script_default(after_first(gate))
    async with watched_by(server, clock) as harness:
        harness.session.send("hi")
        await gate.until_reached()
        await seen(harness, "Half")
        await given_up(harness, clock, server, 90)
        await harness.until_so(lambda: bool(harness.finished))
        assert harness.finished[0].answer == "Whole."
        assert harness.messages[-1].text == "Whole."
        gate.open()


async def test_safe_r6_nothing_but_signs_of_life(server: ScriptedServer) -> None:
    clock = ManualClock()
    gates = [Gate(str(number)) for number in range(8)]
    steps = [step for gate in gates for step in (hold(gate), comment())]
    server.script_default([turn(text("Half", pieces=["Half", *steps])), turn(text("Whole."))])
    async with watched_by(server, clock) as harness:
        harness.session.send("hi")
        await gates[0].until_reached()
        await seen(harness, "Half")
        for gate in gates[:-1]:
            await gate.until_reached()
            clock.advance(40)
            looks = clock.looks
            gate.open()
            # The time of every byte is taken down.
            await clock.until_looks(looks + 1)
        clock.advance(40)
        async with asyncio.timeout(HANG_GUARD):
            await server.until_requests(2)
        await harness.until_so(lambda: bool(harness.finished))
        assert harness.finished[0].answer == "Whole."
        gates[-1].open()


async def test_a_slow_drip_is_read_to_its_end(server: ScriptedServer) -> None:
    clock = ManualClock()
    gates = [Gate(str(number)) for number in range(6)]
    pieces = [piece for number, gate in enumerate(gates) for piece in (f"{number} ", hold(gate))]
    server.script_default([turn(text("", pieces=[*pieces, "end"]))])
    async with watched_by(server, clock) as harness:
        harness.session.send("hi")
        for number, gate in enumerate(gates):
            await gate.until_reached()
            await seen(harness, f"{number} ")
            clock.advance(80)
            gate.open()
        await harness.until_so(lambda: bool(harness.finished))
        assert harness.finished[0].answer == "0 1 2 3 4 5 end"
        assert harness.of(RequestDelayed) == []
    assert len(server.requests) == 1


async def test_interrupted_in_the_silence(server: ScriptedServer) -> None:
    gate, clock = Gate(), ManualClock()
    server.script_default(after_first(gate))
    async with watched_by(server, clock) as harness:
        harness.session.send("hi")
        await gate.until_reached()
        await seen(harness, "Half")
        assert harness.session.interrupt()
        await harness.session.idle()
        assert harness.finished[0].outcome == "interrupted"
        assert clock.waiting == 0
        gate.open()
    assert len(server.requests) == 1
