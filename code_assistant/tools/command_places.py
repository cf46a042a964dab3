"""The places that a command could read or change: looked at widely, for rules that keep places from being used."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile
from pathlib import Path
from typing import NamedTuple

from code_assistant.permissions.access import Place
from code_assistant.permissions.command_rules import FOLDER_CHANGING
from code_assistant.permissions.shell.analysis import REST, Analysis, Member, Redirection, Verdict, Word
from code_assistant.permissions.shell.bounds import is_cheap_to_parse
from code_assistant.permissions.shell.changing import Change, change_by_finding, change_of
from code_assistant.permissions.shell.finding import FINDERS
from code_assistant.permissions.shell.here_texts import without_texts
from code_assistant.permissions.shell.mere_words import excluded_names, keeps_text, without_mere_words
from code_assistant.permissions.shell.name_takers import takes_names
from code_assistant.permissions.shell.parsing import is_read_for_certain, parse
from code_assistant.permissions.shell.starters import READING_COMMANDS, WRAPPERS
from code_assistant.sanitize import is_unmistakable
from code_assistant.tools.command_changes import Changes
from code_assistant.tools.command_walks import folders_read, passes_hidden
from code_assistant.tools.command_words import FEW_MARKS, QUOTES, WordPlaces, place_named
from code_assistant.tools.process_places import is_of_process
from code_assistant.tools.program_texts import names_in_texts, takes_text
from code_assistant.workspace.workspace import Workspace

NOWHERE = "/dev/null"
# `2>&1` writes to what is open already.
DUPLICATE = re.compile(r"&?\d+|&?-")
# `1<> a` opens for reading and writing.
BOTH_WAYS = re.compile(r"<>\s*([^\s;&|<>()]+)")
# What makes a shell take `*` for names with a dot at their beginning, too.
HIDDEN_TOO = re.compile(r"shopt|glob|zsh|fish", re.IGNORECASE)
# Variables, substitutions, pipes, texts for programs, and descriptors that stay open.
HANDING_ON = re.compile(r"[$`=|<]|>\(|\bexec\b")
BETWEEN_WORDS = re.compile(r"[\s;&|<>()`]+")
BETWEEN_PIECES = re.compile(r"[\s;&|<>()`${}=:,@+?!#%^]+")
FOLDER_OPTIONS = ("-C", "--chdir", "--directory", "--work-tree", "-D")
BLANK = re.compile(r"\s")
HERE = Word(".", ".")
MOST_BASES = 30
TOO_MANY = "it stands for more names than can be looked at"
OF_PROCESS = "it goes through a folder of a process (/proc), which is another one when it runs"


class Walk(NamedTuple):
    """A folder of which every file is read, and whether hidden ones are passed over, or those of certain names."""

    place: Place
    passes_hidden: bool
    excluded: frozenset[str]


@dataclass(slots=True)
class CommandPlaces:
    """`obstacle` says why a place is not known or is more than it seems; empty where that is not so.

    `is_cut` when there are more than were looked at.
    """

    reads: dict[Place, None] = field(default_factory=dict[Place, None])
    # What is read from by `<`, which no program is told of.
    inputs: dict[Place, None] = field(default_factory=dict[Place, None])
    writes: dict[Place, None] = field(default_factory=dict[Place, None])
    changes: Changes = field(default_factory=Changes)
    obstacle: str = ""
    is_cut: bool = False
    # Whether the texts for programs hold more names than were looked at.
    is_too_long: bool = False
    # Whether some of the programs are known to change what they name.
    changes_surely: bool = False
    walks: dict[Walk, None] = field(default_factory=dict[Walk, None])


def places_of(
    analysis: Analysis, workspace: Workspace, folder: Path, judged: Callable[[Member], Verdict]
) -> CommandPlaces:
    """Touches the file system only to resolve names; for any thread."""
    effects = [_Effect.of(member, judged(member)) for member in analysis.members]
    finds_hidden = HIDDEN_TOO.search(QUOTES.sub("", analysis.command)) is not None
    changes = [effect.change for effect in effects if effect.change is not None]
    search = _Search(workspace.moved_to(folder), changes, finds_hidden=finds_hidden)
    for at, effect in enumerate(effects):
        # What a wrapper starts is looked at by itself, and in a plain list it is given nothing else that is a name.
        if analysis.obstacle is not None or effect.member.is_direct or effect.member.program not in WRAPPERS:
            search.look_at(effect, is_text=not _may_name_files(effect, effects[at + 1 :]))
    if analysis.obstacle is not None:
        search.look_at_pieces(_text_with_names(analysis, effects))
    return search.found()


def _text_with_names(analysis: Analysis, effects: Sequence[_Effect]) -> str:
    """Where names may stand that are no words: what is proved to read says itself which of its words it opens."""
    if not _names_come_from_elsewhere(analysis):
        return "\n".join(
            effect.member.text for effect in effects if not effect.verdict.is_read_only and not effect.tests
        )
    are_texts = all(effect.keeps_text for effect in effects)
    return without_texts(analysis.command) if are_texts else analysis.command


def _names_come_from_elsewhere(analysis: Analysis) -> bool:
    """Whether a program may open what is not among its own words: `if [ -f .env ]; then ls; fi` says all there is."""
    command = analysis.command.replace("||", "")
    if HANDING_ON.search(command) or not is_unmistakable(command) or not is_cheap_to_parse(command):
        return True
    if REST in analysis.members or any(map(takes_names, analysis.members)) or _may_run_what_is_written(analysis):
        return True
    return not is_read_for_certain(parse(analysis.command))


def _may_run_what_is_written(analysis: Analysis) -> bool:
    """`date +'cat a' > f; sh f`"""
    written = (each for member in analysis.members for each in member.redirections if each.writes)
    runs = any(member.program in READING_COMMANDS for member in analysis.members)
    return runs and any(each.target.value != NOWHERE for each in written)


@dataclass(frozen=True, slots=True)
class _Effect:
    """A member with the words of it that may name files, what is proved of it, and what it changes otherwise."""

    member: Member
    verdict: Verdict
    change: Change | None
    excluded: frozenset[str]

    @classmethod
    def of(cls, member: Member, verdict: Verdict) -> _Effect:
        named = without_mere_words(member)
        return cls(named, verdict, None if verdict.is_read_only else change_of(named), excluded_names(member))

    @property
    def keeps_text(self) -> bool:
        """Whether what it is given to read is no list of names to it."""
        return self.verdict.is_read_only or keeps_text(self.member)

    @property
    def tests(self) -> bool:
        """Whether it is `[ … ]` or `[[ … ]]` of control flow, or what stands in it: to the parser that is one word."""
        first = next(iter(self.member.words), HERE)
        return first.text in ("[", "[[") or (first.value is None and BLANK.search(first.text) is not None)

    @property
    def writes(self) -> bool:
        """Whether what it is given, or says, may end up in a file."""
        return self.change is not None or any(each.writes for each in self.member.redirections)

    def words(self, *, knows_globs: bool) -> Sequence[Word]:
        """The words that name what it reads: those that the proof found, where that holds, or all."""
        has_globs = any(word.value is None for word in self.member.words)
        if not self.verdict.is_read_only or (has_globs and not knows_globs):
            return self.member.words
        return [Word(path, f"./{path}" if path.startswith("~") else path) for path in self.verdict.paths]


def _may_name_files(effect: _Effect, following: Sequence[_Effect]) -> bool:
    """Whether what it writes is opened by others: at the end of a pipe, or named in a file that is read after that."""
    piped = list(_piped(following))
    if not all(each.keeps_text for each in piped):
        return True
    is_written = any(each.writes for each in (effect, *piped))
    return is_written and any(takes_names(each.member) for each in following)


def _words_in(member: Member) -> Iterator[Word]:
    """Each of several in one word, as they are for a program that takes names from a text."""
    values = (word.value for word in member.words if word.value is not None and BLANK.search(word.value))
    return (Word(piece, piece) for value in values for piece in value.split())


def _piped(following: Sequence[_Effect]) -> Iterator[_Effect]:
    """Those that the output goes on to."""
    direct = (effect for effect in following if effect.member.is_direct)
    return takewhile(lambda effect: effect.member.connector == "|", direct)


class _Search:
    """Through one command, from the first of its members on."""

    def __init__(self, here: Workspace, changes: Sequence[Change], *, finds_hidden: bool) -> None:
        self._here = here
        self._bases = [here]
        # Where the shell itself may be, which opens what output goes to: `git -C a` leaves it where it was.
        self._folders = [here]
        self._names = WordPlaces(finds_hidden)
        # A long program is no reason to take it for one that names everything.
        self._texts = WordPlaces(finds_hidden)
        # What such a text only mentions is asked about, not denied.
        self._words_of_texts = WordPlaces(finds_hidden, FEW_MARKS, links=self._names.links)
        self._places = CommandPlaces(changes_surely=any(each.changed or each.targets for each in changes))
        self._changes_anything = bool(changes)
        # What is changed may be named elsewhere: by a variable, or by what another program finds.
        self._is_handed_on = any(each.is_open for each in changes)

    def look_at(self, effect: _Effect, *, is_text: bool) -> None:
        """`is_text` when those that get what it writes take that for no names."""
        member, change = effect.member, effect.change
        self._move(member)
        knows_globs = len(self._bases) == 1 and not self._names.finds_hidden
        words = effect.words(knows_globs=knows_globs) if is_text else [*member.words, *_words_in(member)]
        names = self._words_of_texts if takes_text(member) else self._names
        places = names.of(words, self._bases)
        self._places.reads |= dict.fromkeys(places)
        if member.program in FINDERS and self._is_handed_on:
            change = change_by_finding(member, hands_on=True)
        if change is not None:
            self._places.changes.note(change, self._names, self._bases)
            self._places.changes.note_all(self._texts.of(names_in_texts(member), self._bases), is_sure=False)
        folders = folders_read(member, places, self._names.of([HERE], self._bases))
        walks = [Walk(folder, passes_hidden(member), effect.excluded) for folder in folders]
        self._places.walks |= dict.fromkeys(walks)
        for redirection in member.redirections:
            self._redirect(redirection, self._folders if member.is_direct else self._bases)

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
        names = (self._names, self._words_of_texts)
        is_cut = self._places.is_cut or any(each.is_cut for each in names)
        leads_astray = any(map(is_of_process, self._places.writes)) or any(each.leads_astray for each in names)
        obstacle = self._places.obstacle or (TOO_MANY if is_cut else OF_PROCESS if leads_astray else "")
        places = replace(self._places, is_cut=is_cut or leads_astray, obstacle=obstacle)
        return replace(places, is_too_long=self._texts.is_cut or self._texts.leads_astray)

    def _move(self, member: Member) -> None:
        further = [self._here.moved_to(place.path) for place in self._folders_named(member)]
        self._here = further[-1] if further else self._here
        self._bases = self._with_further(self._bases, further)
        if member.program in FOLDER_CHANGING:
            self._folders = self._with_further(self._folders, further)

    def _with_further(self, folders: list[Workspace], further: list[Workspace]) -> list[Workspace]:
        every = list({folder.root: folder for folder in (*folders, *further)}.values())
        self._places.is_cut = self._places.is_cut or len(every) > MOST_BASES
        return every[:MOST_BASES]

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
        tilded = [Word(value, None) for value in named if value.startswith("~")]
        places += self._names.of(tilded, [self._here])
        return places + [place for value in named if value for place in self._names.named(value, self._here)]

    def _redirect(self, redirection: Redirection, folders: Sequence[Workspace]) -> None:
        target = redirection.target
        is_duplicate = redirection.operator.endswith("&") and DUPLICATE.fullmatch(target.text)
        if target.value == NOWHERE or is_duplicate:
            return
        if not redirection.writes:
            places = dict.fromkeys(self._names.of([target], self._bases))
            self._places.reads |= places
            self._places.inputs |= places
            return
        self._places.writes |= dict.fromkeys(self._written(target, folders))
        self._places.changes_surely = True
        self._places.obstacle = self._places.obstacle or _obstacle(target, self._bases[0])

    def _written(self, target: Word, folders: Sequence[Workspace]) -> list[Place]:
        """The shell takes the word as a whole for one path, whatever marks are in it; so may the rules that allow."""
        if target.value is None:
            return self._names.of([target], self._bases)
        path = f"./{target.value}" if target.value.startswith("~") else target.value
        return [place for folder in folders if (place := place_named(path, folder)) is not None]


def _obstacle(target: Word, base: Workspace) -> str:
    place = place_named(target.value, base) if target.value is not None else None
    if place is None:
        return "it is not known where it writes to"
    try:
        found = place.path.stat()
    except OSError:
        return ""
    return "it writes to a file that has further names elsewhere" if found.st_nlink > 1 else ""
