"""The whole content of a file at one moment, up to a limit, and whether a file is still the same."""

from __future__ import annotations

import os

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.names import plain_size
from code_assistant.workspace.opening import OpenFile

MAXIMUM_BYTES = 32 << 20
CHUNK_BYTES = 1 << 20


def whole_content(file: OpenFile, shown: str) -> bytes:
    """All bytes of a file that is to be changed; raises WorkspaceError for one that is too large for that."""
    data = content_up_to_limit(file)
    if data is None:
        raise WorkspaceError(f"{shown} is larger than {plain_size(MAXIMUM_BYTES)}, too large to be changed as text.")
    return data


def content_up_to_limit(file: OpenFile) -> bytes | None:
    """All bytes of a file, whatever was read from its descriptor before; None when there are too many."""
    if file.size > MAXIMUM_BYTES:
        return None
    chunks: list[bytes] = []
    position = 0
    # Asking for a byte more than there should be tells a file that grows.
    while chunk := os.pread(file.descriptor, max(file.size - position, CHUNK_BYTES) + 1, position):
        chunks.append(chunk)
        position += len(chunk)
        if position > MAXIMUM_BYTES:
            return None
    return b"".join(chunks)


def has_content(file: OpenFile, expected: bytes) -> bool:
    """Whether a file holds just these bytes, without holding them twice."""
    position = 0
    while chunk := os.pread(file.descriptor, CHUNK_BYTES, position):
        if not expected.startswith(chunk, position):
            return False
        position += len(chunk)
    return position == len(expected)


def is_same_file(first: os.stat_result, second: os.stat_result) -> bool:
    """Whether nothing was written between two looks at a file, as far as the file system tells."""
    return _marks(first) == _marks(second)


def _marks(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
