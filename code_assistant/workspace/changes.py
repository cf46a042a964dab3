"""The one way by which files are changed: written, created, deleted; always compared first, under the file's lock."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.opening import OpenFile, explained, file_in, opened_folder
from code_assistant.workspace.path_locks import locked
from code_assistant.workspace.replacing import (
    WRITE_FLAGS,
    FileChanged,
    create_file,
    replace_file,
    write_in_place,
)
from code_assistant.workspace.snapshots import is_same_file, whole_content
from code_assistant.workspace.temporary_files import sweep

ANY_WRITE_BIT = 0o222


@dataclass(frozen=True, slots=True)
class ContentChange:
    """A resolved path, the content that was looked at when the change was decided on, and the new one.

    Without a content before, the file must not be there.
    """

    path: Path
    shown: str
    before: bytes | None
    after: bytes


@dataclass(frozen=True, slots=True)
class Removal:
    """A file or a link that will be gone, as it was when that was decided on."""

    path: Path
    shown: str
    status: os.stat_result


def apply_content(change: ContentChange) -> None:
    """Raises WorkspaceError; then nothing has changed."""
    making = change.before is None
    with locked(change.path), _explaining(change.shown), opened_folder(change.path.parent, making=making) as folder:
        with _explaining_folder(change.shown):
            sweep(folder)
        if change.before is None:
            _create(folder, change)
        else:
            _replace(folder, change, change.before)


def apply_removal(removal: Removal) -> None:
    """Raises WorkspaceError; then it is still there."""
    name = removal.path.name
    with locked(removal.path), _explaining(removal.shown), opened_folder(removal.path.parent) as folder:
        if not is_same_file(os.stat(name, dir_fd=folder, follow_symlinks=False), removal.status):
            raise FileChanged(f"{removal.shown} has changed in the meantime; look at it again.")
        with _explaining_folder(removal.shown):
            os.unlink(name, dir_fd=folder)


def require_writable(folder: int, name: str, file: OpenFile, shown: str) -> None:
    """Replacing a file needs only the right to its folder; what the file itself says counts all the same."""
    if not stat.S_IMODE(file.status.st_mode) & ANY_WRITE_BIT:
        mode = stat.S_IMODE(file.status.st_mode)
        raise WorkspaceError(f"{shown} is read-only (mode {mode:04o}); it must be made writable before it is changed.")
    try:
        os.close(os.open(name, WRITE_FLAGS, dir_fd=folder))
    except OSError as error:
        raise WorkspaceError(f"{shown} cannot be written: {error.strerror or error}.") from error


def _create(folder: int, change: ContentChange) -> None:
    try:
        with _explaining_folder(change.shown):
            create_file(folder, change.path.name, change.after)
    except FileExistsError as error:
        raise FileChanged(f"{change.shown} has appeared in the meantime; read it first.") from error


def _replace(folder: int, change: ContentChange, before: bytes) -> None:
    name, shown = change.path.name, change.shown
    with file_in(folder, name, shown) as file:
        if whole_content(file, shown) != before:
            raise FileChanged(f"{shown} has changed since it was read; read it again.")
        require_writable(folder, name, file, shown)
        with _explaining_folder(shown):
            if file.status.st_nlink > 1:
                write_in_place(folder, name, file, before, change.after, shown)
            else:
                replace_file(folder, name, file, change.after, shown)


@contextmanager
def _explaining(shown: str) -> Generator[None]:
    """A file that is gone, a folder swapped for a link, a part of the path that is none."""
    try:
        yield
    except OSError as error:
        raise explained(error, shown) from error


@contextmanager
def _explaining_folder(shown: str) -> Generator[None]:
    try:
        yield
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise WorkspaceError(
                f"{shown} cannot be changed: its folder does not let files be written in it ({reason})."
            ) from error
        raise WorkspaceError(f"{shown} cannot be written: {reason}. Nothing was changed.") from error
