"""What was seen of one stream and when: first byte, any bytes, content. Clocks that give up are built on it."""

from __future__ import annotations

from collections.abc import Callable


class StreamMonitor:
    """Moments are in the injected clock's seconds; None until seen. Pings are bytes but not content."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.started = clock()
        self.first_byte: float | None = None
        self.last_bytes: float | None = None
        self.last_content: float | None = None
        self.byte_count = 0

    def saw_bytes(self, count: int) -> None:
        self.last_bytes = self._clock()
        self.byte_count += count
        if self.first_byte is None:
            self.first_byte = self.last_bytes

    def saw_content(self) -> None:
        self.last_content = self._clock()

    def summary(self) -> str:
        """The stream in numbers, for the debug log."""
        if self.first_byte is None or self.last_bytes is None:
            return f"no byte in {self._clock() - self.started:.3f} s"
        first, last = self.first_byte - self.started, self.last_bytes - self.started
        return f"first byte after {first:.3f} s, last after {last:.3f} s, {self.byte_count} bytes"
