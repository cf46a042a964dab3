"""The places that a word of a command could name, looked up widely and within bounds."""

from __future__ import annotations

import glob
import pwd
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from urllib.parse import unquote

from code_assistant.errors import WorkspaceError
from code_assistant.permissions.access import Place
from code_assistant.permissions.shell.analysis import Word
from code_assistant.permissions.shell.braces import MOST_CHARACTERS, alternatives
from code_assistant.tools.command_globs import BoundedGlobs
from code_assistant.tools.process_places import is_of_process, may_be_of_process
from code_assistant.workspace.workspace import Workspace

HOME_VARIABLES = re.compile(r"\A\$(?:HOME\b|\{HOME\})")
FOLDER_VARIABLES = re.compile(r"\A\$(?:PWD\b|\{PWD\})")
# What bash understands between brackets is more than Python does: any one character, then.
BRACKETS = re.compile(r"\[[!^]?\]?(?:\[[:.=][^\]]*[:.=]\]|[^\]])*\]")
# What parts a path from what is written with it: in the words of all programs, and in those that are no program text.
FEW_MARKS = re.compile(r"[=:@,]")
MARKS = re.compile(r"[=:@,<>;\"'{}\\]")
# Behind these letters a value may begin: `-sT.env` is `-s -T .env`.
OPTION_LETTERS = re.compile(r"-[A-Za-z0-9]+")
FILE_ADDRESS = re.compile(r"file:(?://[^/]*)?(/[^?#]*)", re.IGNORECASE)
# Some programs understand braces and ranges by themselves; in texts of other kinds these mean something else.
OWN_PATTERN = re.compile(r"[^\s\"']*[{\[][^\s\"']*")
TILDE = re.compile(r"~([^/]*)(.*)", re.DOTALL)
FOLDER_TILDES = frozenset({"+", "0", "+0", "-0"})
STACK_TILDE = re.compile(r"-|[+-]?\d+")
QUOTES = re.compile(r"[\"'\\]")
# In parts of paths: each is looked at by itself, and compared with rules.
MOST_WORK = 60_000
WORK_OF_NAME = 4
# As many characters as a part of a path has at most, as a rule.
PART = 16
# That one command makes: each of them may lead to the others.
MOST_LINKS = 10


@dataclass(slots=True)
class WordPlaces:
    """For one command: what all its words together cost is bounded. `is_cut` when there was more.

    `finds_hidden` when the shell is told that `*` stands for names with a dot at their beginning, too.
    `leads_astray` when one of them is another place for the command than it is for us.
    """

    finds_hidden: bool = False
    marks: re.Pattern[str] = MARKS
    is_cut: bool = False
    leads_astray: bool = False
    left: int = MOST_WORK
    globs: BoundedGlobs = field(default_factory=BoundedGlobs)
    # Links that the command makes itself, and what is to be found through them.
    links: list[tuple[Path, Path]] = field(default_factory=list[tuple[Path, Path]])
    # What was looked up, with so many links.
    known: dict[tuple[Word, Path, int], list[Place]] = field(default_factory=dict[tuple[Word, Path, int], list[Place]])

    def of(self, words: Iterable[Word], bases: Sequence[Workspace]) -> list[Place]:
        places: list[Place] = []
        for word, base in product(words, bases):
            found = self._places_from(word, base)
            # What is known already costs little, but it is used again each time that it is written.
            if not self.takes(1 + len(found)):
                break
            places += found
        return places

    def named(self, text: str, base: Workspace) -> list[Place]:
        """The one place that a text names as it is, if any."""
        return self._looked_up([text], base)

    def takes(self, work: int) -> bool:
        """Whether so much may still be done."""
        self.left -= work
        self.is_cut = self.is_cut or self.left < 0
        return self.left >= 0

    def _places_from(self, word: Word, base: Workspace) -> list[Place]:
        key = (word, base.root, len(self.links))
        if key not in self.known:
            self.known[key] = self._looked_up(self._texts(word, base.root), base)
        return self.known[key]

    def _looked_up(self, texts: Iterable[str | None], base: Workspace) -> list[Place]:
        places: dict[str, Place | None] = {"": None}
        for text in texts if self.left >= 0 else ():
            if text in places:
                continue
            work = WORK_OF_NAME + len(base.root.parts) + (0 if text is None else len(text) // PART + text.count("/"))
            if text is None or not self.takes(work):
                self.is_cut = True
                break
            place = place_named(text, base)
            self.leads_astray = self.leads_astray or (place is not None and is_of_process(place))
            is_affordable = place is None or self.takes(work * len(place.others))
            places[text] = place if is_affordable else None
        return self._through_links([place for place in places.values() if place is not None], base)

    def _through_links(self, places: list[Place], base: Workspace) -> list[Place]:
        """With where they lead to by links that are not there yet."""
        found = list(places)
        # What is found so is looked at in its turn: links may lead to links.
        for place in found:
            if len(self.links) > MOST_LINKS or len(found) > len(places) + MOST_LINKS or self.left < 0:
                self.is_cut = True
                break
            for link, target in self.links:
                if place.named.is_relative_to(link):
                    self.takes(WORK_OF_NAME)
                    further = place_named(str(target / place.named.relative_to(link)), base)
                    found += [] if further is None or further in found else [further]
        return found

    def _texts(self, word: Word, folder: Path) -> Iterator[str | None]:
        """Every part of a word that a program could take for a path; None where that is more than can be looked at."""
        if word.value is None:
            bare = QUOTES.sub("", word.text)
            bare = FOLDER_VARIABLES.sub(lambda _: str(folder), HOME_VARIABLES.sub("~", bare))
            for text in self._expanded(bare, folder, finds_hidden=self.finds_hidden):
                yield _without_tilde(text, folder) if text else text
            return
        if word.value.startswith("~"):
            # In quotes it is part of a name for the shell, but some programs put the home folder there by themselves.
            yield f"./{word.value}"
        yield from _parts(word.value, self.marks)
        if OWN_PATTERN.fullmatch(word.value):
            yield from self._expanded(word.value, folder, finds_hidden=True)

    def _expanded(self, written: str, folder: Path, *, finds_hidden: bool) -> Iterator[str | None]:
        expanded = alternatives(written)
        if expanded is None:
            yield None
        for part in (part for each in expanded or (written,) for part in _parts(each, self.marks)):
            yield part
            if glob.has_magic(part):
                names = self._matching(part, folder, finds_hidden=finds_hidden)
                yield from (None,) if names is None else names

    def _matching(self, pattern: str, folder: Path, *, finds_hidden: bool) -> list[str] | None:
        if len(pattern) > MOST_CHARACTERS:
            return None
        plain = BRACKETS.sub("?", pattern)
        if may_be_of_process(plain, folder) or self._leads_into_process(plain, folder, finds_hidden=finds_hidden):
            self.leads_astray = True
        return self.globs.matching(plain, folder, finds_hidden=finds_hidden)

    def _leads_into_process(self, pattern: str, folder: Path, *, finds_hidden: bool) -> bool:
        """Whether a link on the way does: below it we may find nothing where the command finds something."""
        parts = pattern.split("/")
        ways = ["/".join(parts[:end]) for end in range(1, len(parts)) if glob.has_magic(parts[end - 1])]
        found = (self.globs.matching(way, folder, finds_hidden=finds_hidden) for way in ways)
        here = Workspace(folder)
        names = (name for each in found for name in each or ())
        places = (place_named(f"{name}/x", here) for name in names if self.takes(WORK_OF_NAME))
        return any(place is not None and is_of_process(place) for place in places)


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
    place = Place(resolved.path, resolved.named, workspace.folder_of(resolved.path), resolved.others)
    # It may be anywhere when the command runs, so it is outside.
    return replace(place, folder=None) if is_of_process(place) else place


def _without_tilde(text: str, folder: Path) -> str | None:
    """What bash puts for a tilde; None for a folder of which only running could tell."""
    found = TILDE.fullmatch(text)
    if found is None or not found[1]:
        return text
    name, rest = found.groups()
    if name in FOLDER_TILDES:
        return f"{folder}{rest}"
    if STACK_TILDE.fullmatch(name):
        # Without a path behind it, it is most likely a number in a text: `~5 minutes`, `HEAD~1`.
        return None if rest else text
    try:
        return f"{pwd.getpwnam(name).pw_dir}{rest}"
    except (KeyError, ValueError):
        # Nobody is called so: it is a name like others.
        return text


def _parts(written: str, marks: re.Pattern[str]) -> Iterator[str]:
    """`--file=a`, `if=a`, `-fa`, `-vfa`, `HEAD:a`, `@a`, `a:/inside`, `source=a,target=b`, `f=@"a";type=b`."""
    yield written
    if letters := OPTION_LETTERS.match(written):
        yield from (written[at:] for at in range(2, letters.end() + 1))
    if written.startswith("-"):
        yield written.lstrip("-")
    yield from (written.rpartition(mark)[2] for mark in ("=", ":", "@", ",") if mark in written)
    yield from (unquote(found[1]) for found in FILE_ADDRESS.finditer(written))
    pieces = marks.split(written)
    yield from pieces if len(pieces) > 1 else ()
