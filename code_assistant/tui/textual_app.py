"""Textual's app, changed where what it does by itself would not do here: the theme of the first frame, and faults."""

from __future__ import annotations

from textual.app import App
from textual.worker import Worker, WorkerState

from code_assistant.tui.driver import TerminalDriver
from code_assistant.tui.terminal import Terminal


class TextualApp(App[None], inherit_bindings=False):
    """It has no keys of its own: one of Textual's would quit at once, from everywhere."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, *, ansi_color: bool | None) -> None:
        super().__init__(driver_class=TerminalDriver, ansi_color=ansi_color)
        self.terminal = Terminal(self)

    def begin_with_theme(self, name: str) -> None:
        """The theme of the first frame: setting it while the app starts would parse all of the CSS a second time."""
        if not self.available_themes[name].dark:
            # More than the CSS depends on whether it is dark, as it is taken to be at first.
            self.theme = name
            return
        self.set_reactive(App.theme, name)
        # Of what else a theme decides, only this differs from what the app was made with.
        self._refresh_truecolor_filter(self.ansi_theme)
        self.stylesheet.set_variables(self.get_css_variables())
        self.add_class(f"-theme-{name}", update=False)

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        """A worker that fails must not end the app; it must not pass unseen either."""
        error = message.worker.error  # pyright: ignore[reportUnknownMemberType]
        if message.state is not WorkerState.ERROR or error is None:
            return
        from code_assistant.tui.faults import worker_words

        self.tell_fault(worker_words(error))

    def tell_fault(self, words: str) -> None:
        """Tell the person what has failed, if they are still there."""
        raise NotImplementedError

    @property
    def fault(self) -> Exception | None:
        """What ended the app, if it was nobody's wish."""
        return self._exception

    def fail(self, error: Exception) -> None:
        """End with a fault that was raised where Textual does not look, such as in a timer of the loop."""
        self._handle_exception(error)

    def _fatal_error(self) -> None:
        """Textual's own report shows what is in variables, keys included: whoever runs the app makes a better one."""
        self.terminal.restore()
        self._close_messages_no_wait()
