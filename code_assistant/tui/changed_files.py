"""Keeps the number of changed files in the status line up to date."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from code_assistant.tui.painter import Painter
from code_assistant.tui.start import Backstage
from code_assistant.tui.state import ScreenState


class ChangedFilesHost(Protocol):
    """Where the number goes to."""

    painter: Painter
    state: ScreenState

    def run_worker(self, work: Awaitable[None], *, group: str, exit_on_error: bool) -> object: ...


class ChangedFiles:
    """Looks when something may have changed, behind everything else; one look at a time, however often it is asked."""

    def __init__(self, host: ChangedFilesHost, backstage: Backstage) -> None:
        self._host = host
        self._backstage = backstage
        self._is_looking = False
        self._is_outdated = False

    def look(self) -> None:
        """Something may have changed. Where no branch is shown there is nothing to say about it."""
        if self._host.state.branch is None:
            return
        self._is_outdated = True
        if not self._is_looking:
            self._is_looking = True
            self._host.run_worker(self._look(), group="changed files", exit_on_error=False)

    async def _look(self) -> None:
        try:
            while self._is_outdated:
                self._is_outdated = False
                count = await self._backstage.changed_files()
                self._host.state.changed_files = count
                self._host.painter.request()
        finally:
            self._is_looking = False
