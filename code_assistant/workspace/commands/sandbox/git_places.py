"""Where git keeps a repository, and which places its configuration names; read as data, nothing is run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

MAXIMUM_BYTES = 65_536
NAME = b"gitdir:"
# `path` of a section other than include is no harm: what it names is protected for nothing.
NAMING_KEY = re.compile(rb"(?im)^[ \t]*(?:\[[^\n]*\])?[ \t]*(hookspath|path)[ \t]*=[ \t]*(.*)$")
COMMENT = re.compile(rb"[ \t]+[#;].*$")
# Files that name further files.
MAXIMUM_FILES = 20
# The person's own.
HOME_CONFIGURATION = (".gitconfig", ".config/git/config")


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


def is_git_folder(folder: Path) -> bool:
    """Whether git takes this folder itself for a repository."""
    return os.path.lexists(folder / "HEAD") and (folder / "objects").is_dir() and (folder / "refs").is_dir()


def named_by_configuration(folder: Path, tree: Path, home: Path) -> Iterator[Path]:
    """Where hooks lie, and further files of the configuration: of a git folder and its work tree, or of the person."""
    waiting = [folder / "config", folder / "config.worktree", *(home / name for name in HOME_CONFIGURATION)]
    for file in waiting:
        for key, value in NAMING_KEY.findall(_beginning(file) or b""):
            is_file = key.lower() == b"path"
            named = _named(value, file.parent if is_file else tree, home)
            if named is None:
                continue
            if is_file and named not in waiting and len(waiting) < MAXIMUM_FILES:
                waiting.append(named)
            yield named


def _named(value: bytes, base: Path, home: Path) -> Path | None:
    text = os.fsdecode(COMMENT.sub(b"", value).replace(b'"', b"").strip())
    if not text or "\0" in text:
        return None
    return home / text[2:] if text.startswith("~/") else base / text


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
