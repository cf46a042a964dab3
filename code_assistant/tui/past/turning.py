"""Turns to another conversation: a new one, an earlier one, or an earlier state of the one that is open."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from code_assistant.session.past import Past
from code_assistant.tui.past.past_screen import LoadedPast
from code_assistant.tui.start import HeldPast
from code_assistant.tui.state import ScreenState

if TYPE_CHECKING:
    from code_assistant.tui.app import CodeAssistantApp

ELSEWHERE = "This conversation was held in {0}. It goes on in {1}: files are looked for and changed there."


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

    async def to_held(self, held: HeldPast, *, is_first: bool) -> None:
        """Go on with an earlier one. Where it `is_first`, what was sent so far is for it."""
        app = self._app
        is_handed_on = False
        try:
            async with self._in_turn:
                loaded = await app.past.screen.load(held.past)
                await self._end_session(is_first=is_first)
                if not app.is_leaving:
                    self._show(loaded)
                    is_handed_on = True
                    app.session_start.open(held)
                    self._tell_folder(held.past)
        finally:
            if not is_handed_on:
                held.release()
                self.open_if_none()

    async def to_view(self, past: Past, refusal: str, *, is_first: bool) -> None:
        """Only look at one."""
        app = self._app
        async with self._in_turn:
            loaded = await app.past.screen.load(past)
            await self._end_session(is_first=is_first)
            if app.is_leaving:
                return
            self._show(loaded)
            app.core.refuse(refusal)
            app.tell(refusal, "warning")
            app.sender.take_back()

    def open_if_none(self) -> None:
        """Nobody may be left without a session because another one could not be had."""
        if not self._app.core.is_running and not self._app.is_leaving:
            self._app.session_start.open()

    def back_to(self, loaded: LoadedPast) -> None:
        """The same session at an earlier message: what it has used, and what it works with, stay."""
        app = self._app
        before = app.state
        self._show(loaded)
        app.state.usage, app.state.cost = before.usage, before.cost
        session = app.core.session
        app.state.context_tokens = session.context().used if session is not None else 0
        app.painter.request()

    async def _end_session(self, *, is_first: bool) -> None:
        if not is_first:
            self._app.sender.take_back()
        await self._app.core.close()

    def _show(self, loaded: LoadedPast) -> None:
        self._clear()
        self._app.past.screen.show(loaded)

    def _tell_folder(self, past: Past) -> None:
        app = self._app
        if past.header.folder and past.header.folder != str(app.folder):
            app.tell(ELSEWHERE.format(past.header.folder, app.folder), "warning")

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
        fresh.is_untrusted = state.is_untrusted
        fresh.sandbox = state.sandbox
        app.state = fresh
        for name in {"bridge", "agent_desk"} & app.__dict__.keys():
            delattr(app, name)
        app.past.screen.forget()
