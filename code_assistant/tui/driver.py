"""The terminal as Textual writes to it, made to survive the moment in which the terminal is gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, TYPE_CHECKING

from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver

from code_assistant.tui.pastes import SafeParser

if TYPE_CHECKING:
    from textual.app import App


class LastingFile:
    """What cannot be written any more is dropped. Otherwise Textual's writing thread would end, and whoever writes
    the last bytes of all would wait for it for ever.
    """

    def __init__(self, file: IO[str], lost: Callable[[], None]) -> None:
        self._file = file
        self._lost = lost
        self._is_lost = False

    def write(self, text: str) -> None:
        self._try(lambda: self._file.write(text))

    def flush(self) -> None:
        self._try(self._file.flush)

    def fileno(self) -> int:
        return self._file.fileno()

    def _try(self, work: Callable[[], object]) -> None:
        if self._is_lost:
            return
        try:
            work()
        except OSError:
            self._is_lost = True
            self._lost()


class TerminalDriver(LinuxDriver):
    """Reads through a parser of ours; Textual has no other way to give it one."""

    linux_driver.XTermParser = SafeParser  # pyright: ignore[reportPrivateImportUsage]

    def __init__(
        self, app: App[object], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)  # pyright: ignore[reportUnknownMemberType]
        # Textual's own name for where it writes.
        self._file = LastingFile(self._file, lambda: app.call_later(app.action_quit))  # pyright: ignore
