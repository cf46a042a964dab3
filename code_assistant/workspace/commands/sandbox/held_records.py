"""Records on disk of what was made and promised for commands, so that it is set right whoever is killed meanwhile.

A record is a file; it is locked as long as a command needs it. Imported by keepers, so no more than plain modules.
"""
# Paths are bytes as they came, and pathlib takes long to import.
# ruff: noqa: PTH108, PTH118, PTH208

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress

from code_assistant.workspace.commands.sandbox.mount_records import (
    MAXIMUM_BYTES,
    Promise,
    Record,
    StandIn,
    unpacked,
)

LOCK_NAME = b"lock"
RECORD_SUFFIX = b".stand-in"
SECONDS_FOR_LOCK = 5.0
SECONDS_BETWEEN = 0.01
# Where we cannot make something, no command of ours can, either.
OUT_OF_REACH = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


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
    for path in _records(folder):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            record = unpacked(os.read(descriptor, MAXIMUM_BYTES))
        finally:
            os.close(descriptor)
        if record is not None:
            yield record


def drop_unused(folder: bytes) -> None:
    """Remove stand-ins that nobody needs any more, with all such records; the caller is the only one at work.

    Nothing is undone: since the command has ended, that would be the person's own work.
    """
    for record in _records(folder):
        drop_if_unused(record)


def drop_if_unused(path: bytes) -> None:
    with _unused(path) as record:
        if isinstance(record, StandIn):
            record.remove()
            # What cannot be removed now is somebody's to remove later.
            if record.is_there() or record.is_out_of_reach():
                return
        if record is not None:
            os.unlink(path)


def drop_after_death(folder: bytes) -> None:
    """For a keeper whose program is gone; what it cannot do the next program does."""
    with suppress(OSError), only_one(folder):
        for path in _records(folder):
            with _unused(path) as record:
                if isinstance(record, Promise):
                    # It is not known whose work it is when this fails.
                    with suppress(OSError):
                        record.was_undone()
            drop_if_unused(path)


def keep_promises(folder: bytes) -> None:
    """Undo what commands of other programs have done so far; the caller is the only one at work."""
    for record in recorded(folder):
        if isinstance(record, Promise):
            with suppress(OSError):
                record.was_undone()


def _records(folder: bytes) -> list[bytes]:
    return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(RECORD_SUFFIX)]


@contextmanager
def _unused(path: bytes) -> Generator[Record | None]:
    """What a record says that nobody needs; one that says nothing is removed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        yield None
        return
    try:
        record = None
        if locked(descriptor, fcntl.LOCK_EX):
            record = unpacked(os.read(descriptor, MAXIMUM_BYTES))
            if record is None:
                os.unlink(path)
        yield record
    finally:
        os.close(descriptor)


class HeldRecords:
    """Those that commands need which run at the same time; `release` when none of their processes is left."""

    def __init__(self, folder: bytes) -> None:
        self._folder = folder
        self._descriptors: dict[bytes, int] = {}
        self._promises: list[Promise] = []

    def take(self, wanted: Record, *, anew: bool = False) -> None:
        """Make what stands in, if it is not there, `anew` even where it was made before; the caller is the only one at
        work.
        """
        from hashlib import sha256

        # What stands in for a path and what is promised of it are told apart; of one link there is one record.
        kind = wanted.kind.partition(b" ")[0]
        name = sha256(kind + b"\0" + wanted.path).hexdigest()[:32].encode()
        path = b"%b/%b%b" % (self._folder, name, RECORD_SUFFIX)
        if path in self._descriptors:
            if anew and isinstance(wanted, StandIn):
                _make(wanted)
            return
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        # The record first: whatever happens next, somebody knows what to remove.
        self._descriptors[path] = descriptor = os.open(path, flags, 0o600)
        if locked(descriptor, fcntl.LOCK_EX):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, wanted.kind + b"\0" + wanted.path, 0)
        else:
            # Another program's command runs, and what that found counts: this may be its work.
            wanted = unpacked(os.pread(descriptor, MAXIMUM_BYTES, 0)) or wanted
        locked(descriptor, fcntl.LOCK_SH)
        if isinstance(wanted, StandIn):
            _make(wanted)
        else:
            self._promises.append(wanted)

    def undo(self) -> tuple[list[Promise], list[Promise]]:
        """What had been changed and was undone, and what could not be; also while other commands need it."""
        undone: list[Promise] = []
        failed: list[Promise] = []
        for promise in self._promises:
            try:
                if promise.was_undone():
                    undone.append(promise)
            except OSError:
                failed.append(promise)
        return undone, failed

    def release(self) -> None:
        """Raises OSError, and then the next command, or the next program, removes them."""
        if not self._descriptors:
            return
        held, self._descriptors = self._descriptors, {}
        for descriptor in held.values():
            os.close(descriptor)
        with only_one(self._folder):
            for record in held:
                drop_if_unused(record)


def _make(stand_in: StandIn) -> None:
    try:
        stand_in.make()
    except FileExistsError:
        # Another command's, or made by somebody a moment ago: then it is walled off as it is.
        pass
    except OSError as error:
        if error.errno not in OUT_OF_REACH:
            raise
