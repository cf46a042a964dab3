"""The places that a command changes, or could change, as far as its words tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from code_assistant.permissions.access import Place
from code_assistant.permissions.shell.analysis import Word
from code_assistant.permissions.shell.changing import Change
from code_assistant.tools.command_words import WordPlaces, is_folder, place_named
from code_assistant.workspace.workspace import Workspace

# What is put somewhere by such a name may have no name of its own there: it is what lies in the folder.
FOLDER_ITSELF = re.compile(r"(?:\A|/)\.{0,2}/*\Z")
Places = dict[Place, None]


@dataclass(slots=True)
class Changes:
    """`sure` are places that are changed, `uprooted` those of them of which all that lies below is, too.

    Of `reworked` folders something below is changed, nobody knows what; `unsure` are those that could be changed.
    """

    sure: Places = field(default_factory=Places)
    uprooted: Places = field(default_factory=Places)
    reworked: Places = field(default_factory=Places)
    unsure: Places = field(default_factory=Places)

    def note(self, change: Change, names: WordPlaces, bases: Sequence[Workspace]) -> None:
        self.unsure |= dict.fromkeys(names.of(change.unsure, bases))
        places = names.of(change.changed, bases)
        for base in bases:
            places += _put(change, names, base)
            if change.is_here and (here := place_named(".", base)) is not None:
                places.append(here)
        self.sure |= dict.fromkeys(places)
        if change.below == "all":
            self.uprooted |= dict.fromkeys(places)
        elif change.below == "some":
            self.reworked |= dict.fromkeys(places)

    def note_all(self, places: Iterable[Place], *, is_sure: bool) -> None:
        if is_sure:
            self.sure |= dict.fromkeys(places)
        else:
            self.unsure |= dict.fromkeys(places)


def _put(change: Change, names: WordPlaces, base: Workspace) -> list[Place]:
    """Where something is put: into a folder under the name that it has, else in the place of what is there."""
    targets = names.of(change.targets, [base])
    if change.is_onto:
        return targets
    sources: dict[str, None] = {}
    is_whole_folder = False
    for word in change.sources:
        is_whole_folder = is_whole_folder or _is_folder_itself(word)
        sources |= dict.fromkeys(place.named.name for place in names.of([word], [base]))
    found: list[Place] = []
    for target in targets:
        if is_whole_folder or not is_folder(target):
            found.append(target)
        else:
            found += [place for name in sources if name for place in names.inside(target, name, base)]
    return found


def _is_folder_itself(word: Word) -> bool:
    return FOLDER_ITSELF.search(word.text if word.value is None else word.value) is not None
