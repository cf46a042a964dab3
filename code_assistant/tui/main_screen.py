"""The main screen: status, transcript, what is pinned above the composer, the composer, what goes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from code_assistant.tui.composer.composer import Composer
from code_assistant.tui.composer.services import ComposerServices
from code_assistant.tui.frame.activity_line import ActivityLine, Hint
from code_assistant.tui.frame.panels import TAKE_BACK, QueuePanel, TodoPanel
from code_assistant.tui.frame.status_line import StatusLine
from code_assistant.tui.keys import KEYS, bindings, shown_key
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.state import ScreenState
from code_assistant.tui.transcript.transcript import Transcript
from code_assistant.tui.widgets.transcript_view import TranscriptView

# Names of keys, and what is said about them.
IDLE_HINTS = (("mode", "mode"), ("details", "details"), ("palette", "commands"))
WORKING_HINTS = (("interrupt", "interrupt"), ("details", "details"))
HELP_HINT = Hint("?", "keys", "help")


class MainScreen(Screen[None]):
    """Its keys are bound here and not to the app, so that whatever opens over it has keys of its own."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]

    def __init__(
        self, transcript: Transcript, palette: Palette, services: ComposerServices, own_keys: Mapping[str, str]
    ) -> None:
        super().__init__()
        self.status = StatusLine(id="status")
        self.view = TranscriptView(transcript, palette, id="transcript")
        self.todo = TodoPanel(id="todo")
        self.queue = QueuePanel(hint=TAKE_BACK.format(key=shown_key("up", own_keys)), id="queue")
        self.composer = Composer(services, id="composer")
        self.view.home = self.composer
        working, idle = (
            [*(Hint(shown_key(name, own_keys), words, name) for name, words in hints), HELP_HINT]
            for hints in (WORKING_HINTS, IDLE_HINTS)
        )
        prompt_key = shown_key("prompt", own_keys)
        self.activity = ActivityLine(working_hints=working, idle_hints=idle, prompt_key=prompt_key, id="activity")

    def compose(self) -> ComposeResult:
        yield self.status
        yield self.view
        yield self.todo
        yield self.queue
        yield self.composer
        yield self.activity

    def show(self, state: ScreenState, now: float) -> None:
        self.view.take_changes()
        self.status.show(state)
        self.activity.show(state, now)
        self.todo.show(state)
        self.queue.show(state)
