"""Files that rules keep from being read or changed, looked for below the folders that a command is given."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

MOST_LOOKED_AT = 10_000


class KeptFiles:
    """For one command: all its folders together are bounded. `is_cut` when more lies there than was looked at."""

    def __init__(self, most: int = MOST_LOOKED_AT) -> None:
        self._left = most
        self.is_cut = False

    def below(self, folder: Path, is_kept: Callable[[Path], bool], *, passes_hidden: bool = False) -> Iterator[Path]:
        """What is near comes first; of a folder that is kept as a whole, only its name."""
        waiting = deque([folder])
        while waiting:
            for entry in self._entries(waiting.popleft()):
                if passes_hidden and entry.name.startswith("."):
                    continue
                path = Path(entry.path)
                if is_kept(path) or (entry.is_symlink() and is_kept(Path(os.path.realpath(path)))):
                    yield path
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(path)

    def _entries(self, folder: Path) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._left -= 1
                    if self._left < 0:
                        self.is_cut = True
                        return
                    yield entry
        except OSError:
            # No folder, or none that may be read: there is nothing to be found by us, nor by the command.
            return
