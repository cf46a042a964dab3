"""Reads what a command writes, in slices between which everything else on the event loop goes on."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

SLICE_BYTES = 65_536
# More than a pipe holds; somebody who was given its other end could write for ever.
MAXIMUM_DRAINED_SLICES = 32


class PipeReader:
    """Nothing is read before `begin`, and at the latest at the end."""

    def __init__(self, descriptor: int, take: Callable[[bytes], None]) -> None:
        self._descriptor = descriptor
        self._take = take
        self._is_open = True
        self._loop = asyncio.get_running_loop()
        os.set_blocking(descriptor, False)

    def begin(self) -> None:
        self._loop.add_reader(self._descriptor, self._read)

    def close(self) -> None:
        """Take what is left in the pipe, whoever may still hold its other end."""
        for _ in range(MAXIMUM_DRAINED_SLICES):
            if not self._is_open or not self._read():
                break
        self.discard()

    def discard(self) -> None:
        """What is left is nobody's concern."""
        if self._is_open:
            self._is_open = False
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)

    def _read(self) -> bool:
        """Whether there was something."""
        try:
            data = os.read(self._descriptor, SLICE_BYTES)
        except BlockingIOError:
            return False
        if not data:
            # The command has closed its output; it may go on without.
            self.discard()
            return False
        self._take(data)
        return True
