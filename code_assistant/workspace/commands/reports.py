"""What the keeper of a command has told so far."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.commands.ending import Ending
from code_assistant.workspace.commands.supervision.wire import (
    BEGUN,
    EXITED,
    FAILED,
    FORSAKEN,
    GONE,
    LEFT_RUNNING,
    LINK_CHANGED,
    NO_FOLDER,
    SESSION,
    STARTED,
    WALL_LOST,
)

NO_FOLDER_WORDS = "The command could not be started: its folder is no longer what it was when it was looked at ({0})."
FAILED_WORDS = "The command could not be started: {0}."
TOO_EARLY_WORDS = "The command was ended before it began."
LOST_WORDS = "The process that was to look after the command was killed before it could say that the command runs."


class Reports:
    """`has_started` is set when it runs; `when_begun` is called as soon as something of it can."""

    def __init__(self, has_started: asyncio.Event) -> None:
        self._has_started = has_started
        self.when_begun: Callable[[], None] = lambda: None
        self.is_over = False
        self.session: int | None = None
        self.was_started = False
        self._has_begun = False
        self.status: int | None = None
        self.ended_at: float | None = None
        # The number of a wall that could not be kept, because of which it was ended.
        self.lost_wall: int | None = None
        self.changed_link = False
        self._failure: str | None = None
        self._left_running = False
        self._is_forsaken = False
        self._rest = b""

    def add(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            word, _, number = line.partition(b" ")
            self._take(word, int(number))

    @property
    def never_ran(self) -> bool:
        """Whether it is certain that nothing of it has run and nothing will."""
        return self.is_over and not self._has_begun

    @property
    def never_had_walls(self) -> bool:
        """It never ran because of its walls: they were not those of the plan, or bubblewrap gave up.

        One that somebody killed while it was set up was meant to end.
        """
        gave_up = self.status is not None and self.status > 0 and not self._is_forsaken
        return self.never_ran and self.was_started and (self.lost_wall is not None or gave_up)

    def ending(self, began: float, *, was_ended: bool, may_live_on: bool) -> Ending:
        """Raises WorkspaceError for what never began; `was_ended` when its end was our own doing."""
        if self._failure is None and not self.was_started:
            self._failure = TOO_EARLY_WORDS if was_ended else LOST_WORDS
        if self._failure is not None:
            raise WorkspaceError(self._failure)
        self.ended_at = self.ended_at or time.monotonic()
        return Ending(
            self.status,
            self.ended_at - began,
            self._left_running,
            watch_was_killed=self._is_forsaken or (self.status is None and not was_ended),
            may_live_on=may_live_on,
        )

    def _take(self, word: bytes, number: int) -> None:
        if word == SESSION:
            self.session = number
        elif word == STARTED:
            self.was_started = True
        elif word == BEGUN:
            self._has_begun = True
            self.when_begun()
        elif word == EXITED:
            self.status = os.waitstatus_to_exitcode(number)
            self.ended_at = time.monotonic()
        elif word == LEFT_RUNNING:
            self._left_running = True
        elif word == FORSAKEN:
            self._is_forsaken = True
        elif word == LINK_CHANGED:
            self.changed_link = True
        elif word == WALL_LOST:
            self.lost_wall = number
        elif word == GONE:
            self.is_over = True
        elif word in (FAILED, NO_FOLDER):
            words = FAILED_WORDS if word == FAILED else NO_FOLDER_WORDS
            self._failure = words.format(os.strerror(number))
            self.is_over = True
        if self.was_started and self._has_begun:
            self._has_started.set()
