"""Texts too long for a conversation, whole, in private files that read_files can page, as long as the session lives."""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path

from code_assistant.private_files import make_private_folder, private_descriptor
from code_assistant.secrets import Masker
from code_assistant.workspace.removing import remove_folder

logger = logging.getLogger(__name__)

MAXIMUM_BYTES = 100_000_000
MAXIMUM_SESSION_BYTES = 1_000_000_000
OWNER = re.compile(r"(?P<process>\d+)-[0-9a-f]+")


@dataclass(slots=True)
class SpillFile:
    """A file being written, up to a limit; what comes after it is only counted."""

    path: Path
    _descriptor: int
    limit: int = MAXIMUM_BYTES
    written: int = 0
    dropped: int = 0

    def write(self, text: bytes) -> None:
        """Whole characters in UTF-8; raises OSError when the disk is full or gone."""
        # Once something is dropped, nothing that comes later may close up to what is there.
        room = 0 if self.dropped else self.limit - self.written
        kept = memoryview(text)[: _border(text, room)]
        self.dropped += len(text) - len(kept)
        while kept:
            count = os.write(self._descriptor, kept)
            self.written += count
            kept = kept[count:]

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _border(text: bytes, room: int) -> int:
    """The end of the last character that fits."""
    if len(text) <= room:
        return len(text)
    while room > 0 and text[room] & 0xC0 == 0x80:
        room -= 1
    return room


class SpillFolder:
    """Made when the first file is, inside a private folder whose parents may have to be made private, too.

    `masker` knows the keys that must not stand in a file. With the first file, what killed programs left is removed.
    """

    def __init__(self, path: Path, masker: Masker | None = None) -> None:
        self.path = Path(os.path.realpath(path))
        self.masker = masker or Masker(())
        self._files: list[SpillFile] = []
        self._is_made = False

    @classmethod
    def of_this_process(cls, parent: Path, masker: Masker) -> SpillFolder:
        """A new folder whose name says whose it is."""
        return cls(parent / f"{os.getpid()}-{os.urandom(8).hex()}", masker)

    def create(self, stem: str) -> SpillFile:
        """A new file; raises WorkspaceError where none can be made."""
        self.make()
        room = MAXIMUM_SESSION_BYTES - sum(file.written for file in self._files)
        path = self.path / f"{stem}-{len(self._files) + 1}.txt"
        file = SpillFile(path, private_descriptor(path), min(MAXIMUM_BYTES, max(room, 0)))
        self._files.append(file)
        return file

    def make(self) -> None:
        """The folder itself, without a file; raises WorkspaceError where it cannot be made."""
        make_private_folder(self.path.parent)
        if not self._is_made:
            _sweep(self.path.parent)
            self._is_made = True
        make_private_folder(self.path)

    def remove(self) -> None:
        """The session ends, and its texts with it."""
        if self.path.is_dir():
            _remove(self.path)


def _sweep(parent: Path) -> None:
    """Remove folders of processes that are gone without having done so."""
    try:
        folders = list(parent.iterdir())
    except OSError as error:
        logger.warning("%s could not be cleaned up: %s", parent, error)
        return
    for folder in folders:
        owner = OWNER.fullmatch(folder.name)
        if owner is not None and not _is_running(int(owner["process"])):
            _remove(folder)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _remove(folder: Path) -> None:
    try:
        remove_folder(folder)
    except OSError as error:
        logger.warning("%s could not be removed: %s", folder, error)
