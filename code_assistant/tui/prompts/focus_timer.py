"""The one timer that moves focus into a prompt by itself; there is none while nothing waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from code_assistant.tui.prompts.safe_typing import SafeTyping


class FocusTimer:
    """`check` may be called as often as one likes. `move` puts the focus into the panel of a prompt at once.

    It gives False where that is not possible, such as below another screen; then the next change tries again.
    """

    def __init__(self, safe_typing: SafeTyping, clock: Callable[[], float], move: Callable[[str], bool]) -> None:
        self._safe_typing = safe_typing
        self._clock = clock
        self._move = move
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_waiting(self) -> bool:
        return self._timer is not None

    def check(self) -> None:
        if self._timer is None:
            self._wait()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self) -> None:
        move = self._safe_typing.next_move()
        if move is not None:
            # Keys only put it off, so a timer that is there already needs no change: it looks again when it ends.
            self._timer = asyncio.get_running_loop().call_later(max(move.at - self._clock(), 0), self.look)

    def look(self) -> None:
        """Move if it is time, else wait on."""
        self.close()
        move = self._safe_typing.next_move()
        if move is None:
            return
        if move.at > self._clock():
            self._wait()
        elif self._move(move.request_id):
            self._safe_typing.focus_moved(move.request_id)
