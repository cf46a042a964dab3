"""Where git keeps a repository whose `.git` is a file; read as data, nothing is run."""

from __future__ import annotations

import os
from pathlib import Path

MAXIMUM_BYTES = 8192
NAME = b"gitdir:"


def named_git_folder(file: Path) -> Path | None:
    """The folder that a `.git` file names, resolved."""
    content = _beginning(file)
    if content is None or not content.startswith(NAME):
        return None
    return _resolved(file.parent, content.removeprefix(NAME))


def common_folder(folder: Path) -> Path:
    """The folder that the configuration of a git folder is in: its own, or that of the main work tree."""
    content = _beginning(folder / "commondir")
    named = _resolved(folder, content) if content else None
    return named or folder


def _resolved(base: Path, name: bytes) -> Path | None:
    text = os.fsdecode(name.strip())
    return Path(os.path.realpath(base / text)) if text and "\0" not in text else None


def _beginning(file: Path) -> bytes | None:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(descriptor, MAXIMUM_BYTES)
    except OSError:
        return None
    finally:
        os.close(descriptor)
