"""Work in slices: after so much of it in one go everybody else in the event loop gets a turn."""

from __future__ import annotations

SLICE = 64 * 1024
# What an item costs beside its size, as if it had so many characters more.
ITEM = 256


class Slices:
    """Counts work, not time, so that what happens does not depend on how fast the machine is."""

    __slots__ = ("_left", "_size")

    def __init__(self, size: int = SLICE) -> None:
        self._size = size
        self._left = size

    def is_over(self, size: int = 0) -> bool:
        """Take note of an item of so many bytes or characters; True when it is time for `asyncio.sleep(0)`."""
        self._left -= ITEM + size
        if self._left > 0:
            return False
        self._left = self._size
        return True
