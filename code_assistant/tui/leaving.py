"""Leaving in good order: nothing survives but the draft."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from code_assistant.tui.app import CodeAssistantApp


class Leaving:
    """Once, whoever wants it and however often."""

    def __init__(self, app: CodeAssistantApp) -> None:
        self._app = app
        self._exit_code = 0
        self.has_begun = False

    def begin(self, exit_code: int = 0) -> None:
        """For those who cannot wait: keys, and signals from outside."""
        if not self.has_begun:
            self._exit_code = exit_code
        self._app.run_worker(self.leave(), group="leaving", exit_on_error=False)

    async def leave(self) -> None:
        """The session is closed and awaited before the app ends."""
        if self.has_begun:
            return
        self.has_begun = True
        app = self._app
        app.ticker.set_ticking(False)
        app.painter.close()
        app.sender.take_back()
        try:
            await app.core.close()
            # What was sent meanwhile.
            app.sender.take_back()
        finally:
            # Only now: until then prompts are withdrawn, each of which looks for the next.
            app.desk.close()
            app.ticker.set_ticking(False)
            app.terminal.restore()
            app.exit(return_code=self._exit_code)
