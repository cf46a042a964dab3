"""Contents of files under their digests, in a private folder: each once, whole or not at all, read back verified."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path

from code_assistant.checkpoints.own_files import own_folder, regular_content
from code_assistant.checkpoints.states import digest_of
from code_assistant.errors import WorkspaceError
from code_assistant.workspace.replacing import create_file
from code_assistant.workspace.snapshots import MAXIMUM_BYTES
from code_assistant.workspace.temporary_files import sweep

DAMAGED = "what it was before is damaged"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MODE = 0o600


class Blobs:
    """The folder is made by whoever keeps the first content, and is nobody else's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, data: bytes, digest: str) -> None:
        """On disk when this returns; raises OSError, or WorkspaceError for what is no digest."""
        _require_digest(digest)
        with self._opened() as folder:
            sweep(folder)
            try:
                create_file(folder, digest, data, _MODE)
            except FileExistsError:
                there = os.stat(digest, dir_fd=folder, follow_symlinks=False)
                if not stat.S_ISREG(there.st_mode) or there.st_size != len(data):
                    os.unlink(digest, dir_fd=folder)
                    create_file(folder, digest, data, _MODE)

    def content(self, digest: str) -> bytes:
        """Raises WorkspaceError for one that is gone or damaged."""
        # The journal says which, and it is no way to other files.
        _require_digest(digest)
        try:
            with self._opened() as folder:
                data = regular_content(folder, digest, MAXIMUM_BYTES)
        except FileNotFoundError as error:
            raise WorkspaceError("what it was before is not there any more") from error
        except OSError as error:
            raise WorkspaceError(f"what it was before cannot be read: {error.strerror or error}") from error
        except WorkspaceError as error:
            raise WorkspaceError(DAMAGED) from error
        if digest_of(data) != digest:
            raise WorkspaceError(DAMAGED)
        return data

    def sizes(self) -> dict[str, int]:
        """Of all that is kept, by digest; raises OSError."""
        try:
            with self._opened() as folder, os.scandir(folder) as entries:
                ours = [entry for entry in entries if _DIGEST.fullmatch(entry.name)]
                return {entry.name: entry.stat(follow_symlinks=False).st_size for entry in ours}
        except (FileNotFoundError, NotADirectoryError):
            return {}

    def drop(self, digests: Iterable[str]) -> None:
        """Keep these no longer; raises OSError. What is no digest is nothing of ours."""
        with self._opened() as folder:
            for digest in digests:
                if _DIGEST.fullmatch(digest):
                    with suppress(FileNotFoundError):
                        os.unlink(digest, dir_fd=folder)

    def share(self, digest: str, other: Blobs) -> None:
        """The same content for another session; raises OSError, or WorkspaceError for one that is gone or damaged."""
        # Nobody writes into a content that is kept, so one file can be that of both.
        if not self._link(digest, other):
            other.keep(self.content(digest), digest)

    def _link(self, digest: str, other: Blobs) -> bool:
        try:
            with self._opened() as source, other._opened() as target:
                there = os.stat(digest, dir_fd=source, follow_symlinks=False)
                if there.st_uid != os.geteuid() or there.st_mode != stat.S_IFREG | _MODE:
                    return False
                os.link(digest, digest, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
        except OSError:
            # Not every file system has them; whatever else is wrong is wrong for copying, too.
            return False
        return True

    @contextmanager
    def _opened(self) -> Generator[int]:
        with own_folder(self.folder.parent, self.folder.name) as folder:
            yield folder


def _require_digest(digest: str) -> None:
    if not _DIGEST.fullmatch(digest):
        raise WorkspaceError(DAMAGED)
