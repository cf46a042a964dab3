"""Signals in the supervisor and its keepers: asked to end they go on, and an ended child wakes them."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import FrameType

# Those who look after processes end when they are all gone, not when a command or a terminal says so.
IGNORED_SIGNALS = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGTSTP,
    signal.SIGTTIN,
    signal.SIGTTOU,
)
# Whatever commands would inherit as ignored: by us, by Python, by whoever started the program.
RESTORED_SIGNALS = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}


def ignore_requests_to_end() -> None:
    # Whoever started us may have blocked some; a child that ends must be heard of.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in IGNORED_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _heard(number: int, frame: FrameType | None) -> None:
    """Python's part of the signal; what counts is the byte in the descriptor."""
    del number, frame


class Wakeups:
    """A descriptor that becomes readable when a child has ended."""

    def __init__(self) -> None:
        self.descriptor, self._writer = os.pipe()
        for each in (self.descriptor, self._writer):
            os.set_blocking(each, False)
        # Without a handler of Python's nothing is written to the descriptor.
        signal.signal(signal.SIGCHLD, _heard)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)

    def drain(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self.descriptor, 4096):
                pass

    def close(self) -> None:
        os.close(self.descriptor)
        os.close(self._writer)
