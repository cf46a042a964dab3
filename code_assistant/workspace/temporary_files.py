"""Files on their way to their place: in the same folder, removed whatever happens, swept up after a kill."""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice

CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
LIST_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
SWEEP_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
NAME = re.compile(r"\.code-assistant-[0-9a-f]{16}\.tmp")
LOOKED_AT = 10_000


@dataclass(frozen=True, slots=True)
class TemporaryFile:
    name: str
    descriptor: int


@contextmanager
def temporary_file(folder: int, mode: int) -> Generator[TemporaryFile]:
    """A new file in an opened folder. What still has its name at the end is removed."""
    name, descriptor = _created(folder, mode)
    try:
        yield TemporaryFile(name, descriptor)
    finally:
        os.close(descriptor)
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)


def sweep(folder: int) -> None:
    """Remove what killed processes left in a folder."""
    try:
        listing = os.open(".", LIST_FLAGS, dir_fd=folder)
    except PermissionError:
        # A folder that may be written to but not listed keeps what is in it.
        return
    try:
        with os.scandir(listing) as entries:
            names = [entry.name for entry in islice(entries, LOOKED_AT) if NAME.fullmatch(entry.name)]
    finally:
        os.close(listing)
    for name in names:
        with suppress(OSError):
            _remove_left_over(folder, name)


def claimed(descriptor: int) -> bool:
    """Take a file for as long as this descriptor is open, however its process ends; False when somebody has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # Not all file systems can do this; then only the last look before the change protects it.
        return True
    return True


def _created(folder: int, mode: int) -> tuple[str, int]:
    while True:
        name = f".code-assistant-{os.urandom(8).hex()}.tmp"
        descriptor = os.open(name, CREATE_FLAGS, mode, dir_fd=folder)
        # Somebody who sweeps may have come in between the two, and taken it for a left-over.
        if claimed(descriptor) and os.fstat(descriptor).st_nlink:
            return name, descriptor
        os.close(descriptor)


def _remove_left_over(folder: int, name: str) -> None:
    """Raises OSError for what is not ours to remove."""
    if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        return
    descriptor = os.open(name, SWEEP_FLAGS, dir_fd=folder)
    try:
        # Whoever writes it holds it; the kernel lets go for a process that was killed.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(name, dir_fd=folder)
    finally:
        os.close(descriptor)
