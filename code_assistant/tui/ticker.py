"""The spinner and the clocks move while something is worked on; otherwise there is no timer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from textual.timer import Timer

SECONDS_BETWEEN_TICKS = 0.1


class TimerHost(Protocol):
    def set_interval(self, interval: float, callback: Callable[[], None]) -> Timer: ...


class Ticker:
    def __init__(self, host: TimerHost, tick: Callable[[], None]) -> None:
        self._host = host
        self._tick = tick
        self._timer: Timer | None = None

    @property
    def is_ticking(self) -> bool:
        return self._timer is not None

    def set_ticking(self, is_wanted: bool) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if is_wanted:
            self._timer = self._host.set_interval(SECONDS_BETWEEN_TICKS, self._tick)
