"""The places that the words of a command could name: looked at widely, for rules that keep places from being used."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.permissions.access import Place
from code_assistant.permissions.command_rules import FOLDER_CHANGING
from code_assistant.permissions.shell.analysis import Analysis, Member, Word
from code_assistant.permissions.shell.braces import alternatives
from code_assistant.tools.command_globs import BoundedGlobs
from code_assistant.workspace.workspace import Workspace

# They take away, or change, whatever lies below what they are given.
UPROOTING_PROGRAMS = frozenset({"rm", "mv", "shred", "find", "chmod", "chown", "chgrp", "setfacl", "rsync"})
# They read whatever lies below where they start; some only with an option that has one of these letters.
WALKING_PROGRAMS = frozenset(
    {"rg", "ag", "ack", "find", "fd", "fdfind", "tar", "zip", "cp", "rsync", "scp", "diff", "rgrep", "zgrep"}
)
GREPS = frozenset({"grep", "egrep", "fgrep"})
WALKING_OPTION = re.compile(r"-.*[rRd]")
SHOWING_IN_GIT = frozenset({"grep", "diff", "show", "log", "archive", "stash", "blame", "cat-file", "format-patch"})
NOWHERE = "/dev/null"
# `2>&1` writes to what is open already.
DUPLICATE = re.compile(r"&?\d+|&?-")
HOME_VARIABLES = re.compile(r"\A\$(?:HOME\b|\{HOME\})")
FOLDER_VARIABLES = re.compile(r"\A\$(?:PWD\b|\{PWD\})")
# What bash understands between brackets is more than Python does: any one character, then.
BRACKETS = re.compile(r"\[[!^]?\]?(?:\[[:.=][^\]]*[:.=]\]|[^\]])*\]")
QUOTES = re.compile(r"[\"'\\]")
BETWEEN_WORDS = re.compile(r"[\s;&|<>()`]+")
BETWEEN_PIECES = re.compile(r"[\s;&|<>()`${}=:,@+?!#%^]+")
FOLDER_OPTIONS = ("-C", "--chdir", "--directory", "--work-tree", "-D")
MOST_BASES = 30
MOST_PLACES = 5_000
TOO_MANY = "it stands for more names than can be looked at"


@dataclass(slots=True)
class CommandPlaces:
    """`obstacle` says why a place is not known or is more than it seems; empty where that is not so.

    `uproots` are places of which all that lies below is changed, too. `is_cut` when there are more than were looked at.
    """

    reads: tuple[Place, ...] = ()
    writes: tuple[Place, ...] = ()
    changes: tuple[Place, ...] = ()
    uproots: tuple[Place, ...] = ()
    obstacle: str = ""
    is_cut: bool = False


@dataclass(slots=True)
class _Found:
    reads: dict[Place, None] = field(default_factory=dict[Place, None])
    writes: dict[Place, None] = field(default_factory=dict[Place, None])
    changes: dict[Place, None] = field(default_factory=dict[Place, None])
    uproots: dict[Place, None] = field(default_factory=dict[Place, None])
    obstacle: str = ""
    is_cut: bool = False
    left: int = MOST_PLACES
    globs: BoundedGlobs = field(default_factory=BoundedGlobs)
    known: dict[tuple[Word, Path], list[Place]] = field(default_factory=dict[tuple[Word, Path], list[Place]])

    def places(self, word: Word, bases: Sequence[Workspace]) -> list[Place]:
        return [place for base in bases for place in self._places_from(word, base)]

    def _places_from(self, word: Word, base: Workspace) -> list[Place]:
        if (word, base.root) in self.known:
            return self.known[word, base.root]
        places = self.known[word, base.root] = list[Place]()
        if self.left >= 0:
            for text in _texts(word, base.root, self.globs):
                self.left -= 1
                if text is None or self.left < 0:
                    self.is_cut, self.obstacle = True, self.obstacle or TOO_MANY
                    break
                place = place_named(text, base)
                if place is not None:
                    places.append(place)
        return places


def places_of(
    analysis: Analysis, workspace: Workspace, folder: Path, only_reads: Callable[[Member], bool]
) -> CommandPlaces:
    """Touches the file system only to resolve names; for any thread.

    What does not only read is taken to change whatever it names.
    """
    found = _Found()
    bases = here = [workspace.moved_to(folder)]
    reads_all = True
    for member in analysis.members:
        further = _further_bases(member, here[-1])
        here = further or here
        known = {base.root for base in bases}
        bases = [*bases, *(base for base in further if base.root not in known)]
        if len(bases) > MOST_BASES:
            bases, found.is_cut = bases[:MOST_BASES], True
        is_reading = only_reads(member)
        reads_all = reads_all and is_reading
        _note_member(found, member, bases, is_reading=is_reading)
    if analysis.obstacle is not None:
        _note_pieces(found, analysis.command, bases, is_reading=reads_all)
    return CommandPlaces(
        tuple(found.reads),
        tuple(found.writes),
        tuple(found.changes),
        tuple(found.uproots),
        found.obstacle,
        found.is_cut,
    )


def looks_through(analysis: Analysis) -> bool:
    """Whether something in it may read files that it does not name."""
    return any(_walks(member) for member in analysis.members)


def _walks(member: Member) -> bool:
    words = [word.value or word.text for word in member.words[1:]]
    if member.program in GREPS:
        return any(map(WALKING_OPTION.match, words))
    return member.program in WALKING_PROGRAMS or (member.program == "git" and not SHOWING_IN_GIT.isdisjoint(words))


def place_named(text: str, workspace: Workspace) -> Place | None:
    """None for what cannot be a path."""
    try:
        resolved = workspace.resolve(text)
    except WorkspaceError:
        return None
    return Place(resolved.path, resolved.named, workspace.folder_of(resolved.path))


def _note_member(found: _Found, member: Member, bases: Sequence[Workspace], *, is_reading: bool) -> None:
    places = [place for word in member.words for place in found.places(word, bases)]
    found.reads |= dict.fromkeys(places)
    if not is_reading:
        found.changes |= dict.fromkeys(places)
        if member.program in UPROOTING_PROGRAMS:
            # Things are moved into the folder that one is in, not that folder itself.
            own = {base.root for base in bases} if member.program == "mv" else set[Path]()
            found.uproots |= dict.fromkeys(place for place in places if place.path not in own)
    for redirection in member.redirections:
        target = redirection.target
        is_duplicate = redirection.operator.endswith("&") and DUPLICATE.fullmatch(target.text)
        if target.value == NOWHERE or is_duplicate:
            continue
        if not redirection.writes:
            found.reads |= dict.fromkeys(found.places(target, bases))
            continue
        found.writes |= dict.fromkeys(found.places(target, bases))
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


def _note_pieces(found: _Found, command: str, bases: Sequence[Workspace], *, is_reading: bool) -> None:
    """What words may come from where there are variables, loops or texts for programs: `f=.env; cat $f`."""
    bare = QUOTES.sub("", command)
    texts = dict.fromkeys((*BETWEEN_WORDS.split(bare), *BETWEEN_PIECES.split(bare)))
    places = [place for text in texts if text for place in found.places(Word(text, None), bases)]
    found.reads |= dict.fromkeys(places)
    if not is_reading:
        found.changes |= dict.fromkeys(places)


def _texts(word: Word, folder: Path, globs: BoundedGlobs) -> Iterator[str | None]:
    """Every part of a word that a program could take for a path; None where there are more than can be looked at."""
    if word.value is not None:
        yield from _parts(word.value)
        return
    bare = QUOTES.sub("", word.text)
    bare = FOLDER_VARIABLES.sub(lambda _: str(folder), HOME_VARIABLES.sub("~", bare))
    expanded = alternatives(bare)
    if expanded is None:
        yield None
    for written in expanded or (bare,):
        if glob.has_magic(written):
            names = globs.matching(BRACKETS.sub("?", written), folder)
            yield from (None,) if names is None else names
        yield from _parts(written)


def _parts(written: str) -> Iterator[str]:
    """`--file=a`, `if=a`, `-fa`, `HEAD:a`, `@a`."""
    yield written
    if written.startswith("-"):
        yield from (written[2:], written.lstrip("-"))
    yield from (written.rpartition(mark)[2] for mark in ("=", ":", "@", ",") if mark in written)


def _further_bases(member: Member, here: Workspace) -> list[Workspace]:
    """The folders that what follows may count from: `cd a`, `git -C a`, `env --chdir=a`."""
    values = [QUOTES.sub("", word.text) if word.value is None else word.value for word in member.words]
    named = [value for value in values[1:] if value[:1] != "-"] if member.program in FOLDER_CHANGING else []
    named += [value for flag, value in pairwise(values) if flag in FOLDER_OPTIONS]
    for value in values:
        named += [value.removeprefix(flag).removeprefix("=") for flag in FOLDER_OPTIONS if value.startswith(flag)]
    places = [place_named(value, here) for value in named if value]
    return [here.moved_to(place.path) for place in places if place is not None]
