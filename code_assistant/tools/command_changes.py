"""The places that a command changes, or could change, as far as its words tell."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from code_assistant.permissions.access import Place
from code_assistant.permissions.shell.analysis import Word
from code_assistant.permissions.shell.changing import Change, is_remote
from code_assistant.permissions.shell.name_filters import NameFilter
from code_assistant.tools.command_words import WordPlaces, is_folder
from code_assistant.workspace.workspace import Workspace

# What is put somewhere by such a name may have no name of its own there: it is what lies in the folder.
FOLDER_ITSELF = re.compile(r"(?:\A|/)\.{0,2}/*\Z")
MANY_ELSEWHERE = re.compile(r"[*?\[{$]|[:/]\.{0,2}/*\Z")
INSIDE = re.compile(r"(?:\A|/)\.{1,2}/*\Z")
# As parts of paths: for each pair it is looked up what is there.
WORK_OF_PUTTING = 8
Places = dict[Place, None]
# A folder, and what of that which lies below is meant.
Parts = dict[tuple[Place, NameFilter | None], None]
Merged = dict[tuple[Place, Place], None]


@dataclass(slots=True)
class Changes:
    """`sure` are places that are changed, `uprooted` those of them of which all that lies below is, too.

    Of `reworked` folders something below is changed, nobody knows what; of `sifted` ones all that certain names mean.
    What lies in the first of `merged` comes to lie in the second. `copies` are put outside of the opened folders.
    `unsure` are those that could be changed.
    """

    sure: Places = field(default_factory=Places)
    uprooted: Places = field(default_factory=Places)
    reworked: Parts = field(default_factory=Parts)
    sifted: Parts = field(default_factory=Parts)
    merged: Merged = field(default_factory=Merged)
    copies: Places = field(default_factory=Places)
    unsure: Places = field(default_factory=Places)

    def note(self, change: Change, names: WordPlaces, bases: Sequence[Workspace]) -> None:
        self.unsure |= dict.fromkeys(names.of(change.unsure, bases))
        places = [*names.of(change.changed, bases), *_here(change, names, bases)]
        for base in bases:
            self._note_put(change, names, base)
            if change.is_linking:
                self.unsure |= dict.fromkeys(names.of(change.sources, _link_folders(change, names, base)))
                names.links += [link for link in _links(change, names, base) if link not in names.links]
        if change.below == "all" and change.only is not None:
            self.sifted |= dict.fromkeys((place, change.only) for place in places)
            return
        self.sure |= dict.fromkeys(places)
        if change.below == "all":
            self.uprooted |= dict.fromkeys(places)
        elif change.below == "some":
            self.reworked |= dict.fromkeys((place, change.only) for place in places)
        elif change.below == "itself":
            self.unsure |= dict.fromkeys(places)

    def note_all(self, places: Iterable[Place], *, is_sure: bool) -> None:
        if is_sure:
            self.sure |= dict.fromkeys(places)
        else:
            self.unsure |= dict.fromkeys(places)

    def _note_put(self, change: Change, names: WordPlaces, base: Workspace) -> None:
        for source, target in _put(change, names, base):
            is_there = os.path.lexists(target.path)
            if any(base.folder_of(name) is not None for name in target.names):
                self.sure[target] = None
            else:
                self.copies[target] = None
                self.unsure |= {target: None} if is_there and not is_folder(target) else {}
            if source is None or not os.path.lexists(source.path):
                # What is not there yet may be anything by then.
                self.reworked[target, None] = None
            else:
                self.merged[source, target] = None


def _here(change: Change, names: WordPlaces, bases: Sequence[Workspace]) -> list[Place]:
    is_meant = change.here == "always"
    if change.here == "absent":
        operands = [word for word in change.changed if not (word.value or word.text).startswith("-")]
        is_meant = not any(os.path.lexists(place.path) for place in names.of(operands, bases))
    return [here for base in bases if is_meant for here in names.named(".", base)]


def _link_folders(change: Change, names: WordPlaces, base: Workspace) -> list[Workspace]:
    """The folders that new links lie in, from which what they hold counts."""
    targets = [target.path for target in names.of(change.targets, [base])]
    return [base.moved_to(path) for target in targets for path in (target, target.parent)]


def _links(change: Change, names: WordPlaces, base: Workspace) -> list[tuple[Path, Path]]:
    """The links that are made, and what each is to lead to."""
    written = [word.value for word in change.sources if word.value]
    links = [
        (target.path / Path(text).name if is_folder(target) else target.path, text)
        for target in names.of(change.targets, [base])
        for text in written
    ]
    return [(link, link.parent / text) for link, text in links]


def _put(change: Change, names: WordPlaces, base: Workspace) -> Iterator[tuple[Place | None, Place]]:
    """What is put where: into a folder under the name that it has, else in the place of what is there."""
    sources = dict.fromkeys(each for word in change.sources for each in _sources(word, change, names, base))
    for target in dict.fromkeys(names.of(change.targets, [base])):
        if not sources:
            yield None, target
        is_into = is_folder(target) and not change.is_onto
        for source in sources:
            if not names.takes(WORK_OF_PUTTING):
                return
            if not is_into or source.may_be_many:
                yield source.here, target
            if is_into and source.has_name:
                for place in names.named(str(target.path / source.place.named.name), base):
                    if source.here is None or place.path != source.place.path:
                        yield source.here, place


class _Source(NamedTuple):
    """What is put somewhere; `here` unless it lies on another machine."""

    place: Place
    here: Place | None
    may_be_many: bool
    has_name: bool


def _sources(word: Word, change: Change, names: WordPlaces, base: Workspace) -> Iterator[_Source]:
    is_elsewhere = change.is_remote and is_remote(word)
    may_be_many = _ends_like(MANY_ELSEWHERE if is_elsewhere else FOLDER_ITSELF, word)
    is_named = not _ends_like(INSIDE, word)
    for place in names.of([word], [base]):
        yield _Source(place, None if is_elsewhere else place, may_be_many, is_named and bool(place.named.name))


def _ends_like(pattern: re.Pattern[str], word: Word) -> bool:
    return pattern.search(word.text if word.value is None else word.value) is not None
