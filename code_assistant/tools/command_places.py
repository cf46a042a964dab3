"""The places that the words of a command could name: looked at widely, for rules that keep places from being used."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.permissions.access import Place
from code_assistant.permissions.command_rules import FOLDER_CHANGING
from code_assistant.permissions.shell.analysis import Analysis, Member, Word
from code_assistant.tools.command_globs import BoundedGlobs
from code_assistant.workspace.workspace import Workspace

# Programs whose words are files that they make, change or take away.
CHANGING_PROGRAMS = frozenset(
    {
        *("rm", "rmdir", "unlink", "shred", "mv", "cp", "install", "ln", "link", "touch", "mkdir", "mkfifo", "mknod"),
        *("tee", "truncate", "dd", "chmod", "chown", "chgrp", "setfacl", "setfattr", "sed", "perl", "patch", "rsync"),
        *(
            "sponge",
            "split",
            "csplit",
            "tar",
            "unzip",
            "gzip",
            "gunzip",
            "bzip2",
            "xz",
            "zstd",
            "ed",
            "ex",
            "vi",
            "vim",
        ),
    }
)
NOWHERE = "/dev/null"
# `2>&1` writes to what is open already.
DUPLICATE = re.compile(r"&?\d+|&?-")
HOME_VARIABLES = re.compile(r"\A\$(?:HOME\b|\{HOME\})")
FOLDER_VARIABLES = re.compile(r"\A\$(?:PWD\b|\{PWD\})")
MOST_BASES = 8
TOO_MANY = "it stands for more names than can be looked at"


@dataclass(slots=True)
class CommandPlaces:
    """`obstacle` says why a place is not known or is more than it seems; empty where that is not so."""

    reads: tuple[Place, ...] = ()
    writes: tuple[Place, ...] = ()
    changes: tuple[Place, ...] = ()
    obstacle: str = ""


@dataclass(slots=True)
class _Found:
    reads: dict[Place, None] = field(default_factory=dict[Place, None])
    writes: dict[Place, None] = field(default_factory=dict[Place, None])
    changes: dict[Place, None] = field(default_factory=dict[Place, None])
    obstacle: str = ""
    globs: BoundedGlobs = field(default_factory=BoundedGlobs)


def places_of(analysis: Analysis, workspace: Workspace, folder: Path) -> CommandPlaces:
    """Touches the file system only to resolve names; for any thread."""
    found = _Found()
    bases = [workspace.moved_to(folder)]
    for member in analysis.members:
        bases += _further_bases(member, bases)[: MOST_BASES - len(bases)]
        _note_member(found, member, bases)
    return CommandPlaces(tuple(found.reads), tuple(found.writes), tuple(found.changes), found.obstacle)


def place_named(text: str, workspace: Workspace) -> Place | None:
    """None for what cannot be a path."""
    try:
        resolved = workspace.resolve(text)
    except WorkspaceError:
        return None
    return Place(resolved.path, resolved.named, workspace.folder_of(resolved.path))


def _note_member(found: _Found, member: Member, bases: Sequence[Workspace]) -> None:
    places = [place for word in member.words for place in _places(found, word, bases)]
    found.reads |= dict.fromkeys(places)
    if member.program in CHANGING_PROGRAMS:
        found.changes |= dict.fromkeys(places)
    for redirection in member.redirections:
        target = redirection.target
        is_duplicate = redirection.operator.endswith("&") and DUPLICATE.fullmatch(target.text)
        if target.value == NOWHERE or is_duplicate:
            continue
        if not redirection.writes:
            found.reads |= dict.fromkeys(_places(found, target, bases))
            continue
        found.writes |= dict.fromkeys(_places(found, target, bases))
        found.obstacle = found.obstacle or _obstacle(target, bases)


def _obstacle(target: Word, bases: Sequence[Workspace]) -> str:
    place = place_named(target.value, bases[0]) if target.value is not None else None
    if place is None:
        return "it is not known where it writes to"
    try:
        found = place.path.stat()
    except OSError:
        return ""
    return "it writes to a file that has further names elsewhere" if found.st_nlink > 1 else ""


def _places(found: _Found, word: Word, bases: Sequence[Workspace]) -> Iterator[Place]:
    for base in bases:
        for text in _texts(found, word, base.root):
            place = place_named(text, base)
            if place is not None:
                yield place


def _texts(found: _Found, word: Word, folder: Path) -> Iterator[str]:
    """Every part of a word that a program could take for a path: `--file=a`, `if=a`, `-fa`, `HEAD:a`, `@a`."""
    written = word.value
    if written is None:
        written = re.sub(r"[\"'\\]", "", word.text)
        written = FOLDER_VARIABLES.sub(str(folder), HOME_VARIABLES.sub("~", written))
        if glob.has_magic(written):
            names = found.globs.matching(written, folder)
            found.obstacle = found.obstacle or (TOO_MANY if names is None else "")
            yield from names or ()
    yield written
    if written.startswith("-"):
        yield from (written[2:], written.lstrip("-"))
    yield from (written.rpartition(mark)[2] for mark in ("=", ":", "@", ",") if mark in written)


def _further_bases(member: Member, bases: Sequence[Workspace]) -> list[Workspace]:
    """The folders that what follows may count from: `cd a`, `git -C a`."""
    values = [word.value for word in member.words]
    named = values[1:2] if member.program in FOLDER_CHANGING else []
    named += [value for flag, value in pairwise(values) if flag == "-C"]
    places = [place_named(value, bases[-1]) for value in named if value]
    return [bases[0].moved_to(place.path) for place in places if place is not None]
