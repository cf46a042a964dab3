"""Small private JSON files that several programs may change: one at a time, replaced in one step."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.private_files import make_private_folder, private_descriptor


@contextmanager
def alone_with(file: Path) -> Generator[None]:
    """Two programs may change it at the same moment, and nothing of either may be lost."""
    make_private_folder(file.parent)
    descriptor = private_descriptor(file.with_name(f".{file.name}.lock"))
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def replace_private(file: Path, document: object) -> None:
    """In one step, private from the first byte."""
    folder = file.parent
    make_private_folder(folder)
    temporary = folder / f".{file.name}.{os.getpid()}"
    temporary.unlink(missing_ok=True)
    descriptor = private_descriptor(temporary)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            json.dump(document, opened, indent=2)
            opened.flush()
            os.fsync(opened.fileno())
        temporary.replace(file)
    except OSError as error:
        raise WorkspaceError(f"{file} cannot be written: {error.strerror or error}.") from error
    finally:
        temporary.unlink(missing_ok=True)
