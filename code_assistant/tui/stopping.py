"""What Escape, Ctrl+C, Ctrl+D and signals do: close or clear what is open, copy, interrupt, quit."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Protocol

from textual.screen import Screen
from textual.widget import Widget

from code_assistant.tui.composer.composer import Composer
from code_assistant.tui.core import Core
from code_assistant.tui.keys import shown_key
from code_assistant.tui.terminal import Terminal
from code_assistant.tui.widgets.panel import Panel
from code_assistant.tui.widgets.transcript_view import TranscriptView

SECONDS_TO_PRESS_AGAIN = 2.0
# What a shell adds to the number of the signal that ended a program.
BY_SIGNAL = 128
# Keys make these, too, and then they go to all programs of a terminal.
FROM_KEYS = (signal.SIGINT, signal.SIGQUIT)


class StoppingHost(Protocol):
    """What stopping asks of the app."""

    core: Core
    composer: Composer
    own_keys: dict[str, str]
    terminal: Terminal
    view: TranscriptView

    @property
    def screen(self) -> Screen[object]: ...
    @property
    def focused(self) -> Widget | None: ...
    def copy_to_clipboard(self, text: str) -> None: ...
    def tell(self, text: str) -> None: ...
    def begin_leaving(self, exit_code: int = 0) -> None: ...
    def begin_rewinding(self) -> None: ...


class Stopping:
    def __init__(self, host: StoppingHost, clock: Callable[[], float]) -> None:
        self._host = host
        self._clock = clock
        self._pressed_at = float("-inf")
        self._escaped_at = float("-inf")

    def escape(self) -> None:
        """The innermost first; what a prompt or the composer has open they close themselves."""
        host = self._host
        if host.view.marked is not None or host.view.has_focus:
            host.view.mark(None)
            host.composer.focus()
        elif host.core.session is not None and host.core.session.interrupt():
            self._escaped_at = float("-inf")
        elif host.composer.is_empty:
            self._rewind_on_second_press()

    def stop(self) -> None:
        host, composer = self._host, self._host.composer
        selected = host.screen.get_selected_text()
        if selected:
            host.copy_to_clipboard(selected)
            host.screen.clear_selection()
        elif composer.has_focus and not composer.selection.is_empty:
            composer.action_copy()
            composer.selection = composer.selection.cursor(composer.cursor_location)
        elif isinstance(host.focused, Panel) and host.focused.clear_line():
            pass
        elif not composer.is_empty:
            composer.clear_draft()
        elif host.core.session is None or not host.core.session.interrupt():
            self._quit_on_second_press()

    def quit_if_empty(self) -> None:
        if self._host.composer.is_empty:
            self._host.begin_leaving()

    def end_by_signal(self, number: signal.Signals) -> None:
        """Asked to end from outside. While an editor has the terminal, the keys there are not about us."""
        if not (self._host.terminal.is_away and number in FROM_KEYS):
            self._host.begin_leaving(BY_SIGNAL + number)

    def _rewind_on_second_press(self) -> None:
        now = self._clock()
        if now - self._escaped_at < SECONDS_TO_PRESS_AGAIN:
            self._escaped_at = float("-inf")
            self._host.begin_rewinding()
        else:
            self._escaped_at = now

    def _quit_on_second_press(self) -> None:
        now = self._clock()
        if now - self._pressed_at < SECONDS_TO_PRESS_AGAIN:
            self._host.begin_leaving()
            return
        self._pressed_at = now
        self._host.tell(f"Press {shown_key('stop', self._host.own_keys)} again to quit.")
