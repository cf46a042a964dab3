"""The screen as a person has it: the program in a real terminal, what it shows, and hands on the keys and the mouse."""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import pyte

from tests.e2e.program import Program
from tests.e2e.screen.terminal_bytes import Modes, modes_after
from tests.hang_guard import HANG_GUARD

SIZE = (100, 30)
# As terminals send them that know the newer keyboard protocol, where the older one is ambiguous.
KEYS = {
    "enter": "\r",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "escape": "\x1b[27u",
    "bare escape": "\x1b",
    "backspace": "\x7f",
    "space": " ",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "end": "\x1b[F",
    "ctrl+end": "\x1b[1;5F",
    "alt+up": "\x1b[1;3A",
    "alt+down": "\x1b[1;3B",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "f8": "\x1b[19~",
} | {f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "abcdefghijklmnopqrstuvwxyz"}
COOKED = termios.ECHO | termios.ICANON | termios.ISIG
PLACEHOLDER = "›  @ files · / commands · ! shell"
SPINNER = set("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
# Told that we know them, Textual marks the beginning and the end of every frame; only whole frames are shown.
SYNC_QUERY, SYNC_REPLY = b"\x1b[?2026$p", "\x1b[?2026;2$y"
FRAME_START, FRAME_END = "\x1b[?2026h", "\x1b[?2026l"
FRAMES = re.compile(f"(?<={re.escape(FRAME_END)})")
# It begins empty; pyte has only one screen.
OTHER_SCREEN = "\x1b[?1049h"
# What pyte would draw or take for something else.
UNKNOWN_TO_PYTE = re.compile(r"\x1b\[[<>=][0-9;]*u|\x1b\](?:22|52|8);[^\x07\x1b]*(?:\x07|\x1b\\)")
UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?)?\Z")


Seen = TypeVar("Seen")


class PtyScreen:
    """A program in a pseudo-terminal. Everything it writes is kept, and drawn on a screen that can be looked at."""

    def __init__(self, command: Sequence[str], folder: str, environ: dict[str, str], size: tuple[int, int]) -> None:
        self.size = size
        self._changed = threading.Condition()
        self._written = bytearray()
        self._code: int | None = None
        self._is_read = False
        self._is_hung_up = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._screen = pyte.Screen(*size)
        self._stream = pyte.Stream(self._screen)
        self._shown: list[str] | None = None
        self._awaited: Callable[[], bool] | None = None
        self._failure: Exception | None = None
        self._stop_reading, self._stop_writer = os.pipe()
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            _set_size(0, size)
            os.chdir(folder)
            os.execve(command[0], list(command), environ)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reaper = threading.Thread(target=self._reap, daemon=True)
        self._reader.start()
        self._reaper.start()

    # What it shows

    @property
    def written(self) -> bytes:
        """Every byte so far."""
        with self._changed:
            return bytes(self._written)

    @property
    def rows(self) -> list[str]:
        with self._changed:
            if self._shown is None:
                self._shown = [row.rstrip() for row in self._screen.display]
            return list(self._shown)

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    @property
    def modes(self) -> Modes:
        """What the terminal has been told to be."""
        return modes_after(self.written.decode(errors="replace"))

    @property
    def draft(self) -> str:
        """What stands in the composer: from its mark down to the last row, which says what goes on."""
        rows = self.rows
        start = max((at for at, row in enumerate(rows) if row.startswith((" › ", " $ "))), default=None)
        # Of the words in an empty composer only the first are seen where there is little room.
        if start is None or (rows[start].startswith(" ›  @") and PLACEHOLDER.startswith(rows[start].strip())):
            return ""
        return "\n".join(row[3:] for row in rows[start:-1])

    def is_bold(self, text: str) -> bool:
        """Whether the first of these texts on the screen is bold."""
        with self._changed:
            row = next(at for at, each in enumerate(self._screen.display) if text in each)
            column = self._screen.display[row].index(text)
            return all(self._screen.buffer[row][column + at].bold for at in range(len(text)))

    def background(self, column: int, row: int) -> str:
        with self._changed:
            return self._screen.buffer[row][column].bg

    @property
    def is_marked(self) -> bool:
        """Whether a block of the transcript is marked."""
        return any(row.startswith("▌") for row in self.rows)

    @property
    def is_cooked(self) -> bool:
        """Whether the terminal echoes and edits lines itself, as a shell expects."""
        flags: int = termios.tcgetattr(self._terminal)[3]
        return flags & COOKED == COOKED

    @property
    def status(self) -> str:
        return self.rows[0]

    @property
    def activity(self) -> str:
        """The last row."""
        return self.rows[-1]

    @property
    def after_screen(self) -> str:
        """What was printed when the screen was gone, as the lines of a terminal."""
        return self.written.decode(errors="replace").rpartition("\x1b[?1049l")[2].replace("\r\n", "\n")

    def wait(self, is_so: Callable[[], bool], what: str) -> None:
        """Until it is so in one frame, however short that one is on the screen."""
        with self._changed:
            self._awaited = None if is_so() else is_so
            self._changed.wait_for(lambda: self._awaited is None or self._is_read or self._failure, HANG_GUARD)
            if self._failure is not None:
                raise self._failure
            # At the end of the program there may be something that no frame brought.
            assert self._awaited is None or is_so(), f"never: {what}\n{self._picture()}"
            self._awaited = None

    def wait_still(self, look: Callable[[], Seen], seconds: float) -> Seen:
        """Until something has looked the same for so long; gives how it looks."""
        with self._changed:
            seen, since = look(), time.monotonic()
            while (left := since + seconds - time.monotonic()) > 0:
                self._changed.wait(left)
                if (now := look()) != seen:
                    seen, since = now, time.monotonic()
        return seen

    def wait_for(self, *texts: str) -> None:
        """Until all of these are on the screen."""
        self.wait(lambda: all(each in self.text for each in texts), f"{texts} on the screen")

    def wait_gone(self, text: str) -> None:
        self.wait(lambda: text not in self.text, f"{text!r} not on the screen")

    def wait_draft(self, draft: str) -> None:
        self.wait(lambda: self.draft == draft, f"the draft {draft!r}")

    def wait_idle(self) -> None:
        """Until the spinner is gone."""
        self.wait(lambda: not SPINNER & set(self.activity), "idle")

    def wait_ready(self) -> None:
        """Until the session behind the screen is there, which the frame says by the model's full name."""
        self.wait(lambda: "claude-" in self.status, "the session")

    def finish(self) -> int:
        """Until the program is over; gives its exit code."""
        with self._changed:
            self._changed.wait_for(lambda: self._code is not None and self._is_read, HANG_GUARD)
            assert self._code is not None, f"never: the end\n{self._picture()}"
            return self._code

    def _picture(self) -> str:
        rows = "\n".join(f"|{row}" for row in self.rows)
        return f"{rows}\nexit code {self._code}, last bytes {self.written[-2000:]!r}"

    # What a person does

    def send(self, keys: str) -> None:
        """These characters, in one go."""
        data = keys.encode()
        while data:
            data = data[os.write(self._terminal, data) :]

    def press(self, *names: str) -> None:
        for name in names:
            self.send(KEYS.get(name, name))

    def type(self, text: str) -> None:
        """Into an empty composer, and wait until it stands there."""
        self.send(text)
        self.wait_draft(text)

    def ask(self, text: str) -> None:
        self.type(text)
        self.press("enter")

    def paste(self, text: str) -> None:
        self.send(f"\x1b[200~{text}\x1b[201~")

    def click_on(self, text: str, *, first_row: int = 0) -> None:
        """The left button, on the first cell of a text, in or below a row."""
        places: list[tuple[int, int]] = []

        def is_there() -> bool:
            # In one look: a moment later it may be painted somewhere else.
            rows = enumerate(self.rows)
            places[:] = [(row.index(text), at) for at, row in rows if text in row and at >= first_row]
            return bool(places)

        self.wait(is_there, f"{text!r} on the screen")
        self.click(*places[0])

    def click(self, column: int, row: int) -> None:
        self.send(f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{column + 1};{row + 1}m")

    def resize(self, size: tuple[int, int]) -> None:
        """The terminal gets another size, and the kernel says so to whoever is in front."""
        with self._changed:
            self.size = size
            self._screen.resize(lines=size[1], columns=size[0])
            self._shown = None
            _set_size(self._terminal, size)

    def signal(self, number: signal.Signals) -> None:
        with self._changed, contextlib.suppress(ProcessLookupError):
            if self._code is None:
                os.kill(self.pid, number)

    def hang_up(self) -> None:
        """The window is closed: nobody reads any more, and nobody will type."""
        os.write(self._stop_writer, b".")
        self._reader.join(HANG_GUARD)
        os.close(self._terminal)
        self._is_hung_up = True

    def close(self) -> None:
        self.signal(signal.SIGKILL)
        self._reaper.join(HANG_GUARD)
        if not self._is_hung_up:
            self.hang_up()
        os.close(self._stop_reading)
        os.close(self._stop_writer)

    # Behind it

    def _read(self) -> None:
        try:
            while self._terminal in select.select([self._terminal, self._stop_reading], [], [])[0]:
                try:
                    chunk = os.read(self._terminal, 65536)
                except OSError:
                    # Linux says EIO when the other side of the terminal is gone.
                    break
                with self._changed:
                    self._take(chunk)
                    self._changed.notify_all()
        except Exception as error:  # noqa: BLE001 (whoever waits is told)
            self._failure = error
        with self._changed:
            self._is_read = True
            self._changed.notify_all()

    def _take(self, chunk: bytes) -> None:
        if SYNC_QUERY in bytes(self._written[-len(SYNC_QUERY) :]) + chunk:
            self.send(SYNC_REPLY)
        self._written += chunk
        text = self._rest + self._decoder.decode(chunk)
        end = len(text)
        if unfinished := UNFINISHED.search(text):
            end = unfinished.start()
        frame = text.rfind(FRAME_START, 0, end)
        if frame >= 0 and FRAME_END not in text[frame:end]:
            end = frame
        self._rest = text[end:]
        for frame in list(filter(None, FRAMES.split(text[:end]))) or [""]:
            self._show(frame)

    def _show(self, frame: str) -> None:
        self._stream.feed(UNKNOWN_TO_PYTE.sub("", frame).replace(OTHER_SCREEN, f"{OTHER_SCREEN}\x1b[2J\x1b[H"))
        self._shown = None
        # Whoever waits may get his turn only when the next frames are there, too.
        if self._awaited is not None and self._awaited():
            self._awaited = None

    def _reap(self) -> None:
        _, status = os.waitpid(self.pid, 0)
        with self._changed:
            self._code = os.waitstatus_to_exitcode(status)
            self._changed.notify_all()


def _set_size(descriptor: int, size: tuple[int, int]) -> None:
    columns, rows = size
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@contextlib.contextmanager
def opened(
    program: Program, *arguments: str, size: tuple[int, int] = SIZE, command: Sequence[str] | None = None
) -> Iterator[PtyScreen]:
    """The program in a terminal of this size; another command may start it."""
    environ = {"TERM": "xterm-256color", "COLORTERM": "truecolor", **program.environ}
    program.trust(arguments)
    screen = PtyScreen(command or [*program.command, *arguments], str(program.folder), environ, size)
    try:
        yield screen
    finally:
        screen.close()
