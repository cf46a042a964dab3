"""The gate of a provider: who waits there, who tries first, and that nobody waits for somebody who has left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.llm.rate_gate import Passage, RateGate
from tests.fakes.clock import ManualClock
from tests.hang_guard import HANG_GUARD


class Traveller:
    """One request at the gate, moved by the test."""

    def __init__(self, gate: RateGate) -> None:
        self.delays: list[float] = []
        self.passage: Passage | None = None
        self._gate = gate
        self._may_leave = asyncio.Event()
        self.task = asyncio.create_task(self._travel())

    async def _travel(self) -> None:
        async with self._gate.passage(self.delays.append) as passage:
            self.passage = passage
            await self._may_leave.wait()

    @property
    def is_through(self) -> bool:
        return self.passage is not None

    async def leave(self) -> None:
        self._may_leave.set()
        await self.task


@asynccontextmanager
async def travellers(gate: RateGate, number: int) -> AsyncIterator[list[Traveller]]:
    group = [Traveller(gate) for _ in range(number)]
    try:
        await settle()
        yield group
    finally:
        for each in group:
            each.task.cancel()
        await asyncio.gather(*(each.task for each in group), return_exceptions=True)


async def settle() -> None:
    """Let everything that can go on do so: nothing here waits for the world."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_an_open_gate_holds_nobody() -> None:
    async with travellers(RateGate(ManualClock()), 3) as group:
        assert all(each.is_through for each in group)
        assert [each.delays for each in group] == [[], [], []]


async def test_one_tries_first_and_then_all_go_on() -> None:
    clock = ManualClock()
    gate = RateGate(clock)
    gate.close_for(20)
    async with travellers(gate, 8) as group:
        assert [each.delays for each in group] == [[20.0]] * 8
        clock.advance(19)
        await settle()
        assert not any(each.is_through for each in group)
        clock.advance(1)
        await settle()
        first, *others = group
        assert first.is_through
        assert not any(each.is_through for each in others)
        assert all(each.delays[-1] == 0.0 for each in others)
        assert first.passage is not None
        first.passage.accepted()
        await settle()
        assert all(each.is_through for each in group)


async def test_a_try_that_is_refused_closes_it_again() -> None:
    clock = ManualClock()
    gate = RateGate(clock)
    gate.close_for(5)
    async with travellers(gate, 3) as (first, *others):
        clock.advance(5)
        await settle()
        assert first.passage is not None
        first.passage.refused(30)
        await first.leave()
        await settle()
        assert not any(each.is_through for each in others)
        assert all(each.delays == [5.0, 0.0, 30.0] for each in others)
        clock.advance(30)
        await settle()
        assert [each.is_through for each in others] == [True, False]


async def test_one_that_tries_and_is_cancelled_makes_room() -> None:
    clock = ManualClock()
    gate = RateGate(clock)
    gate.close_for(5)
    async with travellers(gate, 3) as (first, second, third):
        clock.advance(5)
        await settle()
        first.task.cancel()
        await settle()
        assert second.is_through
        assert not third.is_through


async def test_requests_under_way_do_not_open_it() -> None:
    clock = ManualClock()
    gate = RateGate(clock)
    async with travellers(gate, 1) as (early,):
        assert early.passage is not None
        gate.close_for(10)
        early.passage.accepted()
        async with travellers(gate, 1) as (late,):
            assert late.delays == [10.0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["arrive", "advance", "accept", "refuse", "leave", "cancel"]), max_size=40))
def test_safe_r8_nobody_is_ever_stuck(steps: list[str]) -> None:
    """Whatever happens in whatever order, in the end everybody gets through."""

    async def play() -> None:
        clock = ManualClock()
        gate = RateGate(clock)
        gate.close_for(3)
        group: list[Traveller] = []
        for step in steps:
            through = [each for each in group if each.is_through and not each.task.done()]
            match step:
                case "arrive":
                    group.append(Traveller(gate))
                case "advance":
                    clock.advance(2)
                case "accept" if through and through[0].passage:
                    through[0].passage.accepted()
                case "refuse" if through and through[-1].passage:
                    through[-1].passage.refused(4)
                case "leave" if through:
                    await through[0].leave()
                case "cancel" if group:
                    group[0].task.cancel()
                    await asyncio.gather(group.pop(0).task, return_exceptions=True)
                case _:
                    pass
            await settle()
        async with asyncio.timeout(HANG_GUARD):
            while any(not each.task.done() for each in group):
                clock.advance(10)
                await settle()
                for each in group:
                    if each.passage is not None and not each.task.done():
                        each.passage.accepted()
                        await each.leave()
        assert clock.waiting == 0

    asyncio.run(play())


async def test_a_limit_that_is_reached_again_meanwhile_stays() -> None:
    """An older request is refused while another one tries: that it is let in does not open the gate for all."""
    clock = ManualClock()
    gate = RateGate(clock)
    gate.close_for(5)
    async with travellers(gate, 3) as (first, *others):
        clock.advance(5)
        await settle()
        gate.close_for(30)
        assert first.passage is not None
        first.passage.accepted()
        await settle()
        assert not any(each.is_through for each in others)
        clock.advance(30)
        await settle()
        assert others[0].is_through
