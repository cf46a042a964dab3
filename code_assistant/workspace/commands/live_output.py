"""Output as it comes, for people who watch: in few pieces, each small, with what is too much left out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

# Less than 20 pieces a second, the last one included, which does not wait.
SECONDS_BETWEEN = 0.06
MAXIMUM_BYTES = 8_000
# A character has at least one byte, so that this much is always enough to choose from.
_KEPT_CHARACTERS = MAXIMUM_BYTES
# For the line that says what was left out.
_ROOM_FOR_LINE = 100


class LiveOutput:
    """Lives on the event loop; `finish` shows what still waits."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._waiting = ""
        self._left_out = 0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, text: str) -> None:
        self._waiting += text
        excess = len(self._waiting) - _KEPT_CHARACTERS
        if excess > 0:
            self._waiting = self._waiting[excess:]
            self._left_out += excess
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SECONDS_BETWEEN, self._show_waiting)

    def finish(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._show_waiting()

    def _show_waiting(self) -> None:
        self._timer = None
        text = _newest(self._waiting)
        left_out = self._left_out + len(self._waiting) - len(text)
        self._waiting, self._left_out = "", 0
        # On a line of its own, wherever the last piece has ended.
        self._show(f"\n[… {left_out:,} characters left out …]\n{text}" if left_out else text)


def _newest(text: str) -> str:
    data = text.encode("utf-8")
    if len(data) <= MAXIMUM_BYTES - _ROOM_FOR_LINE:
        return text
    return data[-(MAXIMUM_BYTES - _ROOM_FOR_LINE) :].decode("utf-8", "ignore")
