"""Reading the results of tools back into data. What is not understood is left out, never guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from code_assistant.llm.offline.steps import Outcome

_NUMBERED = re.compile(r" *([0-9]+)\t(.*)", re.DOTALL)
_MATCH = re.compile(r"([0-9]+)(:|-) (.*)", re.DOTALL)
_COUNT = re.compile(r"(.+): ([0-9]+)")
_HEADING = re.compile(
    r"(?P<path>.+) \((?:lines? [0-9-]+ of (?P<more>more than )?)?(?P<total>[0-9,]+)(?: lines?)?(?:; .*)?\)"
)
_SHOWN = re.compile(r"Showing \w+ [0-9]+-[0-9]+ of (?:more than )?([0-9]+)")
_NEWEST = re.compile(r"Showing the [0-9]+ newest of ([0-9]+) files")
_SUMMARY = re.compile(r"(?:more than )?(?:([0-9,]+) match(?:es)?, )?([0-9,]+) files?\.?")
_DENIAL = re.compile(r"Permission denied: (\w+) may not (.+?)\.(?: Do not try to get around this.*)?\Z", re.DOTALL)
_SIZED = re.compile(r"(.+?)  [0-9.]+ [KMGT]?B")


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class FileText:
    """Lines of a file as they were read or found; `total` is how many it has, where that was said."""

    path: str
    lines: tuple[Line, ...]
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Matches:
    """Matching lines by file; `total` counts them all, also those that are not shown."""

    files: tuple[FileText, ...] = ()
    total: int = 0

    @property
    def shown(self) -> int:
        return sum(len(file.lines) for file in self.files)

    @property
    def is_cut(self) -> bool:
        return self.shown < self.total


@dataclass(frozen=True, slots=True)
class Counts:
    """Matching lines counted by path; `total` counts all files, also those that are not shown."""

    by_path: dict[str, int]
    total: int = 0

    @property
    def is_cut(self) -> bool:
        return len(self.by_path) < self.total


@dataclass(frozen=True, slots=True)
class Paths:
    paths: tuple[str, ...] = ()
    total: int = 0

    @property
    def is_cut(self) -> bool:
        return len(self.paths) < self.total


@dataclass(frozen=True, slots=True)
class Listing:
    """The folders and files of a folder by name, and whether its listing was cut."""

    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    is_cut: bool = False
    has_ignored: bool = False


def matches_in(outcome: Outcome) -> Matches:
    """search_files: a block for each file, its path first; the last block tells how many there are."""
    if outcome.failed or outcome.text.startswith("No matches"):
        return Matches()
    *blocks, end = outcome.text.split("\n\n")
    files = tuple(_matched_file(block) for block in blocks if block)
    shown = sum(len(file.lines) for file in files)
    return Matches(files, max(shown, _total(end)))


def _matched_file(block: str) -> FileText:
    path, *rest = block.split("\n")
    found = (_MATCH.fullmatch(line) for line in rest)
    return FileText(path, tuple(Line(int(each[1]), each[3]) for each in found if each is not None and each[2] == ":"))


def counts_in(outcome: Outcome) -> Counts:
    """search_files in its mode that counts."""
    if outcome.failed or outcome.text.startswith("No matches"):
        return Counts({})
    body, _, end = outcome.text.rpartition("\n\n")
    found = (_COUNT.fullmatch(line) for line in body.split("\n"))
    by_path = {each[1]: int(each[2]) for each in found if each is not None}
    return Counts(by_path, max(len(by_path), _total(end, of_files=True)))


def _total(end: str, *, of_files: bool = False) -> int:
    line = end.split("\n")[0]
    if shown := _SHOWN.match(line):
        return int(shown[1])
    if summary := _SUMMARY.fullmatch(line):
        return _number(summary[2] if of_files else summary[1] or summary[2])
    return 0


def paths_in(outcome: Outcome) -> Paths:
    """glob_files: a path a line, and at the end how many there are in all when these are not all."""
    if outcome.failed or outcome.text.startswith("No files match"):
        return Paths()
    body, _, end = outcome.text.partition("\n\n")
    paths = tuple(line for line in body.split("\n") if line)
    more = _NEWEST.match(end)
    return Paths(paths, int(more[1]) if more else len(paths))


def listing_in(outcome: Outcome) -> Listing:
    """list_files with a depth of 1."""
    if outcome.failed:
        return Listing()
    folders: list[str] = []
    files: list[str] = []
    _, *lines = outcome.text.split("\n")
    for line in lines:
        if not line.startswith("  ") or line.startswith(("  (", "  … ")):
            continue
        name = line[2:]
        folder = name.removesuffix("  (cannot be read)").removesuffix("  (not listed)")
        if folder.endswith("/"):
            folders.append(folder.removesuffix("/"))
        elif sized := _SIZED.fullmatch(name):
            files.append(sized[1])
    ignored = "ignored entr" in outcome.text.rpartition("\n")[2] or "(nothing but ignored" in outcome.text
    return Listing(tuple(folders), tuple(files), "\nCut after " in outcome.text, ignored)


def files_read(outcome: Outcome) -> tuple[FileText, ...]:
    """read_files: the texts among what was read; errors, images and empty files are none."""
    if outcome.failed:
        return ()
    return tuple(file for text in outcome.texts if (file := _file_read(text)) is not None)


def _file_read(text: str) -> FileText | None:
    head, *rest = text.split("\n")
    heading = _HEADING.fullmatch(head)
    if heading is None or head.startswith("Error: "):
        return None
    found = (_NUMBERED.fullmatch(line) for line in rest)
    lines = tuple(Line(int(each[1]), each[2]) for each in found if each is not None)
    total = None if heading["more"] else _number(heading["total"])
    return FileText(heading["path"], lines, total) if lines else None


def is_blocked(outcome: Outcome) -> bool:
    """Whether a call says nothing about the files, because it was not made or not allowed."""
    return not outcome.was_made or denial_in(outcome) is not None


def failure(outcome: Outcome) -> str:
    """Why a call failed, in words for people."""
    return denial_in(outcome) or outcome.text


def denial_in(outcome: Outcome) -> str | None:
    """What was not allowed and why, in words for people; None for any other outcome."""
    found = _DENIAL.match(outcome.text) if outcome.failed else None
    if found is None:
        return None
    tool, what = found.groups()
    return f"The tool {tool} may not {what}." if what.startswith("be used") else f"I was not allowed to {what}."


def problems_in(outcome: Outcome) -> tuple[str, ...]:
    """Why files could not be read, in the tool's words."""
    if outcome.failed:
        return tuple(line for line in outcome.text.split("\n") if line.strip())
    return tuple(text.removeprefix("Error: ") for text in outcome.texts if text.startswith("Error: "))


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))
