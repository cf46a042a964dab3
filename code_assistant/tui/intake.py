"""Takes the events of the session: shares them out, and rings, ticks and paints for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from code_assistant.events import (
    Event,
    PromptFinished,
    PromptReturned,
    PromptStarted,
    PromptWithdrawn,
    RequestStarted,
    TextDelta,
    ThinkingDelta,
)
from code_assistant.tui.changed_files import ChangedFiles
from code_assistant.tui.composer.composer import Composer
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.core import Core
from code_assistant.tui.painter import Painter
from code_assistant.tui.prompt_desk import PromptDesk
from code_assistant.tui.state import ScreenState
from code_assistant.tui.terminal import Terminal
from code_assistant.tui.ticker import Ticker

if TYPE_CHECKING:
    from code_assistant.tui.agents.agent_desk import AgentDesk
    from code_assistant.tui.agents.screens import AgentScreens
    from code_assistant.tui.bridge import Bridge
    from code_assistant.tui.sending import Sender

# Work that took longer than this may have been left alone, so its end is rung for.
SECONDS_BEFORE_BELL = 10.0


class IntakeHost(Protocol):
    """Where events go to, and what they lead to."""

    changed_files: ChangedFiles
    core: Core
    composer: Composer
    desk: PromptDesk
    painter: Painter
    state: ScreenState
    terminal: Terminal
    ticker: Ticker

    bridge: cached_property[Bridge]
    agent_desk: cached_property[AgentDesk]
    agent_screens: cached_property[AgentScreens]
    sender: cached_property[Sender]


class Intake:
    def __init__(self, host: IntakeHost, clock: Callable[[], float]) -> None:
        self._host = host
        self._clock = clock
        self._awaits_words = False
        # What is being worked on, as the person wrote it, and whether it came to nothing.
        self._current: Draft | None = None
        self._is_returned = False

    def take(self, event: Event) -> None:
        if event.origin.depth > 1:
            self._take_of_agent(event)
            return
        host = self._host
        soon = False
        was_working = host.state.working_since
        host.bridge.take(event)
        if host.desk.take(event):
            host.terminal.ring()
        match event:
            case PromptStarted(_, prompt_id):
                self._current, self._is_returned = host.core.forget(prompt_id), False
                host.sender.can_retry = False
                host.ticker.set_ticking(True)
                soon = True
            case RequestStarted():
                self._awaits_words = True
            case TextDelta() | ThinkingDelta():
                soon, self._awaits_words = self._awaits_words, False
            case PromptWithdrawn(_, prompt_id):
                draft = host.core.forget(prompt_id)
                if draft is not None:
                    # Interrupted before it began; what the person takes back is no longer known here.
                    host.composer.take_back((draft,))
            case PromptReturned():
                if self._current is not None:
                    host.composer.take_back((self._current,))
                self._is_returned = True
            case PromptFinished(_, _, outcome):
                # One that went back to the composer is sent from there.
                host.sender.can_retry = outcome == "failed" and not self._is_returned
                host.ticker.set_ticking(host.agent_desk.has_live)
                host.changed_files.look()
                if was_working is not None and self._clock() - was_working > SECONDS_BEFORE_BELL:
                    host.terminal.ring()
            case _:
                pass
        host.painter.request(soon=soon)

    def _take_of_agent(self, event: Event) -> None:
        """What a sub-agent does begins and ends no turn of the person's."""
        host = self._host
        had_live = host.agent_desk.has_live
        host.bridge.take(event)
        host.agent_screens.take(event)
        is_prompt = host.desk.take(event)
        if is_prompt:
            host.terminal.ring()
        if had_live != host.agent_desk.has_live:
            host.ticker.set_ticking(host.agent_desk.has_live or host.state.working_since is not None)
        host.painter.request(soon=is_prompt)
