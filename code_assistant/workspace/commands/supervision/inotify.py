"""Hearing which names in a folder are made, renamed or removed, by whomever."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import suppress

from code_assistant.workspace.commands.supervision.kernel import LIBRARY, checked

# Moved from, moved to, made, removed; and the folder itself removed or moved.
IN_FOLDER = 0x40 | 0x80 | 0x100 | 0x200
ITSELF = 0x400 | 0x800
ONLY_FOLDERS = 0x0100_0000
HAS_OVERFLOWED = 0x4000
EVENT = struct.Struct("iIII")
READ_BYTES = 65_536


class Inotify:
    def __init__(self) -> None:
        """Raises OSError where the kernel has no more of them for this person."""
        self.descriptor = checked(LIBRARY.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))

    def watch(self, folder: bytes) -> int:
        """A number that is the same for every name of the folder; raises OSError."""
        mask = IN_FOLDER | ITSELF | ONLY_FOLDERS
        return checked(LIBRARY.inotify_add_watch(self.descriptor, folder, mask))

    def heard(self) -> Iterator[tuple[int | None, bytes | None]]:
        """Number and name; no name for the folder itself, no number when there was more than could be kept."""
        data = b""
        with suppress(BlockingIOError):
            data = os.read(self.descriptor, READ_BYTES)
        at = 0
        while at < len(data):
            number, mask, _, size = EVENT.unpack_from(data, at)
            at += EVENT.size
            name = data[at : at + size].rstrip(b"\0")
            at += size
            yield None if mask & HAS_OVERFLOWED else number, name or None
