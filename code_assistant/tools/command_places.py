"""The places that a command could read or change: looked at widely, for rules that keep places from being used."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from code_assistant.permissions.access import Place
from code_assistant.permissions.command_rules import FOLDER_CHANGING
from code_assistant.permissions.shell.analysis import Analysis, Member, Redirection, Word
from code_assistant.permissions.shell.changing import Change, change_by_finding, change_of
from code_assistant.permissions.shell.finding import FINDERS
from code_assistant.tools.command_changes import Changes
from code_assistant.tools.command_walks import folders_read, passes_hidden
from code_assistant.tools.command_words import QUOTES, WordPlaces, place_named
from code_assistant.tools.program_texts import names_in_texts
from code_assistant.workspace.workspace import Workspace

NOWHERE = "/dev/null"
# `2>&1` writes to what is open already.
DUPLICATE = re.compile(r"&?\d+|&?-")
# `1<> a` opens for reading and writing.
BOTH_WAYS = re.compile(r"<>\s*([^\s;&|<>()]+)")
BETWEEN_WORDS = re.compile(r"[\s;&|<>()`]+")
BETWEEN_PIECES = re.compile(r"[\s;&|<>()`${}=:,@+?!#%^]+")
FOLDER_OPTIONS = ("-C", "--chdir", "--directory", "--work-tree", "-D")
MOST_BASES = 30
TOO_MANY = "it stands for more names than can be looked at"


@dataclass(slots=True)
class CommandPlaces:
    """`obstacle` says why a place is not known or is more than it seems; empty where that is not so.

    `is_cut` when there are more than were looked at.
    """

    reads: dict[Place, None] = field(default_factory=dict[Place, None])
    writes: dict[Place, None] = field(default_factory=dict[Place, None])
    changes: Changes = field(default_factory=Changes)
    obstacle: str = ""
    is_cut: bool = False
    # Whether the texts for programs hold more names than were looked at.
    is_too_long: bool = False
    # Whether some of the programs are known to change what they name.
    changes_surely: bool = False
    # The folders of which every file is read, and whether hidden ones are passed over.
    walks: dict[tuple[Place, bool], None] = field(default_factory=dict[tuple[Place, bool], None])


def places_of(
    analysis: Analysis, workspace: Workspace, folder: Path, only_reads: Callable[[Member], bool]
) -> CommandPlaces:
    """Touches the file system only to resolve names; for any thread."""
    effects = [(member, None if only_reads(member) else change_of(member)) for member in analysis.members]
    search = _Search(workspace.moved_to(folder), [change for _, change in effects if change is not None])
    for member, change in effects:
        search.look_at(member, change)
    if analysis.obstacle is not None:
        search.look_at_pieces(analysis.command)
    return search.found()


class _Search:
    """Through one command, from the first of its members on."""

    def __init__(self, here: Workspace, changes: Sequence[Change]) -> None:
        self._here = here
        self._bases = [here]
        self._names = WordPlaces()
        # A long program is no reason to take it for one that names everything.
        self._texts = WordPlaces()
        self._places = CommandPlaces(changes_surely=any(each.changed or each.targets for each in changes))
        self._changes_anything = bool(changes)
        # What is changed may be named elsewhere: by a variable, or by what another program finds.
        self._is_handed_on = any(each.is_open for each in changes)

    def look_at(self, member: Member, change: Change | None) -> None:
        self._move(member)
        places = self._names.of(member.words, self._bases)
        self._places.reads |= dict.fromkeys(places)
        if member.program in FINDERS and self._is_handed_on:
            change = change_by_finding(member, hands_on=True)
        if change is not None:
            self._places.changes.note(change, self._names, self._bases)
            self._places.changes.note_all(self._texts.of(names_in_texts(member), self._bases), is_sure=False)
        here = (place_named(".", base) for base in self._bases)
        folders = folders_read(member, places, [place for place in here if place is not None])
        self._places.walks |= dict.fromkeys((folder, passes_hidden(member)) for folder in folders)
        for redirection in member.redirections:
            self._redirect(redirection)

    def look_at_pieces(self, command: str) -> None:
        """What words may come from where there are variables, loops or texts for programs: `f=.env; cat $f`."""
        bare = QUOTES.sub("", command)
        texts = dict.fromkeys((*BETWEEN_WORDS.split(bare), *BETWEEN_PIECES.split(bare)))
        places = self._names.of((Word(text, None) for text in texts if text), self._bases)
        self._places.reads |= dict.fromkeys(places)
        opened = [Word(text, None) for text in BOTH_WAYS.findall(bare)]
        self._places.changes.note_all(self._names.of(opened, self._bases), is_sure=True)
        if self._changes_anything:
            self._places.changes.note_all(places, is_sure=self._is_handed_on)

    def found(self) -> CommandPlaces:
        is_cut = self._places.is_cut or self._names.is_cut
        obstacle = self._places.obstacle or (TOO_MANY if is_cut else "")
        return replace(self._places, is_cut=is_cut, obstacle=obstacle, is_too_long=self._texts.is_cut)

    def _move(self, member: Member) -> None:
        further = [self._here.moved_to(place.path) for place in self._folders_named(member)]
        self._here = further[-1] if further else self._here
        known = {base.root for base in self._bases}
        self._bases += [base for base in further if base.root not in known]
        if len(self._bases) > MOST_BASES:
            self._bases, self._places.is_cut = self._bases[:MOST_BASES], True

    def _folders_named(self, member: Member) -> list[Place]:
        """The folders that what follows may count from: `cd a`, `cd a*`, `git -C a`, `env --chdir=a`."""
        values = [QUOTES.sub("", word.text) if word.value is None else word.value for word in member.words]
        named = [value for flag, value in pairwise(values) if flag in FOLDER_OPTIONS]
        for value in values:
            named += [value.removeprefix(flag).removeprefix("=") for flag in FOLDER_OPTIONS if value.startswith(flag)]
        places: list[Place] = []
        if member.program in FOLDER_CHANGING:
            words = [word for word in member.words[1:] if word.text[:1] != "-"]
            places = self._names.of(words, [self._here])
            # As it is written comes last: most likely it is meant so.
            named += [word.value for word in words if word.value is not None]
        return places + [place for value in named if value and (place := place_named(value, self._here)) is not None]

    def _redirect(self, redirection: Redirection) -> None:
        target = redirection.target
        is_duplicate = redirection.operator.endswith("&") and DUPLICATE.fullmatch(target.text)
        if target.value == NOWHERE or is_duplicate:
            return
        places = dict.fromkeys(self._names.of([target], self._bases))
        if not redirection.writes:
            self._places.reads |= places
            return
        self._places.writes |= places
        self._places.changes_surely = True
        self._places.obstacle = self._places.obstacle or _obstacle(target, self._bases[0])


def _obstacle(target: Word, base: Workspace) -> str:
    place = place_named(target.value, base) if target.value is not None else None
    if place is None:
        return "it is not known where it writes to"
    try:
        found = place.path.stat()
    except OSError:
        return ""
    return "it writes to a file that has further names elsewhere" if found.st_nlink > 1 else ""
