"""The stand-ins that running commands of this session need, made for the first of them and removed after the last."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

from code_assistant.private_files import make_private_folder
from code_assistant.workspace.commands.sandbox.mount_records import (
    RECORD_SUFFIX,
    KeptLink,
    Record,
    drop_if_unused,
    drop_unused,
    locked,
    only_one,
    recorded,
)

# Where we cannot make something, no command of ours can, either.
OUT_OF_REACH = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


class HeldStandIns:
    """Those of one command; `release` when none of its processes is left."""

    def __init__(self, folder: bytes, made: dict[bytes, int], links: Iterable[KeptLink] = ()) -> None:
        self._folder = folder
        self._records = made
        self._links = tuple(links)

    def put_links_back(self) -> bool:
        """Whether one had been changed; also while other commands need it. Raises OSError where that cannot be done."""
        changed = [link for link in self._links if link.put_back()]
        return bool(changed)

    def release(self) -> None:
        """Raises OSError, and then the next command, or the next program, removes them."""
        if not self._records:
            return
        held, self._records = self._records, {}
        for descriptor in held.values():
            os.close(descriptor)
        with only_one(self._folder):
            for record in held:
                drop_if_unused(record)


class MountPoints:
    """`folder` is where all programs of one person keep their records. All of it waits, so use it in a thread."""

    def __init__(self, folder: Path) -> None:
        self._path = folder
        self._folder = os.fsencode(folder)
        self._has_cleaned = False

    @property
    def folder(self) -> bytes:
        return self._folder

    def hold(self, wanted: Callable[[frozenset[bytes]], Iterable[Record]]) -> HeldStandIns:
        """Make what is wanted, given which paths are stand-ins already, ours or another program's."""
        make_private_folder(self._path)
        held: dict[bytes, int] = {}
        links: list[KeptLink] = []
        try:
            with only_one(self._folder):
                if not self._has_cleaned:
                    drop_unused(self._folder)
                    self._has_cleaned = True
                standing = frozenset(each.path for each in recorded(self._folder) if each.is_there())
                for record in wanted(standing):
                    self._take(record, held)
                    if isinstance(record, KeptLink):
                        links.append(record)
        except BaseException:
            HeldStandIns(self._folder, held).release()
            raise
        return HeldStandIns(self._folder, held, links)

    def _take(self, wanted: Record, held: dict[bytes, int]) -> None:
        name = sha256(wanted.path).hexdigest()[:32].encode()
        record = b"%b/%b%b" % (self._folder, name, RECORD_SUFFIX)
        if record in held:
            return
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        # The record first: whatever happens next, somebody knows what to remove.
        held[record] = descriptor = os.open(record, flags, 0o600)
        locked(descriptor, fcntl.LOCK_SH)
        os.pwrite(descriptor, wanted.packed(), 0)
        try:
            wanted.make()
        except FileExistsError:
            # Another command's, or made by somebody a moment ago: then it is walled off as it is.
            pass
        except OSError as error:
            if error.errno not in OUT_OF_REACH:
                raise
