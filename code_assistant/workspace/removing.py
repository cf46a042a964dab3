"""Removing a folder and all that is in it, however deep that is and whatever rights its folders were left with."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from code_assistant.workspace.opening import FOLDER_FLAGS, LIST_FLAGS, descriptor_path, opened_folder

OWNER_MAY = stat.S_IRWXU


@dataclass(slots=True)
class _Level:
    """A folder on the way down: its name in the one above, which one that is, and the folders that are left in it."""

    name: str
    identity: tuple[int, int]
    folders: list[str]


def remove_folder(folder: Path) -> None:
    """Follows no link. Raises OSError, the first one, when something is left; all that can be removed is, then."""
    with opened_folder(Path(os.path.realpath(folder.parent))) as parent:
        _Removal(parent).remove(folder.name)


class _Removal:
    """Goes down and up by single names, with a descriptor of the one folder it is in.

    A path may become too long for the kernel, a stack of calls too deep for Python, and descriptors may run out.
    """

    def __init__(self, parent: int) -> None:
        self._at = os.dup(parent)
        self._way: list[_Level] = []
        self._first_error: OSError | None = None

    def remove(self, name: str) -> None:
        try:
            self._enter(name)
            while self._way:
                level = self._way[-1]
                if level.folders:
                    self._enter(level.folders.pop())
                else:
                    self._leave()
        finally:
            os.close(self._at)
        if self._first_error is not None:
            raise self._first_error

    def _enter(self, name: str) -> None:
        try:
            below = _opened(name, self._at)
        except OSError as error:
            self._note(error)
            return
        above, self._at = self._at, below
        self._way.append(_Level(name, _identity(above), self._emptied()))
        os.close(above)

    def _emptied(self) -> list[str]:
        """Without files now; the folders that are left."""
        try:
            with os.scandir(self._at) as found:
                entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
        except OSError as error:
            self._note(error)
            return []
        for name in (name for name, is_folder in entries if not is_folder):
            try:
                os.unlink(name, dir_fd=self._at)
            except OSError as error:
                self._note(error)
        return [name for name, is_folder in entries if is_folder]

    def _leave(self) -> None:
        level = self._way.pop()
        above = os.open("..", FOLDER_FLAGS, dir_fd=self._at)
        os.close(self._at)
        self._at = above
        if _identity(above) != level.identity:
            raise OSError("it was moved while it was removed")
        try:
            os.rmdir(level.name, dir_fd=above)
        except OSError as error:
            self._note(error)

    def _note(self, error: OSError) -> None:
        self._first_error = self._first_error or error


def _opened(name: str, parent: int) -> int:
    """A folder of ours that its owner may list and change from now on."""
    handle = os.open(name, FOLDER_FLAGS, dir_fd=parent)
    try:
        if os.fstat(handle).st_mode & OWNER_MAY != OWNER_MAY:
            # By the descriptor: the name may be a link to somebody's file by now.
            os.chmod(descriptor_path(handle) or handle, OWNER_MAY)  # noqa: PTH101 (a descriptor has no Path)
        return os.open(".", LIST_FLAGS, dir_fd=handle)
    finally:
        os.close(handle)


def _identity(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino
