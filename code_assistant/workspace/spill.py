"""Texts too long for a conversation, whole, in private files that read_files can page, as long as the session lives."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path

from code_assistant.private_files import make_private_folder, private_descriptor

logger = logging.getLogger(__name__)

MAXIMUM_BYTES = 100_000_000


@dataclass(slots=True)
class SpillFile:
    """A file being written, up to a limit; what comes after it is only counted."""

    path: Path
    _descriptor: int
    written: int = 0
    dropped: int = 0

    def write(self, text: bytes) -> None:
        """Whole characters in UTF-8; raises OSError when the disk is full or gone."""
        # Once something is dropped, nothing that comes later may close up to what is there.
        room = 0 if self.dropped else MAXIMUM_BYTES - self.written
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
    """Made when the first file is, inside a private folder whose parents may have to be made private, too."""

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))
        self._count = 0

    def create(self, stem: str) -> SpillFile:
        """A new file; raises WorkspaceError where none can be made."""
        for folder in (self.path.parent, self.path):
            make_private_folder(folder)
        self._count += 1
        path = self.path / f"{stem}-{self._count}.txt"
        return SpillFile(path, private_descriptor(path))

    def keep(self, stem: str, text: str) -> Path:
        """Keep a whole text; raises WorkspaceError or OSError where that is not possible."""
        file = self.create(stem)
        try:
            file.write(text.encode("utf-8", "replace"))
        finally:
            file.close()
        return file.path

    def remove(self) -> None:
        """The session ends, and its texts with it."""
        import shutil

        if self.path.is_dir():
            try:
                shutil.rmtree(self.path)
            except OSError as error:
                logger.warning("%s could not be removed: %s", self.path, error)
