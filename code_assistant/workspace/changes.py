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
from code_assistant.workspace.names import plain_size
from code_assistant.workspace.opening import KINDS, OpenFile, explained, file_in, opened_folder
from code_assistant.workspace.path_locks import locked
from code_assistant.workspace.replacing import WRITE_FLAGS, FileChanged, create_file, replace_file, write_in_place
from code_assistant.workspace.snapshots import (
    MAXIMUM_BYTES,
    content_up_to_limit,
    has_content,
    is_same_file,
    whole_content,
)
from code_assistant.workspace.temporary_files import claimed, sweep
from code_assistant.workspace.threads import StopFlag
from code_assistant.workspace.witness import Content, Found, LeadsTo, Unread, Witness, witnessed

ANY_WRITE_BIT = 0o222
PROTECTED = (errno.EACCES, errno.EPERM, errno.EROFS)
EXPLAINED = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


@dataclass(frozen=True, slots=True)
class ContentChange:
    """A resolved path, the content that was looked at when the change was decided on, and the new one.

    Without a content before, the file must not be there. Without a mode it keeps its own, or gets the usual one. With
    `only_name` nobody was told of other names of the file, so that it must not have any.
    """

    path: Path
    shown: str
    before: bytes | None
    after: bytes
    mode: int | None = None
    only_name: bool = False


@dataclass(frozen=True, slots=True)
class Removal:
    """A file or a link that will be gone, as it was when that was decided on; a link also says where it leads."""

    path: Path
    shown: str
    status: os.stat_result
    leads_to: str | None = None


def content_to_change(path: Path, shown: str) -> bytes:
    """What is in a file that may be changed; raises WorkspaceError for one that cannot be, FileMissing for none."""
    with (
        _explaining(shown),
        opened_folder(path.parent) as folder,
        _changeable(folder, path.name or ".", shown) as file,
    ):
        return whole_content(file, shown)


def has_other_names(path: Path, shown: str) -> bool:
    """Whether a resolved path is only one of the names of its file; raises WorkspaceError."""
    with _explaining(shown), opened_folder(path.parent) as folder:
        status = os.stat(path.name or ".", dir_fd=folder, follow_symlinks=False)
        return stat.S_ISREG(status.st_mode) and status.st_nlink > 1


def apply_content(change: ContentChange, flag: StopFlag, witness: Witness | None = None) -> None:
    """Raises WorkspaceError; then nothing has changed. Once begun it goes on to its end, whatever the flag says."""
    with locked(change.path), _explaining(change.shown):
        flag.check()
        if change.before is None:
            # Missing folders are a part of the change, too.
            with (
                witnessed(witness, change.path, None, change.after),
                opened_folder(change.path.parent, making=True) as folder,
            ):
                sweep(folder)
                _create(folder, change)
        else:
            with opened_folder(change.path.parent) as folder:
                sweep(folder)
                _replace(folder, change, change.before, witness)


def removal_of(path: Path, shown: str) -> Removal:
    """Raises WorkspaceError for all but files and links."""
    with _explaining(shown), opened_folder(path.parent) as folder:
        name = path.name or "."
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(status.st_mode):
            return Removal(path, shown, status)
        if stat.S_ISLNK(status.st_mode):
            return Removal(path, shown, status, os.readlink(name, dir_fd=folder))
    if stat.S_ISDIR(status.st_mode):
        raise WorkspaceError(f"{shown} is a folder; name the files in it, or remove it with execute_command.")
    words = next((words for is_kind, words in KINDS if is_kind(status.st_mode)), "not a file")
    raise WorkspaceError(f"{shown} is {words.partition(',')[0]}; only files and links are deleted.")


def apply_removal(removal: Removal, flag: StopFlag, witness: Witness | None = None) -> None:
    """Raises WorkspaceError; then it is still there."""
    with locked(removal.path), _explaining(removal.shown), opened_folder(removal.path.parent) as folder:
        flag.check()
        _require_as_seen(folder, removal)
        found = None if witness is None else _found(folder, removal)
        with witnessed(witness, removal.path, found, None):
            _require_as_seen(folder, removal)
            os.unlink(removal.path.name, dir_fd=folder)


def _require_as_seen(folder: int, removal: Removal) -> None:
    if not is_same_file(os.stat(removal.path.name, dir_fd=folder, follow_symlinks=False), removal.status):
        raise FileChanged(f"{removal.shown} has changed in the meantime; look at it again.")


def _found(folder: int, removal: Removal) -> Found:
    """What will be gone, for somebody who wants to keep it; that it cannot be read is no reason not to remove it."""
    if removal.leads_to is not None:
        return LeadsTo(removal.leads_to)
    mode = stat.S_IMODE(removal.status.st_mode)
    try:
        with file_in(folder, removal.path.name, removal.shown) as file:
            data = content_up_to_limit(file)
    except OSError as error:
        return Unread(f"it could not be read: {error.strerror or error}", mode)
    return Unread(f"it was larger than {plain_size(MAXIMUM_BYTES)}", mode) if data is None else Content(data, mode)


@contextmanager
def _changeable(folder: int, name: str, shown: str) -> Generator[OpenFile]:
    """An opened file. Replacing it needs the right to its folder only; what the file itself says counts, too."""
    with file_in(folder, name, shown) as file:
        mode = stat.S_IMODE(file.status.st_mode)
        if not mode & ANY_WRITE_BIT:
            raise WorkspaceError(
                f"{shown} is read-only (mode {mode:04o}); it must be made writable before it is changed."
            )
        os.close(os.open(name, WRITE_FLAGS, dir_fd=folder))
        yield file


def _create(folder: int, change: ContentChange) -> None:
    try:
        create_file(folder, change.path.name, change.after, change.mode)
    except FileExistsError as error:
        raise FileChanged(f"{change.shown} has appeared in the meantime; read it first.") from error


def _replace(folder: int, change: ContentChange, before: bytes, witness: Witness | None) -> None:
    name, shown = change.path.name, change.shown
    with _changeable(folder, name, shown) as file:
        # For other processes, and for other names of the same file, which the lock of the path knows nothing of.
        if not claimed(file.descriptor):
            raise FileChanged(f"{shown} is being changed by somebody else; read it again.")
        if not has_content(file, before):
            raise FileChanged(f"{shown} has changed since it was read; read it again.")
        if change.only_name and file.status.st_nlink > 1:
            raise FileChanged(f"{shown} has got another name in the meantime; look at it again.")
        found = Content(before, stat.S_IMODE(file.status.st_mode))
        with witnessed(witness, change.path, found, change.after):
            if file.status.st_nlink > 1:
                write_in_place(folder, name, file, before, change.after, shown)
            else:
                replace_file(folder, name, file, change.after, shown, change.mode)


@contextmanager
def _explaining(shown: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in EXPLAINED:
            raise explained(error, shown) from error
        hint = " Neither it nor its folder may be write-protected." if error.errno in PROTECTED else ""
        raise WorkspaceError(f"{shown} cannot be changed: {error.strerror or error}.{hint}") from error
