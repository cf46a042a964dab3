"""The places that a command changes, or could change, as far as its words tell."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from code_assistant.permissions.access import Place
from code_assistant.permissions.shell.analysis import Word
from code_assistant.permissions.shell.changing import Change, is_remote
from code_assistant.permissions.shell.name_filters import NameFilter
from code_assistant.tools.command_words import WordPlaces, is_folder, place_named
from code_assistant.workspace.workspace import Workspace

# What is put somewhere by such a name may have no name of its own there: it is what lies in the folder.
FOLDER_ITSELF = re.compile(r"(?:\A|/)\.{0,2}/*\Z")
MANY_ELSEWHERE = re.compile(r"[*?\[{$]|[:/]\.{0,2}/*\Z")
INSIDE = re.compile(r"(?:\A|/)\.{1,2}/*\Z")
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
    return [here for base in bases if is_meant and (here := place_named(".", base)) is not None]


def _link_folders(change: Change, names: WordPlaces, base: Workspace) -> list[Workspace]:
    """The folders that new links lie in, from which what they hold counts."""
    targets = [target.path for target in names.of(change.targets, [base])]
    return [base.moved_to(path) for target in targets for path in (target, target.parent)]


def _put(change: Change, names: WordPlaces, base: Workspace) -> Iterator[tuple[Place | None, Place]]:
    """What is put where: into a folder under the name that it has, else in the place of what is there."""
    targets = names.of(change.targets, [base])
    sources = [(word, place) for word in change.sources for place in names.of([word], [base])]
    for target in targets:
        if not sources:
            yield None, target
        is_into = is_folder(target) and not change.is_onto
        for word, source in sources:
            is_elsewhere = change.is_remote and is_remote(word)
            if not is_into or _ends_like(MANY_ELSEWHERE if is_elsewhere else FOLDER_ITSELF, word):
                yield None if is_elsewhere else source, target
            if is_into and source.named.name and not _ends_like(INSIDE, word):
                for place in names.inside(target, source.named.name, base):
                    if is_elsewhere or place.path != source.path:
                        yield None if is_elsewhere else source, place


def _ends_like(pattern: re.Pattern[str], word: Word) -> bool:
    return pattern.search(word.text if word.value is None else word.value) is not None
