"""The gate in front of one provider: after a rate limit all agents pause there, one tries first, then all go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from code_assistant.llm.clock import Clock, RealClock


class Passage:
    """One request on its way through the gate. Whoever sends it says how it went."""

    def __init__(self, gate: RateGate, *, is_probe: bool) -> None:
        self._gate = gate
        self._is_probe = is_probe
        self._closings = gate.closings

    def accepted(self) -> None:
        """The service takes requests; after a limit everybody may send again, unless it was reached once more since."""
        if not self._is_probe:
            return
        self._is_probe = False
        if self._gate.closings == self._closings:
            self._gate.open()
        else:
            self._gate.let_another_try()

    def refused(self, wait: float) -> None:
        """The service wants nobody to send for so many seconds."""
        self._gate.close_for(wait)

    def leave(self) -> None:
        if self._is_probe:
            self._is_probe = False
            self._gate.let_another_try()


class RateGate:
    """Open, closed until a moment, or tried by one request. Requests under way when it closes are left alone."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or RealClock()
        self._closed_until: float | None = None
        self.closings = 0
        self._is_tried = False
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def passage(self, delayed: Callable[[float], None]) -> AsyncGenerator[Passage]:
        """Wait until a request may be sent, then send it inside of this.

        `delayed` hears for how many seconds at least, each time that this changes; 0 while another one tries.
        """
        passage = await self._enter(delayed)
        try:
            yield passage
        finally:
            passage.leave()

    async def _enter(self, delayed: Callable[[float], None]) -> Passage:
        while self._closed_until is not None:
            left = self._closed_until - self._clock.now()
            if left > 0:
                delayed(left)
                await self._clock.sleep(left)
            elif self._is_tried:
                delayed(0.0)
                await self._changed.wait()
            else:
                self._is_tried = True
                self._changed.clear()
                return Passage(self, is_probe=True)
        return Passage(self, is_probe=False)

    def open(self) -> None:
        self._closed_until = None
        self.let_another_try()

    def close_for(self, wait: float) -> None:
        self.closings += 1
        until = self._clock.now() + wait
        self._closed_until = max(until, self._closed_until or until)

    def let_another_try(self) -> None:
        self._is_tried = False
        self._changed.set()
