"""How long a stream may keep us waiting: three limits on what its monitor sees, and what happens after them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from code_assistant.errors import StreamBroken
from code_assistant.llm.clock import Clock, Timer
from code_assistant.llm.monitor import StreamMonitor


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds until the first byte, between bytes, and between pieces of content: a ping is a byte, not content."""

    first_byte: float = 60.0
    silence: float = 90.0
    no_content: float = 300.0


class _Watch:
    """Looks at the monitor when the next limit could be over, and tells at most once."""

    def __init__(self, monitor: StreamMonitor, patience: Patience, clock: Clock, give_up: asyncio.Timeout) -> None:
        self._monitor = monitor
        self._patience = patience
        self._clock = clock
        self._give_up = give_up
        self._timer: Timer | None = None
        self.reason = ""

    def look(self) -> None:
        left, reason = min(self._limits())
        if left > 0:
            # Which limit counts changes with the first byte, so that no look may be later than the shortest of them.
            limits = self._patience
            soon = min(left, limits.first_byte, limits.silence, limits.no_content)
            self._timer = self._clock.call_later(soon, self.look)
            return
        self.reason = reason
        self._give_up.reschedule(asyncio.get_running_loop().time())

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _limits(self) -> list[tuple[float, str]]:
        """How many seconds are left of each limit, and what to say when there are none."""
        seen, limits, now = self._monitor, self._patience, self._clock.now()
        if seen.first_byte is None or seen.last_bytes is None:
            return [(seen.started + limits.first_byte - now, f"not a byte came within {limits.first_byte:g} s")]
        content_since = seen.last_content if seen.last_content is not None else seen.first_byte
        return [
            (seen.last_bytes + limits.silence - now, f"nothing came for {limits.silence:g} s"),
            (content_since + limits.no_content - now, f"only signs of life came for {limits.no_content:g} s"),
        ]


@asynccontextmanager
async def watched(monitor: StreamMonitor, patience: Patience, clock: Clock) -> AsyncGenerator[None]:
    """Read a stream inside of this; it raises StreamBroken, and so closes the stream, when that takes too long."""
    watch: _Watch | None = None
    try:
        async with asyncio.timeout(None) as give_up:
            watch = _Watch(monitor, patience, clock, give_up)
            watch.look()
            try:
                yield
            finally:
                watch.stop()
    except TimeoutError as error:
        if watch is None or not watch.reason:
            raise
        raise StreamBroken(f"The model's service kept us waiting: {watch.reason}. Try again.") from error
