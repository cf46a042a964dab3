"""Files on their way to their place: in the same folder, removed whatever happens, swept up after a kill."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice

CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
LIST_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
NAME = re.compile(r"\.code-assistant-(?P<process>\d+)-[0-9a-f]{16}\.tmp")
LOOKED_AT = 10_000
# A process of another machine or container may be writing here, and its number says nothing to us.
SECONDS_LEFT_ALONE = 3600


@dataclass(frozen=True, slots=True)
class TemporaryFile:
    name: str
    descriptor: int


@contextmanager
def temporary_file(folder: int, mode: int) -> Generator[TemporaryFile]:
    """A new file in an opened folder. What still has its name at the end is removed."""
    name = f".code-assistant-{os.getpid()}-{os.urandom(8).hex()}.tmp"
    descriptor = os.open(name, CREATE_FLAGS, mode, dir_fd=folder)
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
        with suppress(FileNotFoundError, PermissionError):
            if _is_left_over(name, os.stat(name, dir_fd=folder, follow_symlinks=False)):
                os.unlink(name, dir_fd=folder)


def _is_left_over(name: str, status: os.stat_result) -> bool:
    # With a second name the file has reached its place; only the removal of this one is missing.
    return status.st_nlink > 1 or (time.time() - status.st_mtime > SECONDS_LEFT_ALONE and not _is_running(name))


def _is_running(name: str) -> bool:
    found = NAME.fullmatch(name)
    try:
        os.kill(int(found["process"]) if found else os.getpid(), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
