"""The three limits on how long a stream keeps one waiting, by a clock of the test's own."""

from __future__ import annotations

import asyncio

import pytest

from code_assistant.errors import StreamBroken
from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.patience import Patience, watched
from tests.fakes.clock import ManualClock

LIMITS = Patience(first_byte=60, silence=90, no_content=300)


class Reading:
    """Somebody who reads a stream inside of the watch, until told that it is over."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.monitor = StreamMonitor(self.clock.now)
        self.is_over = asyncio.Event()
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> str:
        async with watched(self.monitor, LIMITS, self.clock):
            await self.is_over.wait()
        return "whole"

    async def pass_time(self, seconds: float) -> None:
        await asyncio.sleep(0)
        self.clock.advance(seconds)
        for _ in range(5):
            await asyncio.sleep(0)

    async def broken(self) -> str:
        with pytest.raises(StreamBroken) as caught:
            await self.task
        assert caught.value.retryable
        return caught.value.person


async def test_safe_r6_the_first_byte() -> None:
    reading = Reading()
    await reading.pass_time(59)
    assert not reading.task.done()
    await reading.pass_time(1)
    assert "not a byte came within 60 s" in await reading.broken()


async def test_safe_r6_silence() -> None:
    reading = Reading()
    await reading.pass_time(50)
    reading.monitor.saw_bytes(10)
    reading.monitor.saw_content()
    await reading.pass_time(89)
    assert not reading.task.done()
    await reading.pass_time(1)
    assert "nothing came for 90 s" in await reading.broken()


async def test_safe_r6_only_signs_of_life() -> None:
    reading = Reading()
    reading.monitor.saw_bytes(10)
    reading.monitor.saw_content()
    for _ in range(14):
        await reading.pass_time(20)
        reading.monitor.saw_bytes(2)
    assert not reading.task.done()
    await reading.pass_time(20)
    assert "only signs of life came for 300 s" in await reading.broken()


async def test_safe_r6_a_slow_but_steady_answer_is_read_to_its_end() -> None:
    reading = Reading()
    for _ in range(100):
        await reading.pass_time(30)
        reading.monitor.saw_bytes(1)
        reading.monitor.saw_content()
    reading.is_over.set()
    assert await reading.task == "whole"
    assert reading.clock.waiting == 0


async def test_cancelled_is_cancelled() -> None:
    reading = Reading()
    await asyncio.sleep(0)
    reading.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading.task
    assert reading.clock.waiting == 0


async def test_a_time_out_of_somebody_else_stays_what_it_is() -> None:
    clock = ManualClock()
    with pytest.raises(TimeoutError):
        async with watched(StreamMonitor(clock.now), LIMITS, clock):
            raise TimeoutError


@pytest.mark.parametrize("first_byte", [60, 600])
async def test_safe_r6_silence_counts_from_the_last_byte_however_long_the_first_may_take(first_byte: int) -> None:
    clock = ManualClock()
    monitor = StreamMonitor(clock.now)

    async def read() -> None:
        async with watched(monitor, Patience(first_byte, 90, 300), clock):
            await asyncio.Event().wait()

    reading = asyncio.create_task(read())
    await asyncio.sleep(0)
    clock.advance(10)
    monitor.saw_bytes(1)
    monitor.saw_content()
    clock.advance(90)
    with pytest.raises(StreamBroken, match="nothing came for 90 s"):
        await reading
