"""Writes a session down as it happens: one more consumer of its channel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable

from code_assistant.events import (
    AgentFinished,
    AgentSpawned,
    Event,
    Notice,
    PromptQueued,
    PromptStarted,
    PromptWithdrawn,
    ToolStarted,
)
from code_assistant.session.files import SessionFiles

# After so many events in a row others get their turn.
EVENTS_AT_ONCE = 100
# Of sub-agents the file of the session says that they were there and how they ended; the rest is in their own.
OF_AGENTS = (AgentSpawned, AgentFinished, Notice)
# What waits is only a wish, and is the person's again when the program ends.
UNKEPT = (PromptQueued, PromptWithdrawn)
BEGINNINGS = (PromptStarted, ToolStarted)


class SessionRecorder:
    """A session in which nothing was said leaves nothing behind."""

    def __init__(self, files: SessionFiles, *, has_begun: bool = False) -> None:
        self._files = files
        self._has_begun = has_begun
        self._before: list[Event] = []

    async def record(self, events: AsyncIterable[Event]) -> None:
        """Until the channel is closed; then the session's files are, too."""
        count = 0
        try:
            async for event in events:
                self.take(event)
                count += 1
                if count % EVENTS_AT_ONCE == 0:
                    await asyncio.sleep(0)
        finally:
            self._files.close()

    def take(self, event: Event) -> None:
        if isinstance(event, UNKEPT) or (event.origin.depth > 1 and not isinstance(event, OF_AGENTS)):
            return
        if not self._has_begun and not isinstance(event, BEGINNINGS):
            self._before.append(event)
            return
        self._has_begun = True
        for early in self._before:
            self._files.main.write(early)
        self._before.clear()
        self._files.main.write(event)
