"""Shows what was said before: the end of it at once, the rest as somebody scrolls up to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from code_assistant.session.past import Past, PastPart
from code_assistant.tui.bridge import Bridge
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.painter import Painter
from code_assistant.tui.past.folds import apply_folds
from code_assistant.tui.past.replay_clock import ReplayClock
from code_assistant.tui.state import ScreenState
from code_assistant.tui.transcript.transcript import Transcript

if TYPE_CHECKING:
    from code_assistant.events import Event, ToolFinished, ToolStarted
    from code_assistant.session.lines import Entry
    from code_assistant.tui.agents.agent_desk import AgentDesk
    from code_assistant.tui.agents.screens import AgentScreens

# Requests and prompts: more than a screen holds, and few enough to be there at once.
LAST_SEGMENTS = 40
OLDER_SEGMENTS = 80


class PastHost(Protocol):
    """Where the past is shown."""

    bridge: cached_property[Bridge]
    agent_desk: cached_property[AgentDesk]
    agent_screens: cached_property[AgentScreens]
    bridge_clock: ReplayClock
    clean: CleanText
    painter: Painter
    state: ScreenState
    transcript: Transcript
    is_detailed: bool


@dataclass(frozen=True, slots=True)
class LoadedPast:
    """The end of a past, read and ready to be shown."""

    past: Past
    part: PastPart
    folds: dict[tuple[str, str], bool]


class PastScreen:
    """Of one conversation at a time. What is loaded while another one was chosen is dropped."""

    def __init__(self, host: PastHost) -> None:
        self._host = host
        self.past: Past | None = None
        self._first = 0
        self._folds: dict[tuple[str, str], bool] = {}
        self._loading = asyncio.Lock()

    def forget(self) -> None:
        self.past, self._first, self._folds = None, 0, {}

    @staticmethod
    async def load(past: Past) -> LoadedPast:
        """What is shown of a past at first; raises an AssistantError where it cannot be read."""

        def read() -> LoadedPast:
            return LoadedPast(past, past.part(len(past.segments), LAST_SEGMENTS), dict(past.view().folds))

        return await asyncio.to_thread(read)

    def show(self, loaded: LoadedPast) -> None:
        """In an empty transcript, in one step: nothing of a live session may come in between."""
        host, part = self._host, loaded.part
        self.past, self._first, self._folds = loaded.past, part.first, loaded.folds
        state = host.state
        kept = state.mode, state.model, state.context_window
        self._replay(host.bridge, loaded.past, part)
        state.mode, state.model, state.context_window = kept
        state.working_since, state.activity, state.delay = None, "", None
        state.waiting_prompts = state.waiting_questions = 0
        for block in apply_folds(host.transcript.blocks, self._folds, host.agent_desk.read):
            host.transcript.touch(block)
        host.transcript.has_older = self._first > 0
        host.painter.request(soon=True)

    async def show_older(self) -> None:
        """What came before the part that is shown."""
        async with self._loading:
            past, host = self.past, self._host
            if past is None or not self._first:
                return
            part = await asyncio.to_thread(past.part, self._first, OLDER_SEGMENTS)
            if self.past is not past:
                return
            self._first = part.first
            state = ScreenState(host.state.folder, host.state.model, host.state.mode)
            older = Bridge(Transcript(), state, host.clean, host.bridge_clock)
            older.agents.keeps_open = host.bridge.agents.keeps_open
            self._replay(older, past, part)
            apply_folds(older.transcript.blocks, self._folds, host.agent_desk.read)
            host.bridge.agents.adopt(older.agents)
            host.transcript.has_older = self._first > 0
            host.transcript.put_before(older.transcript.blocks)
            if host.is_detailed:
                host.transcript.unfold_tools(True)
                host.agent_desk.unfold(True)
            host.painter.request(soon=True)

    async def show_all(self) -> None:
        while self.past is not None and self._first:
            await self.show_older()

    async def agent_activity(self, tool_call_id: str) -> tuple[Event, ...]:
        """All that a sub-agent of the past did; for as long as there is no session to ask."""
        past = self.past
        if past is None:
            return ()
        return tuple(entry.event for entry in await asyncio.to_thread(past.agent_entries, tool_call_id))

    async def agent_tool(self, tool_call_id: str, inner_call_id: str) -> tuple[ToolStarted | None, ToolFinished | None]:
        past = self.past
        if past is None:
            return None, None
        return await asyncio.to_thread(past.agent_call, tool_call_id, inner_call_id)

    def _replay(self, bridge: Bridge, past: Past, part: PastPart) -> None:
        if part.first < len(past.segments):
            bridge.begin_prompt(past.segments[part.first].prompt_id)
        try:
            self._take(bridge, part.entries)
            # All of this is over: whoever was still at work, in another program, is not so here.
            bridge.agents.end_all()
        finally:
            self._host.bridge_clock.at = None

    def _take(self, bridge: Bridge, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._host.bridge_clock.at = entry.at
            bridge.take(entry.event)
            if entry.event.origin.depth > 1:
                self._host.agent_screens.count(entry.event)
