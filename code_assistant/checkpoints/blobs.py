"""Contents of files under their digests, in a private folder: each once, whole or not at all, read back verified."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path

from code_assistant.checkpoints.states import digest_of
from code_assistant.errors import WorkspaceError
from code_assistant.workspace.replacing import create_file
from code_assistant.workspace.temporary_files import sweep

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MODE = 0o600


class Blobs:
    """The folder is made by whoever keeps the first content, and is nobody else's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, data: bytes, digest: str) -> None:
        """On disk when this returns; raises OSError."""
        with self._opened() as folder:
            sweep(folder)
            try:
                create_file(folder, digest, data, _MODE)
            except FileExistsError:
                if os.stat(digest, dir_fd=folder, follow_symlinks=False).st_size != len(data):
                    os.unlink(digest, dir_fd=folder)
                    create_file(folder, digest, data, _MODE)

    def content(self, digest: str) -> bytes:
        """Raises WorkspaceError for one that is gone or damaged."""
        try:
            with self._opened() as folder:
                data = _read(folder, digest)
        except FileNotFoundError as error:
            raise WorkspaceError("what it was before is not there any more") from error
        except OSError as error:
            raise WorkspaceError(f"what it was before cannot be read: {error.strerror or error}") from error
        if digest_of(data) != digest:
            raise WorkspaceError("what it was before is damaged")
        return data

    def sizes(self) -> dict[str, int]:
        """Of all that is kept, by digest; raises OSError."""
        try:
            with os.scandir(self.folder) as entries:
                return {entry.name: entry.stat(follow_symlinks=False).st_size for entry in entries}
        except (FileNotFoundError, NotADirectoryError):
            return {}

    def drop(self, digests: Iterable[str]) -> None:
        """Keep these no longer; raises OSError."""
        with self._opened() as folder:
            for digest in digests:
                with suppress(FileNotFoundError):
                    os.unlink(digest, dir_fd=folder)

    @contextmanager
    def _opened(self) -> Generator[int]:
        folder = os.open(self.folder, _FOLDER_FLAGS)
        try:
            yield folder
        finally:
            os.close(folder)


def _read(folder: int, name: str) -> bytes:
    with os.fdopen(os.open(name, _READ_FLAGS, dir_fd=folder), "rb") as file:
        return file.read()
