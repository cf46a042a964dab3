"""The places that a word of a command could name, looked up widely and within bounds."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.permissions.access import Place
from code_assistant.permissions.shell.analysis import Word
from code_assistant.permissions.shell.braces import alternatives
from code_assistant.tools.command_globs import BoundedGlobs
from code_assistant.workspace.workspace import Workspace

HOME_VARIABLES = re.compile(r"\A\$(?:HOME\b|\{HOME\})")
FOLDER_VARIABLES = re.compile(r"\A\$(?:PWD\b|\{PWD\})")
# What bash understands between brackets is more than Python does: any one character, then.
BRACKETS = re.compile(r"\[[!^]?\]?(?:\[[:.=][^\]]*[:.=]\]|[^\]])*\]")
MARKS = re.compile(r"[=:@,]")
QUOTES = re.compile(r"[\"'\\]")
MOST_PLACES = 5_000


@dataclass(slots=True)
class WordPlaces:
    """For one command: what all its words together stand for is bounded. `is_cut` when there was more."""

    is_cut: bool = False
    left: int = MOST_PLACES
    globs: BoundedGlobs = field(default_factory=BoundedGlobs)
    known: dict[tuple[Word, Path], list[Place]] = field(default_factory=dict[tuple[Word, Path], list[Place]])

    def of(self, words: Iterable[Word], bases: Sequence[Workspace]) -> list[Place]:
        return [place for word in words for base in bases for place in self._places_from(word, base)]

    def inside(self, folder: Place, name: str, base: Workspace) -> list[Place]:
        """What has this name in a folder."""
        return self._looked_up([str(folder.path / name)], base)

    def _places_from(self, word: Word, base: Workspace) -> list[Place]:
        if (word, base.root) not in self.known:
            self.known[word, base.root] = self._looked_up(_texts(word, base.root, self.globs), base)
        return self.known[word, base.root]

    def _looked_up(self, texts: Iterable[str | None], base: Workspace) -> list[Place]:
        places: list[Place] = []
        for text in texts if self.left >= 0 else ():
            self.left -= 1
            if text is None or self.left < 0:
                self.is_cut = True
                break
            place = place_named(text, base)
            if place is not None:
                places.append(place)
        return places


def is_folder(place: Place) -> bool:
    """Not for a name that no file can have, either."""
    try:
        return place.path.is_dir()
    except OSError:
        return False


def place_named(text: str, workspace: Workspace) -> Place | None:
    """None for what cannot be a path."""
    try:
        resolved = workspace.resolve(text)
    except WorkspaceError:
        return None
    return Place(resolved.path, resolved.named, workspace.folder_of(resolved.path), resolved.others)


def _texts(word: Word, folder: Path, globs: BoundedGlobs) -> Iterator[str | None]:
    """Every part of a word that a program could take for a path; None where there are more than can be looked at."""
    if word.value is not None:
        if word.value.startswith("~"):
            # In quotes it is part of a name for the shell, but some programs put the home folder there by themselves.
            yield f"./{word.value}"
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
    """`--file=a`, `if=a`, `-fa`, `HEAD:a`, `@a`, `a:/inside`, `source=a,target=b`."""
    yield written
    if written.startswith("-"):
        yield from (written[2:], written.lstrip("-"))
    yield from (written.rpartition(mark)[2] for mark in ("=", ":", "@", ",") if mark in written)
    pieces = MARKS.split(written)
    yield from pieces if len(pieces) > 1 else ()
