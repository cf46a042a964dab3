"""A folder on the way of a walk, and what is in it: looked at by descriptors only, so that no link leads elsewhere."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from code_assistant.workspace.opening import FILE_FLAGS, LIST_FLAGS, open_unlinked


class WalkedFolder:
    """A folder by its resolved path, opened when it is needed and whenever it is needed again.

    A walk goes deep, and descriptors are few: only the folder it is in is open. A path is opened anew component by
    component, so that a folder swapped for a link in the meantime is an OSError.
    """

    __slots__ = ("_descriptor", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def descriptor(self) -> int:
        """Raises OSError."""
        if self._descriptor is None:
            self._descriptor = open_unlinked(self.path, LIST_FLAGS)
        return self._descriptor

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def entries(self) -> list[Entry]:
        """All that is in it, sorted by name; raises OSError."""
        prefix = self.path.rstrip("/") + "/"
        with os.scandir(self.descriptor) as scan:
            found = [
                Entry(
                    each.name,
                    prefix + each.name,
                    self,
                    each.is_dir(follow_symlinks=False),
                    each.is_file(follow_symlinks=False),
                    each.is_symlink(),
                )
                for each in scan
            ]
        found.sort(key=_by_name)
        return found


@dataclass(slots=True, eq=False)
class Entry:
    """One name in a folder, and what it was when the folder was read; a device or a pipe is none of the three."""

    name: str
    path: str
    folder: WalkedFolder
    is_folder: bool
    is_file: bool
    is_link: bool

    def status(self) -> os.stat_result:
        """Of the name itself, also where it is a link; raises OSError."""
        return os.stat(self.name, dir_fd=self.folder.descriptor, follow_symlinks=False)

    def leads_to(self) -> str:
        """What is written in a link; raises OSError."""
        return os.readlink(self.name, dir_fd=self.folder.descriptor)

    def opened(self) -> int:
        """A descriptor for reading, which the caller closes; raises OSError, also for a link."""
        return os.open(self.name, FILE_FLAGS, dir_fd=self.folder.descriptor)

    def real_path(self) -> Path:
        """Where it is, or where it leads when it is a link."""
        return Path(os.path.realpath(self.path)) if self.is_link else Path(self.path)


def _by_name(entry: Entry) -> str:
    return entry.name
