"""Putting new content in the place of old: a reader, or whoever comes after a crash, finds one or the other."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.attributes import copy_attributes
from code_assistant.workspace.opening import OpenFile
from code_assistant.workspace.snapshots import is_same_file
from code_assistant.workspace.temporary_files import CREATE_FLAGS, LIST_FLAGS, temporary_file

WRITE_FLAGS = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
PRIVATE_MODE = 0o600
# What the process's mask leaves of this is the mode of a new file.
NEW_FILE_MODE = 0o666
NO_LINKS_HERE = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class FileChanged(WorkspaceError):
    """The file is not what was known of it; it must be read again."""


def replace_file(folder: int, name: str, old: OpenFile, data: bytes, shown: str, mode: int | None = None) -> None:
    """Another content for a file, with all that the old one had beside it, but for the mode where one is given."""
    with temporary_file(folder, PRIVATE_MODE) as temporary:
        _write_all(temporary.descriptor, data)
        copy_attributes(old, temporary.descriptor)
        if mode is not None:
            os.fchmod(temporary.descriptor, mode)
        os.fsync(temporary.descriptor)
        _require_unchanged(folder, name, old, shown)
        os.rename(temporary.name, name, src_dir_fd=folder, dst_dir_fd=folder)
    _sync_folder(folder)


def create_file(folder: int, name: str, data: bytes, mode: int | None = None) -> None:
    """A file that was not there; raises FileExistsError for one that has appeared. Without a mode it has the usual."""
    with temporary_file(folder, NEW_FILE_MODE if mode is None else PRIVATE_MODE) as temporary:
        _write_all(temporary.descriptor, data)
        if mode is not None:
            os.fchmod(temporary.descriptor, mode)
        os.fsync(temporary.descriptor)
        try:
            # Unlike renaming, this never takes the place of another file.
            os.link(temporary.name, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in NO_LINKS_HERE:
                raise
            _create_directly(folder, name, data, mode)
    _sync_folder(folder)


def write_in_place(folder: int, name: str, old: OpenFile, content: bytes, data: bytes, shown: str) -> None:
    """Another content for a file that has several names.

    Not atomic, the one such case: with a file of its own the changed name would part from the others, which go on to
    show the old content. A write that fails is taken back; only a crash in the middle can leave half of it.
    """
    _require_unchanged(folder, name, old, shown)
    descriptor = os.open(name, WRITE_FLAGS, dir_fd=folder)
    try:
        if not is_same_file(os.fstat(descriptor), old.status):
            raise FileChanged(f"{shown} has changed since it was read; read it again.")
        try:
            _overwrite(descriptor, data)
        except OSError:
            _overwrite(descriptor, content)
            raise
        finally:
            _keep_mode(descriptor, old)
    finally:
        os.close(descriptor)


def _overwrite(descriptor: int, data: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    _write_all(descriptor, data)
    os.ftruncate(descriptor, len(data))
    os.fsync(descriptor)


def _keep_mode(descriptor: int, old: OpenFile) -> None:
    # Writing takes the rights of its owner away from a program; they were there before, and its owner wrote.
    if os.fstat(descriptor).st_mode != old.status.st_mode:
        with suppress(PermissionError):
            os.fchmod(descriptor, stat.S_IMODE(old.status.st_mode))


def _create_directly(folder: int, name: str, data: bytes, mode: int | None) -> None:
    # On file systems without hard links; a crash in the middle leaves a part of the new file, but no old one is lost.
    descriptor = os.open(name, CREATE_FLAGS, NEW_FILE_MODE if mode is None else PRIVATE_MODE, dir_fd=folder)
    try:
        _write_all(descriptor, data)
        if mode is not None:
            os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    except OSError:
        os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _require_unchanged(folder: int, name: str, old: OpenFile, shown: str) -> None:
    """The last look before the change: is the name still that of the file that was compared?"""
    if not is_same_file(os.stat(name, dir_fd=folder, follow_symlinks=False), old.status):
        raise FileChanged(f"{shown} has changed since it was read; read it again.")


def _sync_folder(folder: int) -> None:
    # The change is made, and saying that it failed would be wrong; some file systems do not synchronise folders.
    with suppress(OSError):
        descriptor = os.open(".", LIST_FLAGS, dir_fd=folder)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
