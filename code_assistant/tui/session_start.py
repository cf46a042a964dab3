"""Opens the session behind the screen, tells what came of it, and loads what the first answer needs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.core import Core, Failure
from code_assistant.tui.painter import Painter
from code_assistant.tui.prompt_desk import PromptDesk
from code_assistant.tui.start import ModelChoice, OpenedSession
from code_assistant.tui.state import ScreenState
from code_assistant.tui.terminal import Terminal
from code_assistant.tui.themes.chosen import ChosenTheme
from code_assistant.tui.ticker import Ticker
from code_assistant.tui.warm_up import turn_on_collector, warm_up

if TYPE_CHECKING:
    from code_assistant.events import NoticeLevel
    from code_assistant.tui.bridge import Bridge
    from code_assistant.tui.sending import Sender


class SessionStartHost(Protocol):
    """What is told about a session, or is over when there is none."""

    bridge: cached_property[Bridge]
    chosen_theme: ChosenTheme
    clean: CleanText
    core: Core
    desk: PromptDesk
    models: tuple[ModelChoice, ...]
    painter: Painter
    sender: cached_property[Sender]
    state: ScreenState
    terminal: Terminal
    ticker: Ticker

    def tell(self, text: str, level: NoticeLevel = "info") -> None: ...
    def run_worker(self, work: Awaitable[None], *, group: str, exit_on_error: bool) -> object: ...


class SessionStart:
    def __init__(self, host: SessionStartHost) -> None:
        self._host = host

    def open(self) -> None:
        host = self._host
        host.terminal.show("idle")
        # Never allowed to end the app: a session that fails is told about.
        host.run_worker(host.core.run(host.state.mode, host.state.model), group="core", exit_on_error=False)

    def opened(self, opened: OpenedSession | Failure) -> None:
        if isinstance(opened, Failure):
            self._failed(opened)
            return
        host, state = self._host, self._host.state
        if opened.session.mode != state.mode:
            # Changed while it was being opened: what is shown is what counts, before anything is sent.
            opened.session.set_mode(state.mode)
        host.models = opened.models
        state.model, state.context_window = host.clean.line(opened.model), opened.context_window
        for words in opened.notices:
            host.tell(words, "warning")
        host.painter.request()
        host.run_worker(self._warm_up(), group="warming up", exit_on_error=False)

    def _failed(self, failure: Failure) -> None:
        """It could not be opened, or has ended by a fault."""
        host, state = self._host, self._host.state
        turn_on_collector()
        host.desk.clear()
        host.bridge.agents.end_all()
        state.working_since, state.waiting_prompts, state.queue = None, 0, []
        state.waiting_questions = 0
        host.ticker.set_ticking(False)
        host.tell(failure.words, "error")
        host.sender.take_back()

    async def _warm_up(self) -> None:
        try:
            await asyncio.to_thread(warm_up, self._host.chosen_theme.palette)
        finally:
            turn_on_collector()
