"""A clock that a test moves by hand: what sleeps on it wakes when it is told to, and in the right order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count

from tests.hang_guard import HANG_GUARD


class _Timer:
    def __init__(self, clock: ManualClock, when: float, number: int, callback: Callable[[], None]) -> None:
        self.when = when
        self.number = number
        self.callback = callback
        self._clock = clock

    def cancel(self) -> None:
        self._clock.forget(self)


class ManualClock:
    def __init__(self) -> None:
        self._now = 1000.0
        self._numbers = count()
        self._timers: list[_Timer] = []
        self._changed = asyncio.Event()
        self.slept: list[float] = []
        self.looks = 0

    def now(self) -> float:
        self.looks += 1
        self._changed.set()
        return self._now

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.slept.append(seconds)
        timer = self.call_later(seconds, lambda: None if woken.done() else woken.set_result(None))
        try:
            await woken
        finally:
            timer.cancel()

    def call_later(self, seconds: float, callback: Callable[[], None]) -> _Timer:
        timer = _Timer(self, self._now + seconds, next(self._numbers), callback)
        self._timers.append(timer)
        self._changed.set()
        return timer

    def forget(self, timer: _Timer) -> None:
        if timer in self._timers:
            self._timers.remove(timer)
        self._changed.set()

    @property
    def waiting(self) -> int:
        return len(self._timers)

    async def until_waiting(self, number: int) -> None:
        """Wait until so many timers and sleepers are there."""
        await self._until(lambda: self.waiting == number)

    async def until_slept(self, number: int) -> None:
        """Wait until so many have gone to sleep in all."""
        await self._until(lambda: len(self.slept) >= number)

    async def until_looks(self, number: int) -> None:
        """Wait until it was looked at so often."""
        await self._until(lambda: self.looks >= number)

    async def _until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(HANG_GUARD):
            while not is_so():
                self._changed.clear()
                await self._changed.wait()

    def advance(self, seconds: float) -> None:
        """Everything that is due by then happens now, the earliest first."""
        end = self._now + seconds
        while due := sorted((each.when, each.number, each) for each in self._timers if each.when <= end):
            when, _, timer = due[0]
            self._now = max(self._now, when)
            self._timers.remove(timer)
            timer.callback()
        self._now = end
        self._changed.set()
