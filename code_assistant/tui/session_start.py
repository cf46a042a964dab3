"""Opens the session behind the screen, tells what came of it, and loads what the first answer needs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from code_assistant.tui.changed_files import ChangedFiles
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.core import Core, Failure
from code_assistant.tui.painter import Painter
from code_assistant.tui.prompt_desk import PromptDesk
from code_assistant.tui.setup.offers import Offers
from code_assistant.tui.start import Backstage, HeldPast, OpenedSession, SoFar, Start
from code_assistant.tui.state import ScreenState
from code_assistant.tui.terminal import Terminal
from code_assistant.tui.themes.chosen import ChosenTheme
from code_assistant.tui.ticker import Ticker
from code_assistant.tui.warm_up import turn_on_collector, warm_up

if TYPE_CHECKING:
    from code_assistant.agent.session import Session
    from code_assistant.events import NoticeLevel
    from code_assistant.tui.bridge import Bridge
    from code_assistant.tui.dialogues import Dialogues
    from code_assistant.tui.past.past_desk import PastDesk
    from code_assistant.tui.sending import Sender


class SessionStartHost(Protocol):
    """What is told about a session, or is over when there is none."""

    backstage: Backstage
    bridge: cached_property[Bridge]
    changed_files: ChangedFiles
    chosen_theme: ChosenTheme
    clean: CleanText
    core: Core
    desk: PromptDesk
    dialogues: cached_property[Dialogues]
    painter: Painter
    past: cached_property[PastDesk]
    sender: cached_property[Sender]
    state: ScreenState
    terminal: Terminal
    ticker: Ticker

    def tell(self, text: str, level: NoticeLevel = "info") -> None: ...
    def run_worker(self, work: Awaitable[None], *, group: str, exit_on_error: bool) -> object: ...


class SessionStart:
    """`chosen_model` is None as long as the person has not chosen one on the screen."""

    def __init__(self, host: SessionStartHost) -> None:
        self._host = host
        self.chosen_model: str | None = None
        self.offers = Offers()

    def begin(self, start: Start) -> None:
        """A new session, or the one that the program was started with; before it the question of trust."""
        if self._host.state.is_undecided and start.trust is not None:
            self._host.dialogues.trusting.begin(start, start.trust)
        elif start.resume is None:
            self.open()
        else:
            begun = self._host.past.conversations.begin(start.resume, is_fork=start.fork)
            self._host.run_worker(begun, group="commands", exit_on_error=False)

    def open(self, held: HeldPast | None = None) -> None:
        """A new session, or the one that is held."""
        host = self._host
        host.terminal.show("idle")
        # Never allowed to end the app: a session that fails is told about.
        host.run_worker(host.core.run(host.state.mode, self.chosen_model, held), group="core", exit_on_error=False)
        host.changed_files.look()

    def opened(self, opened: OpenedSession | Failure) -> None:
        if isinstance(opened, Failure):
            self._failed(opened)
            return
        host, state = self._host, self._host.state
        if opened.session.mode != state.mode:
            # Changed while it was being opened: what is shown is what counts, before anything is sent.
            opened.session.set_mode(state.mode)
        state.model, state.context_window = host.clean.line(opened.model), opened.context_window
        state.is_untrusted = not host.backstage.is_trusted
        if opened.so_far is not None:
            self._take_up(opened.session, opened.so_far)
        for words in opened.notices:
            host.tell(words, "warning")
        self.offers = Offers.of(opened)
        self._help_to_set_up(opened)
        host.painter.request()
        host.run_worker(self._warm_up(opened.wanted_soon), group="warming up", exit_on_error=False)
        host.run_worker(self._find_sandbox(opened.session), group="looking", exit_on_error=False)

    def _take_up(self, session: Session, so_far: SoFar) -> None:
        """What is shown of the past says only a part of this."""
        state = self._host.state
        state.usage, state.cost = so_far.usage, so_far.cost
        state.todo = tuple(replace(item, text=self._host.clean.line(item.text)) for item in so_far.todo)
        state.context_tokens = session.context().used

    def _help_to_set_up(self, opened: OpenedSession) -> None:
        host = self._host
        if opened.needs_setup:
            host.dialogues.setup.begin(self.offers)
        elif opened.offline is not None and opened.model == opened.offline.name:
            host.run_worker(host.dialogues.setup.tell_local(self.offers), group="looking", exit_on_error=False)

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

    async def _find_sandbox(self, session: Session) -> None:
        kind = await session.find_sandbox()
        self._host.state.sandbox = kind
        self._host.painter.request()

    async def _warm_up(self, further: Sequence[str]) -> None:
        try:
            await asyncio.to_thread(warm_up, self._host.chosen_theme.palette, further)
        finally:
            turn_on_collector()
