"""Turns to another conversation: a new one, an earlier one, or an earlier state of the one that is open."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from code_assistant.session.past import Past
from code_assistant.tui.state import ScreenState

if TYPE_CHECKING:
    from code_assistant.tui.app import CodeAssistantApp


class Turning:
    """One turn at a time: each ends the session before it with everything that it had started."""

    def __init__(self, app: CodeAssistantApp) -> None:
        self._app = app
        self._in_turn = asyncio.Lock()

    async def to_new(self) -> None:
        """What waited is given back to the person."""
        async with self._in_turn:
            self._app.sender.take_back()
            try:
                await self._app.core.close()
            finally:
                if not self._app.is_leaving:
                    self._clear()
                    self._app.welcome()
                    self._app.session_start.open()

    async def to_past(self, past: Past, *, is_first: bool, refusal: str = "") -> None:
        """Where it `is_first`, what was sent so far is for it. With a `refusal` it is only looked at."""
        app = self._app
        async with self._in_turn:
            if not is_first:
                app.sender.take_back()
            await app.core.close()
            if app.is_leaving:
                return
            self._clear()
            await app.past.screen.show(past)
            if refusal:
                app.core.refuse(refusal)
                app.tell(refusal, "warning")
                app.sender.take_back()
            else:
                app.session_start.open()

    async def back_to(self, past: Past) -> None:
        """The same session at an earlier message: what it has used, and what it works with, stay."""
        app = self._app
        async with self._in_turn:
            before = app.state
            self._clear()
            await app.past.screen.show(past)
            app.state.usage, app.state.cost = before.usage, before.cost
            session = app.core.session
            app.state.context_tokens = session.context().used if session is not None else 0
            app.painter.request()

    def _clear(self) -> None:
        """Nothing is shown any more, and nothing of it is known."""
        app = self._app
        app.sender.can_retry = False
        app.ticker.set_ticking(False)
        app.desk.clear()
        app.transcript.clear()
        # At once: whatever is painted or scrolled until the next tick would look for blocks that are gone.
        app.view.take_changes()
        if "agent_screens" in app.__dict__:
            app.agent_screens.start_over()
        state = app.state
        fresh = ScreenState(state.folder, state.model, state.mode, branch=state.branch)
        fresh.context_window, fresh.changed_files = state.context_window, state.changed_files
        app.state = fresh
        for name in {"bridge", "agent_desk"} & app.__dict__.keys():
            delattr(app, name)
        app.past.screen.forget()
