"""A program in a pseudo-terminal of its own: what it wrote and when, what it used, and keys typed into it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROWS, COLUMNS = 40, 120
HANG_GUARD = 60.0
FRAMES_PER_SECOND = "120"
ALTERNATE_SCREEN = b"\x1b[?1049h"
FOCUS_LOST, FOCUS_GAINED = b"\x1b[O", b"\x1b[I"
SECONDS_BETWEEN_FIRST_KEYS = 0.02
# Letters that nothing on the screen has, so that to see one is to see its key.
LETTERS = tuple(chr(code) for code in (*range(0x3B1, 0x3C2), *range(0x3C3, 0x3CA), *range(0x430, 0x450)))
TICKS = os.sysconf("SC_CLK_TCK")


class Terminal:
    """All times are those of `time.perf_counter`."""

    def __init__(self, process: subprocess.Popen[bytes], descriptor: int, started: float) -> None:
        self.process = process
        self.started = started
        self.written = b""
        self.last_output = started
        self._descriptor = descriptor

    @property
    def pid(self) -> int:
        return self.process.pid

    # What it writes

    def read(self, seconds: float) -> bytes:
        """What comes within that time, at once when something does."""
        if not select.select([self._descriptor], [], [], max(seconds, 0))[0]:
            return b""
        try:
            data = os.read(self._descriptor, 1 << 16)
        except OSError:
            # Linux says EIO when the other side of the terminal is gone.
            raise RuntimeError(f"the program has ended; it wrote {self.written[-3000:]!r}") from None
        self.last_output = time.perf_counter()
        self.written += data
        return data

    def forget(self) -> None:
        self.written = b""

    def until(self, is_there: Callable[[bytes], bool], seconds: float = HANG_GUARD) -> float:
        """Wait for something among what was written since the last `forget`; gives when it came."""
        deadline = time.perf_counter() + seconds
        while not is_there(self.written):
            if time.perf_counter() > deadline:
                raise TimeoutError(f"the terminal shows only {self.written[-3000:]!r}")
            self.read(0.05)
        return self.last_output

    def until_seen(self, text: str | bytes, seconds: float = HANG_GUARD) -> float:
        wanted = text.encode() if isinstance(text, str) else text
        return self.until(lambda written: wanted in written, seconds)

    def until_quiet(self, seconds: float) -> float:
        """Wait until nothing was written for that long; gives when the last of it came."""
        deadline = time.perf_counter() + HANG_GUARD
        began = time.perf_counter()
        while (quiet := time.perf_counter() - max(self.last_output, began)) < seconds:
            if time.perf_counter() > deadline:
                raise TimeoutError("the terminal is never quiet")
            self.read(seconds - quiet)
        return self.last_output

    def let(self, seconds: float) -> None:
        """Let it run for a while."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self.read(left)

    # What is done to it

    def press(self, keys: str | bytes) -> float:
        data = keys.encode() if isinstance(keys, str) else keys
        pressed = time.perf_counter()
        os.write(self._descriptor, data)
        return pressed

    def until_first_echo(self) -> float:
        """Type from the moment on when the program takes the terminal; gives when a key was first shown."""
        self.until_seen(ALTERNATE_SCREEN)
        self.forget()
        typed: list[bytes] = []
        next_key = 0.0
        while not any(letter in self.written for letter in typed):
            if time.perf_counter() - self.started > HANG_GUARD:
                raise TimeoutError(f"no key is shown: {self.written[-3000:]!r}")
            if time.perf_counter() >= next_key:
                typed.append(LETTERS[len(typed) % len(LETTERS)].encode())
                self.press(typed[-1])
                next_key = time.perf_counter() + SECONDS_BETWEEN_FIRST_KEYS
            self.read(next_key - time.perf_counter())
        return self.last_output

    def echo(self, number: int, seconds: float = 3.0) -> float:
        """Type a letter; gives how long it took until it was shown."""
        letter = LETTERS[number % len(LETTERS)].encode()
        self.forget()
        pressed = self.press(letter)
        return self.until_seen(letter, seconds) - pressed

    def resize(self, columns: int) -> None:
        set_size(self._descriptor, columns)
        self.process.send_signal(signal.SIGWINCH)

    # What it uses

    @property
    def cpu(self) -> float:
        """Seconds of processor time so far, to the hundredth."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def memory(self) -> float:
        """Megabytes in memory."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def set_size(descriptor: int, columns: int = COLUMNS) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))


@contextmanager
def in_terminal(
    command: Sequence[str],
    environ: Mapping[str, str] | None = None,
    folder: str | None = None,
    pass_fds: Sequence[int] = (),
) -> Iterator[Terminal]:
    """Run a command in a terminal until the block ends."""
    outer, inner = pty.openpty()
    set_size(inner)
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "TEXTUAL_FPS": FRAMES_PER_SECOND,
        **(environ or {}),
    }
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=variables,
        stdin=inner,
        stdout=inner,
        stderr=inner,
        start_new_session=True,
        pass_fds=pass_fds,
    )
    os.close(inner)
    try:
        yield Terminal(process, outer, started)
    finally:
        process.kill()
        process.wait()
        os.close(outer)


def python(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", module, *arguments]
