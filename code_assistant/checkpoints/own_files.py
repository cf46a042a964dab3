"""Reading what is kept: nothing is followed, and nothing but a regular file is opened or waited for."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.names import plain_size
from code_assistant.workspace.opening import file_in
from code_assistant.workspace.snapshots import CHUNK_BYTES

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def own_folder(path: Path, *inner: str) -> Generator[int]:
    """A descriptor of a folder, or of one inside it; raises OSError, also where one of them is a link."""
    folder = os.open(path, _FOLDER_FLAGS)
    try:
        for name in inner:
            above, folder = folder, os.open(name, _FOLDER_FLAGS, dir_fd=folder)
            os.close(above)
        yield folder
    finally:
        os.close(folder)


def regular_content(folder: int, name: str, limit: int) -> bytes:
    """All of a file; raises OSError, or WorkspaceError for what is no regular file or too long."""
    # Opening some devices has effects of its own, so the kind is looked at before.
    if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        raise WorkspaceError(f"{name} is not a regular file")
    chunks: list[bytes] = []
    position = 0
    with file_in(folder, name, name) as file:
        while chunk := os.pread(file.descriptor, CHUNK_BYTES, position):
            chunks.append(chunk)
            position += len(chunk)
            if position > limit:
                raise WorkspaceError(f"{name} is larger than {plain_size(limit)}")
    return b"".join(chunks)
