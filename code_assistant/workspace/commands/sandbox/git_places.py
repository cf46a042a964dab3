"""Where git keeps a repository, and which places its configuration names; read as data, nothing is run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from code_assistant.protected_names import GIT
from code_assistant.workspace.commands.sandbox.git_configuration import (
    HOOKS,
    INCLUDED,
    WORK_TREE,
    naming_values,
    until_zero,
)
from code_assistant.workspace.commands.sandbox.mount_records import is_git_folder

MAXIMUM_BYTES = 1_000_000
NAME = b"gitdir: "
# Files that name further files.
MAXIMUM_FILES = 20
SYSTEM_CONFIGURATION = Path("/etc/gitconfig")
HOME_CONFIGURATION = (".gitconfig", ".config/git/config")


class Named(NamedTuple):
    """A place that a configuration names: a further file of it, or a folder of hooks."""

    place: Path
    is_file: bool


def named_git_folder(file: Path) -> Path | None:
    """The folder that a `.git` file names, by whatever way it does."""
    content = _beginning(file)
    if content is None or not content.startswith(NAME):
        return None
    return _named(file.parent, content.removeprefix(NAME))


def common_folder(folder: Path) -> Path:
    """The folder that the configuration of a git folder is in: its own, or that of the main work tree."""
    content = _beginning(folder / "commondir")
    named = _named(folder, content) if content else None
    return named or folder


def repository_around(folder: Path) -> tuple[Path, Path] | None:
    """The work tree of the nearest repository that a folder is in, and its git folder; a bare one is both."""
    for tree in (folder, *folder.parents):
        if is_git_folder(os.fsencode(tree / GIT)):
            return tree, tree / GIT
        if (named := named_git_folder(tree / GIT)) is not None:
            return tree, named
        if is_git_folder(os.fsencode(tree)):
            return tree, tree
    return None


def named_by_repository(folder: Path, tree: Path, home: Path) -> Iterator[Named]:
    """What the configuration of a git folder names, for its work tree."""
    return _named_by(_configuration(folder), _folders_of_hooks(folder, tree), home)


def named_by_person(folder: Path, tree: Path, home: Path) -> Iterator[Named]:
    """What the person's own configuration names, in whatever repository."""
    files = [SYSTEM_CONFIGURATION, *(home / name for name in HOME_CONFIGURATION)]
    return _named_by(files, _folders_of_hooks(folder, tree), home)


def _configuration(folder: Path) -> list[Path]:
    return [common_folder(folder) / "config", folder / "config.worktree"]


def _folders_of_hooks(folder: Path, tree: Path) -> list[Path]:
    """Where git runs hooks: in the work tree, or the one that is named, and in the git folder when it is pushed to."""
    named = [[value for name, value in _values(file) if name == WORK_TREE] for file in _configuration(folder)]
    # The last one of a file counts, in either of its meanings.
    return [tree, folder, *(folder / os.fsdecode(value) for values in named for value in values[-2:])]


def _named_by(files: list[Path], folders: list[Path], home: Path) -> Iterator[Named]:
    waiting = list(files)
    for file in waiting:
        # Each once: there may be any number of them.
        for name, value in dict.fromkeys(_values(file)):
            if name == INCLUDED:
                place = _place(value, file.parent, home)
                if place not in waiting and len(waiting) < MAXIMUM_FILES:
                    waiting.append(place)
                yield Named(place, is_file=True)
            elif name == HOOKS:
                yield from (Named(_place(value, each, home), is_file=False) for each in folders)


def _values(file: Path) -> Iterator[tuple[bytes, bytes]]:
    return (each for each in naming_values(_beginning(file) or b"") if each[1])


def _place(value: bytes, base: Path, home: Path) -> Path:
    text = os.fsdecode(value)
    if text == "~" or text.startswith("~/"):
        return Path(f"{home}{text[1:]}")
    return base / os.path.expanduser(text)  # noqa: PTH111 - Path raises for unknown users


def _named(base: Path, line: bytes) -> Path | None:
    text = os.fsdecode(until_zero(line.rstrip(b"\r\n")))
    return base / text if text else None


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
