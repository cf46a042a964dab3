"""Folders and files that only their owner may read, from the first byte and whatever the umask."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TextIO

from code_assistant.errors import WorkspaceError

_FOLDER_MODE = 0o700
_FILE_MODE = 0o600

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CREATE_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe that nobody reads would wait for ever.
_APPEND_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def make_private_folder(path: Path) -> None:
    """Make a folder of ours 0700, and likewise the missing ones above it.

    An existing folder is tightened. A symlink, or a folder of somebody else, is refused with WorkspaceError.
    Of several nested folders of ours, make the outermost first: existing parents are not looked at.
    """
    try:
        _make_missing(path)
        descriptor = os.open(path, _FOLDER_FLAGS)
    except OSError as error:
        raise _refusal(path, "a folder", error) from error
    try:
        _claim(descriptor, path, stat.S_IFDIR, _FOLDER_MODE)
    finally:
        os.close(descriptor)


def open_private_file(path: Path, *, must_be_new: bool = False) -> TextIO:
    """Open a text file as `private_descriptor` does; every finished line is written at once."""
    descriptor = private_descriptor(path, must_be_new=must_be_new)
    return os.fdopen(descriptor, "a", buffering=1, encoding="utf-8", errors="backslashreplace", newline="\n")


def private_descriptor(path: Path, *, must_be_new: bool = False) -> int:
    """Open a file for appending, made 0600 if it is not there yet; the caller closes it.

    An existing file is tightened, or refused where it must be new. A symlink, a pipe, or a file of somebody else is
    refused with WorkspaceError.
    """
    try:
        descriptor = os.open(path, _CREATE_FLAGS, _FILE_MODE) if must_be_new else _open_or_create(path)
    except FileExistsError as error:
        raise WorkspaceError(f"{path} is there already and is not written over. Name another file.") from error
    except OSError as error:
        raise _refusal(path, "a file", error) from error
    try:
        _claim(descriptor, path, stat.S_IFREG, _FILE_MODE)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _make_missing(path: Path) -> None:
    # Path.mkdir(parents=True) gives the mode to the last folder only.
    missing = [folder for folder in (path, *path.parents) if not _is_there(folder)]
    for folder in reversed(missing):
        folder.mkdir(_FOLDER_MODE, exist_ok=True)


def _is_there(path: Path) -> bool:
    return path.is_symlink() or path.exists()


def _open_or_create(path: Path) -> int:
    try:
        return os.open(path, _CREATE_FLAGS, _FILE_MODE)
    except FileExistsError:
        return os.open(path, _APPEND_FLAGS)


def _claim(descriptor: int, path: Path, kind: int, mode: int) -> None:
    """Refuse what is of another kind or belongs to somebody else; take away the rights of everybody else."""
    found = os.fstat(descriptor)
    if stat.S_IFMT(found.st_mode) != kind:
        raise WorkspaceError(f"{path} is not a regular file. Remove it.")
    if found.st_uid != os.geteuid():
        raise WorkspaceError(f"{path} belongs to another user (id {found.st_uid}). Remove it or choose another place.")
    if stat.S_IMODE(found.st_mode) != mode:
        try:
            os.fchmod(descriptor, mode)
        except OSError as error:
            raise WorkspaceError(f"{path} cannot be made private: {error.strerror}.") from error


def _refusal(path: Path, kind: str, error: OSError) -> WorkspaceError:
    if error.errno in (errno.ELOOP, errno.ENOTDIR) and path.is_symlink():
        return WorkspaceError(f"{path} is a symlink and must be {kind} of its own. Remove the symlink.")
    return WorkspaceError(f"{path} cannot be used as {kind} of ours: {error.strerror or error}.")
