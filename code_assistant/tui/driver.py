"""The terminal as Textual writes to it, made to survive the moment in which the terminal is gone."""

from __future__ import annotations

import fcntl
import os
import selectors
import struct
import termios
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable
from typing import IO, TYPE_CHECKING

from textual.drivers.linux_driver import LinuxDriver
from textual.events import Resize

from code_assistant.tui.pastes import SafeParser

if TYPE_CHECKING:
    from textual.app import App
    from textual.message import Message

SECONDS_TO_LOOK_UP = 0.1
CHUNK = 4096


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


def waiting_lines(terminal: int) -> int:
    """How many bytes of whole lines wait in a terminal that still edits lines by itself."""
    try:
        if not termios.tcgetattr(terminal)[0] & termios.ICRNL:
            return 0
        (count,) = struct.unpack("i", fcntl.ioctl(terminal, termios.FIONREAD, b"\0" * 4))
    except (OSError, termios.error):
        return 0
    return count


class TerminalDriver(LinuxDriver):
    def __init__(
        self, app: App[object], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)  # pyright: ignore[reportUnknownMemberType]
        # Textual's own name for where it writes.
        self._file = LastingFile(self._file, self._hang_up)  # pyright: ignore
        self._typed_before = 0

    def _hang_up(self) -> None:
        self._app.call_later(self._app.run_action, "app.hang_up")

    def run_input_thread(self) -> None:
        """Read what the terminal sends, through a parser of ours, until somebody says that it is enough.

        Textual reads on where there is nothing any more, as fast as it can, and reads on when the program is over.
        """
        parser = SafeParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        main = threading.main_thread()
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set() and main.is_alive():
                if selector.select(SECONDS_TO_LOOK_UP):
                    data = self._read()
                    if not data:
                        self._hang_up()
                        return
                    if text := decode(data):
                        self._take(parser.feed(text))
                # A lone escape character is a key when nothing follows it.
                self._take(parser.tick())
                self._look_at_size()

    def _look_at_size(self) -> None:
        """Tell of the terminal's size for as long as the app has another one.

        The kernel says that it changes before it has changed it: who looks at once may see the old size, may tell of
        it even after somebody else has told of the new one, and would never look again.
        """
        size = self._get_terminal_size()
        if size != tuple(self._app.size) and not self._in_band_window_resize:
            self._take((Resize.from_dimensions(size, None),))

    def start_application_mode(self) -> None:
        self._typed_before = waiting_lines(self.fileno)
        super().start_application_mode()  # pyright: ignore[reportUnknownMemberType]

    def _read(self) -> bytes:
        """Nothing when the terminal is gone."""
        try:
            data = os.read(self.fileno, CHUNK)
        except OSError:
            return b""
        if self._typed_before:
            # Enter was pressed, and the terminal, which was not ours yet, has made a line's end of it.
            early = data[: self._typed_before]
            self._typed_before -= len(early)
            data = early.replace(b"\n", b"\r") + data[len(early) :]
        return data

    def _take(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)
