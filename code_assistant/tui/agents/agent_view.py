"""One sub-agent's whole transcript as data: what was kept of it first, then what comes; each event once, in order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from code_assistant.errors import AssistantError
from code_assistant.events import Event
from code_assistant.tui.agents.agent_transcript import AgentTranscript
from code_assistant.tui.agents.feeds import Feeds
from code_assistant.tui.agents.record import AgentRecord
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.transcript.transcript import Transcript

# What was kept may be long: it is taken in slices, so that keys are not kept waiting.
SLICE_SECONDS = 0.01
NOT_ALL_KEPT = "Not everything that it did before was kept; what follows is whole."

Read: TypeAlias = Callable[[str], Awaitable[tuple[Event, ...]]]


class AgentView:
    """Listens from the moment it is made; `load` brings what was before that, and must be awaited once.

    Of the kept events exactly those are taken that the screen had seen at that moment, and then the pieces it had
    seen of what was open. Everything later comes by itself, and waits until these have been taken. So it does not
    matter how far the kept events have got when they are read.
    """

    def __init__(
        self,
        record: AgentRecord,
        feeds: Feeds,
        clean: CleanText,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.record = record
        self.transcript = Transcript()
        self.is_loaded = False
        self._feeds = feeds
        self._writer = AgentTranscript(self.transcript, clean, clock)
        self._waiting: list[Event] = []
        self._seen = feeds.listen(record.id, self._take)

    async def load(self, read: Read) -> None:
        kept: tuple[Event, ...] = ()
        try:
            kept = await read(self.record.id)
        except AssistantError as error:
            self._writer.say("error", error.person)
        if len(kept) < self._seen.count:
            self._writer.say("warning", NOT_ALL_KEPT)
        await self._take_all(kept[: self._seen.count])
        await self._take_all(self._seen.pieces)
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            await self._take_all(waiting)
        self.is_loaded = True
        if not self.record.is_live:
            self._tell_unread()

    def close(self) -> None:
        self._feeds.leave(self.record.id, self._take)

    def ended(self) -> None:
        """The agent has ended: whatever it has not read, it never will."""
        if self.is_loaded:
            self._tell_unread()

    def say_warning(self, text: str) -> None:
        self._writer.say("warning", text)

    async def _take_all(self, events: tuple[Event, ...] | list[Event]) -> None:
        began = time.monotonic()
        for event in events:
            self._writer.take(event)
            if time.monotonic() - began > SLICE_SECONDS:
                await asyncio.sleep(0)
                began = time.monotonic()

    def _take(self, event: Event) -> None:
        if self.is_loaded:
            self._writer.take(event)
        else:
            self._waiting.append(event)

    def _tell_unread(self) -> None:
        """As blocks of their own, so that they can be copied."""
        if self.record.unread:
            self._writer.say("warning", f"{self.record.name} ended before it read this:")
        for text in self.record.unread:
            self._writer.add_words(text)
