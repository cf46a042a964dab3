"""Files that rules keep from being read or changed, looked for below the folders that a command is given."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Container, Iterator
from pathlib import Path

from code_assistant.permissions.shell.name_filters import NameFilter

MOST_LOOKED_AT = 10_000
# Of paths, that are compared with rules as fast as one of the usual length.
CHARACTERS = 256


def resolved(path: Path) -> Path:
    """As it is where a link may not be looked at, as those of other programs in /proc."""
    try:
        return Path(os.path.realpath(path))
    except OSError:
        return path


class KeptFiles:
    """For one command: all its folders together are bounded. `is_cut` when more lies there than was looked at."""

    def __init__(self, most: int = MOST_LOOKED_AT) -> None:
        self._left = most
        self.is_cut = False

    def below(
        self,
        folder: Path,
        is_kept: Callable[[Path], bool],
        *,
        passes_hidden: bool = False,
        only: NameFilter | None = None,
        without: Container[str] = (),
    ) -> Iterator[Path]:
        """What is near comes first; of a folder that is kept as a whole, only its name.

        Just what `only` means, if that is given; nothing from folders of the names in `without`.
        """
        waiting = deque([folder])
        while waiting:
            for entry in self._entries(waiting.popleft()):
                if entry.name in without or (passes_hidden and entry.name.startswith(".")):
                    continue
                path = Path(entry.path)
                is_meant = only is None or only.means(path, folder)
                if is_meant and (is_kept(path) or (entry.is_symlink() and is_kept(resolved(path)))):
                    yield path
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(path)

    def merged(self, source: Path, target: Path, is_kept: Callable[[Path], bool]) -> Iterator[Path]:
        """What is kept of the places that get something where all in one folder is put into another."""
        waiting = deque([(source, target)])
        while waiting:
            folder, there = waiting.popleft()
            for entry in self._entries(folder):
                path = there / entry.name
                if os.path.islink(path):  # noqa: PTH114 (that one raises for a name longer than a file can have)
                    path = resolved(path)
                if is_kept(path):
                    yield path
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append((Path(entry.path), path))

    def _entries(self, folder: Path) -> Iterator[os.DirEntry[str]]:
        # A folder costs, too, and names that lie deep are longer to compare.
        work = 1 + len(str(folder)) // CHARACTERS
        self._left -= work
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._left -= work
                    if self._left < 0:
                        self.is_cut = True
                        return
                    yield entry
        except OSError:
            # No folder, or none that may be read: there is nothing to be found by us, nor by the command.
            return
