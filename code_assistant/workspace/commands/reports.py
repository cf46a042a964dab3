"""What the keeper of a command has told so far."""

from __future__ import annotations

import asyncio
import os
import time

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.commands.ending import Ending
from code_assistant.workspace.commands.supervision.wire import EXITED, FAILED, FORSAKEN, LEFT_RUNNING, STARTED


class Reports:
    def __init__(self) -> None:
        self.has_started = asyncio.Event()
        self.shell: int | None = None
        self.status: int | None = None
        self.ended_at: float | None = None
        self._failure: int | None = None
        self._left_running = False
        self._is_forsaken = False
        self._rest = b""

    def add(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(line)

    def ending(self, began: float, *, was_ended: bool, may_live_on: bool) -> Ending:
        """Raises WorkspaceError for what never began; `was_ended` when its end was our own doing."""
        if self._failure is not None:
            raise WorkspaceError(f"The command could not be started: {os.strerror(self._failure)}.")
        self.ended_at = self.ended_at or time.monotonic()
        return Ending(
            self.status,
            self.ended_at - began,
            self._left_running,
            watch_was_killed=self._is_forsaken or (self.status is None and not was_ended),
            may_live_on=may_live_on,
        )

    def _take(self, line: bytes) -> None:
        word, _, number = line.partition(b" ")
        if word == STARTED:
            self.shell = int(number)
            self.has_started.set()
        elif word == EXITED:
            self.status = os.waitstatus_to_exitcode(int(number))
            self.ended_at = time.monotonic()
        elif word == FAILED:
            self._failure = int(number)
        elif word == LEFT_RUNNING:
            self._left_running = True
        elif word == FORSAKEN:
            self._is_forsaken = True
