"""The clock of a bridge: the real one, but while the past is shown again the time that it had then."""

from __future__ import annotations

from collections.abc import Callable


class ReplayClock:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.at: float | None = None

    def __call__(self) -> float:
        return self._clock() if self.at is None else self.at
