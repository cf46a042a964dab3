"""The one paint tick: changes are shown together, keys go first, and nothing ticks when nothing happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

SECONDS_BETWEEN = 0.05
# Somebody is typing: fewer paints, so that a key seldom has to wait for one.
SECONDS_WHILE_TYPING = 0.1
TYPING_SECONDS = 0.5
# A key that has just been pressed is shown before anything else.
SECONDS_FOR_KEY = 0.02


class Painter:
    """`request` may be called as often as one likes; `paint` runs once for all of them.

    A request that is `soon` does not wait for its turn: for what the person waits for, which comes seldom.
    """

    def __init__(self, paint: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._paint = paint
        self._clock = clock
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False
        self._last_paint = float("-inf")
        self._last_key = float("-inf")

    def key_pressed(self) -> None:
        self._last_key = self._clock()

    def request(self, *, soon: bool = False) -> None:
        if self._is_closed:
            return
        if soon and self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._schedule(0 if soon else self._due() - self._clock())

    def close(self) -> None:
        """From now on nothing is painted."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> float:
        now = self._clock()
        is_typing = now - self._last_key < TYPING_SECONDS
        return self._last_paint + (SECONDS_WHILE_TYPING if is_typing else SECONDS_BETWEEN)

    def _schedule(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(max(seconds, 0), self._tick)

    def _tick(self) -> None:
        self._timer = None
        wait = self._last_key + SECONDS_FOR_KEY - self._clock()
        if wait > 0 and self._clock() - self._last_paint < 4 * SECONDS_WHILE_TYPING:
            self._schedule(wait)
            return
        self._last_paint = self._clock()
        self._paint()
