"""Opens files of a session for reading: only regular ones, since a link leads anywhere and a pipe is waited for."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from code_assistant.errors import WorkspaceError

_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def open_regular(path: Path) -> BinaryIO:
    """Raises WorkspaceError for what is missing, a link or no regular file."""
    try:
        descriptor = os.open(path, _READ_FLAGS)
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be read: {error.strerror or error}.") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise WorkspaceError(f"{path} cannot be read: it is not a regular file.")
    return os.fdopen(descriptor, "rb")


def require_regular(path: Path) -> None:
    """Raises WorkspaceError for what is there and is no regular file; nothing there is fine."""
    _require(path, stat.S_IFREG, "a file", "a regular file")


def require_folder(path: Path) -> None:
    """Raises WorkspaceError for what is there and is no folder; nothing there is fine."""
    _require(path, stat.S_IFDIR, "a folder", "a folder")


def _require(path: Path, kind: int, own: str, wanted: str) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be read: {error.strerror or error}.") from error
    if stat.S_ISLNK(found.st_mode):
        raise WorkspaceError(f"{path} is a symlink and must be {own} of its own. Remove the symlink.")
    if stat.S_IFMT(found.st_mode) != kind:
        raise WorkspaceError(f"{path} is not {wanted}. Remove it.")
