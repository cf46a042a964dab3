"""Where git keeps a repository, and which places its configuration names; read as data, nothing is run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MAXIMUM_BYTES = 1_000_000
NAME = b"gitdir:"
CONTINUED = re.compile(rb"\\\r?\n")
# `path` of a section other than include is no harm: what it names is protected for nothing.
NAMING_KEY = re.compile(rb"(?im)^[ \t]*(?:\[[^\n]*\])?[ \t]*(hookspath|path)[ \t]*=[ \t]*(.*)$")
# A value ends where a comment begins, outside of quotes.
VALUE = re.compile(rb'(?:"[^"]*"?|[^"#;])*')
# Files that name further files.
MAXIMUM_FILES = 20
SYSTEM_CONFIGURATION = Path("/etc/gitconfig")
HOME_CONFIGURATION = (".gitconfig", ".config/git/config")


class Named(NamedTuple):
    """A place that a configuration names: a further file of it, or a folder of hooks."""

    place: Path
    is_file: bool


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
    """Whether git could take this folder itself for a repository; what it looks at it need not look into."""
    names = [name for name in ("HEAD", "commondir", "objects", "refs") if os.path.lexists(folder / name)]
    return names[:1] == ["HEAD"] and ("commondir" in names or len(names) == 3)


def named_by_repository(folder: Path, tree: Path, home: Path) -> Iterator[Named]:
    """What the configuration of a git folder names, for its work tree."""
    return _named_by([folder / "config", folder / "config.worktree"], tree, home)


def named_by_person(tree: Path, home: Path) -> Iterator[Named]:
    """What the person's own configuration names, in whatever repository."""
    return _named_by([SYSTEM_CONFIGURATION, *(home / name for name in HOME_CONFIGURATION)], tree, home)


def _named_by(files: list[Path], tree: Path, home: Path) -> Iterator[Named]:
    waiting = list(files)
    for file in waiting:
        for key, value in NAMING_KEY.findall(CONTINUED.sub(b"", _beginning(file) or b"")):
            is_file = key.lower() == b"path"
            place = _place(value, file.parent if is_file else tree, home)
            if place is None:
                continue
            if is_file and place not in waiting and len(waiting) < MAXIMUM_FILES:
                waiting.append(place)
            yield Named(place, is_file)


def _place(value: bytes, base: Path, home: Path) -> Path | None:
    found = VALUE.match(value)
    text = os.fsdecode(found[0].replace(b'"', b"").strip()) if found else ""
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
