"""Reading small text files: regular files only, bounded, never hanging on a pipe or a device."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.sanitize import sanitize_line

MAX_FILE_BYTES = 1_000_000

# Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def read_user_file(path: Path) -> str | None:
    """The text of one of the person's own files, or None where there is none. Symlinks are theirs to make."""
    try:
        descriptor = os.open(path, READ_FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise unreadable(path, error) from error
    return read_descriptor(descriptor, path)


def read_descriptor(descriptor: int, path: Path) -> str:
    """Read and close an open file; `path` only names it in errors."""
    return decoded(read_content(descriptor, path))


def decoded(content: bytes) -> str:
    return content.decode("utf-8", errors="replace").removeprefix("\ufeff")


def read_content(descriptor: int, path: Path) -> bytes:
    """The same, as the bytes that they are."""
    try:
        content = _content(descriptor)
    except OSError as error:
        raise unreadable(path, error) from error
    finally:
        os.close(descriptor)
    if content is None:
        raise WorkspaceError(f"{sanitize_line(str(path))} is not a regular file. Replace or remove it.")
    if len(content) > MAX_FILE_BYTES:
        raise WorkspaceError(f"{sanitize_line(str(path))} is larger than {MAX_FILE_BYTES} bytes. Shorten it.")
    return content


def unreadable(path: Path, error: OSError) -> WorkspaceError:
    """The typed error for a file that is there and cannot be read."""
    return WorkspaceError(
        f"{sanitize_line(str(path))} cannot be read: {error.strerror or error}. Check its permissions."
    )


def _content(descriptor: int) -> bytes | None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return None
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read(MAX_FILE_BYTES + 1)
