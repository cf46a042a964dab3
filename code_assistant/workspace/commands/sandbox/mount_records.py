"""Which places were made only to be walled off, on disk, so that they vanish again whoever is killed meanwhile; and
which links are put back.

Something can be mounted only where there is something. What must not be created therefore gets a stand-in: an empty
folder, which git does not see and whose removal can cost nobody a file, or in a git folder a file that means nothing.
A record is a file that says so; it is locked as long as a command needs the stand-in. Imported by keepers, so no more
than plain modules.
"""
# Paths are bytes as they came, and pathlib takes long to import.
# ruff: noqa: PTH102, PTH104, PTH106, PTH108, PTH114, PTH115, PTH118, PTH208, PTH211

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

LOCK_NAME = b"lock"
RECORD_SUFFIX = b".stand-in"
SECONDS_FOR_LOCK = 5.0
SECONDS_BETWEEN = 0.01
MAXIMUM_BYTES = 8192


class StandIn(NamedTuple):
    """An empty folder where `content` is None, else a file with exactly this content."""

    path: bytes
    content: bytes | None = None

    def packed(self) -> bytes:
        kind = b"folder" if self.content is None else b"file " + self.content
        return kind + b"\0" + self.path

    def make(self) -> None:
        """Raises FileExistsError where something is there."""
        if self.content is None:
            os.mkdir(self.path, 0o755)
            return
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            os.write(descriptor, self.content)
        finally:
            os.close(descriptor)

    def is_there(self) -> bool:
        """Whether what is there can still be what we made."""
        try:
            if self.content is None:
                return not os.path.islink(self.path) and not os.listdir(self.path)
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            return os.read(descriptor, MAXIMUM_BYTES) == self.content
        except OSError:
            return False
        finally:
            os.close(descriptor)

    def remove(self) -> None:
        """Unless somebody has made something of it since, or it cannot be removed any more."""
        if not self.is_there():
            return
        with suppress(OSError):
            if self.content is None:
                os.rmdir(self.path)
            else:
                os.unlink(self.path)


class KeptLink(NamedTuple):
    """A link that must lead where it leads."""

    path: bytes
    target: bytes

    def packed(self) -> bytes:
        return b"link " + self.target + b"\0" + self.path

    def make(self) -> None:
        """It is there."""

    def is_there(self) -> bool:
        """It stands in for nothing."""
        return False

    def put_back(self) -> bool:
        """Whether it had been changed; raises OSError where it cannot be put back."""
        try:
            if os.readlink(self.path) == self.target:
                return False
        except OSError:
            # Not a link any more, or not there.
            if os.path.lexists(self.path):
                move_aside(self.path)
        else:
            os.unlink(self.path)
        os.symlink(self.target, self.path)
        return True

    def remove(self) -> None:
        with suppress(OSError):
            self.put_back()


Record = StandIn | KeptLink


def move_aside(path: bytes) -> None:
    """To a name that nobody can have taken before."""
    os.rename(path, b"%b.made-by-a-command-%b" % (path, os.urandom(4).hex().encode()))


def unpacked(body: bytes) -> Record | None:
    kind, separator, path = body.partition(b"\0")
    if not separator or not path.startswith(b"/"):
        return None
    if kind.startswith(b"link "):
        return KeptLink(path, kind[5:])
    if kind == b"folder":
        return StandIn(path)
    return StandIn(path, kind[5:]) if kind.startswith(b"file ") else None


@contextmanager
def only_one(folder: bytes) -> Generator[None]:
    """Nobody else changes stand-ins meanwhile, in no process; raises TimeoutError when that cannot be had."""
    descriptor = os.open(os.path.join(folder, LOCK_NAME), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + SECONDS_FOR_LOCK
        while not locked(descriptor, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise TimeoutError(errno.ETIMEDOUT, "Another program does not let go of its lock")
            time.sleep(SECONDS_BETWEEN)
        yield
    finally:
        os.close(descriptor)


def locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def recorded(folder: bytes) -> Iterator[Record]:
    """What all records say."""
    for name in os.listdir(folder):
        if not name.endswith(RECORD_SUFFIX):
            continue
        descriptor = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            stand_in = unpacked(os.read(descriptor, MAXIMUM_BYTES))
        finally:
            os.close(descriptor)
        if stand_in is not None:
            yield stand_in


def drop_unused(folder: bytes) -> None:
    """Remove stand-ins that nobody needs any more, with their records; the caller is the only one at work."""
    for name in os.listdir(folder):
        if name.endswith(RECORD_SUFFIX):
            drop_if_unused(os.path.join(folder, name))


def drop_if_unused(record: bytes) -> None:
    try:
        descriptor = os.open(record, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not locked(descriptor, fcntl.LOCK_EX):
            return
        kept = unpacked(os.read(descriptor, MAXIMUM_BYTES))
        if kept is not None:
            kept.remove()
        # What cannot be removed now is somebody's to remove later.
        if kept is None or not kept.is_there():
            os.unlink(record)
    finally:
        os.close(descriptor)


def drop_after_death(folder: bytes) -> None:
    """For a keeper whose program is gone; what it cannot do the next program does."""
    with suppress(OSError), only_one(folder):
        drop_unused(folder)
