"""Shows the lines of a file that somebody refers to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from code_assistant.errors import AssistantError
from code_assistant.tui.agents.agent_screen import AgentScreen
from code_assistant.tui.pickers.file_lines import LinesScreen, lines_title
from code_assistant.tui.pickers.picker import Picker, PickerRow
from code_assistant.tui.rendering.references import FilePlace, places_in
from code_assistant.tui.start import FileLines

if TYPE_CHECKING:
    from code_assistant.tui.app import CodeAssistantApp
    from code_assistant.tui.start import Backstage

TAB_CELLS = 4


class FileOpener:
    def __init__(self, app: CodeAssistantApp, backstage: Backstage) -> None:
        self._app = app
        self._backstage = backstage

    def open(self, place: FilePlace) -> None:
        self._app.run_worker(self._open(place), group="reading", exclusive=True, exit_on_error=False)

    def choose(self, text: str) -> bool:
        """One of the places that a text refers to; False when there is none."""
        places = places_in(text)
        if len(places) == 1:
            self.open(places[0])
        elif places:
            rows = [PickerRow(str(number), str(place)) for number, place in enumerate(places)]

            def picked(number: str | None) -> None:
                if number is not None:
                    self.open(places[int(number)])

            self._app.push_screen(Picker("Show the lines of", rows), picked)
        return bool(places)

    async def _open(self, place: FilePlace) -> None:
        try:
            found = await asyncio.to_thread(self._read, place)
        except AssistantError as error:
            self._tell(f"{place} does not hold: {error.person}")
            return
        title = lines_title(found.shown, place.first, place.last, found.total)
        self._app.push_screen(LinesScreen(title, found.lines, found.first, range(place.first, place.last + 1)))

    def _read(self, place: FilePlace) -> FileLines:
        """In a thread; what it gives is clean."""
        found = self._backstage.read_lines(place.path, place.first, place.last)
        clean = self._app.clean
        lines = tuple(clean.line(line.expandtabs(TAB_CELLS)) for line in found.lines)
        return FileLines(clean.line(found.shown), found.first, lines, found.total)

    def _tell(self, words: str) -> None:
        """Where the person is looking."""
        screen = self._app.screen
        if isinstance(screen, AgentScreen):
            screen.agent.say_warning(words)
        else:
            self._app.tell(words, "warning")
