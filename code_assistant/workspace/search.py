"""What is searched for and what is found, the same for ripgrep and for our own search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

Mode: TypeAlias = Literal["lines", "files", "counts"]

MAXIMUM_LINE_CHARACTERS = 300
CHARACTERS_BEFORE_MATCH = 100


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """One search, in a resolved folder or in one file of it; the glob counts from the folder.

    `is_hidden` tells which resolved paths are not searched; it must be data that can go to another process.
    """

    folder: Path
    pattern: str
    file_name: str | None = None
    glob: str | None = None
    literal: bool = False
    ignore_case: bool = False
    context: int = 0
    mode: Mode = "lines"
    limit: int = 200
    offset: int = 0
    is_hidden: Callable[[Path], bool] | None = None

    @property
    def end(self) -> int:
        return self.offset + self.limit


@dataclass(frozen=True, slots=True)
class FoundLine:
    number: int
    text: str
    is_match: bool


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file with matches: how many lines match, and those of them (with context) that were asked for."""

    path: str
    matches: int
    lines: tuple[FoundLine, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The asked-for part of what was found, and how much there is in all, as far as that is known."""

    files: tuple[FoundFile, ...]
    all_matches: int
    all_files: int
    is_complete: bool = True
    remarks: tuple[str, ...] = ()


def path_order(path: str) -> list[str]:
    """The sorting key of paths: folder by folder, as a walk meets them."""
    return path.split("/")


def page_of(files: Sequence[FoundFile], query: SearchQuery) -> tuple[FoundFile, ...]:
    """The asked-for files of all, for the modes that page by file."""
    return tuple(files[query.offset : query.end])


def cut_line(text: str, match_start: int = 0, *, is_beginning: bool = True, is_end: bool = True) -> str:
    """A long line cut so that the match is in what is left; cut ends are marked.

    The text may already be a part of the line, if there is enough of it on both sides of the match.
    """
    if len(text) <= MAXIMUM_LINE_CHARACTERS:
        return text
    start = max(0, match_start - CHARACTERS_BEFORE_MATCH)
    start = min(start, len(text) - MAXIMUM_LINE_CHARACTERS)
    end = start + MAXIMUM_LINE_CHARACTERS
    is_beginning, is_end = is_beginning and start == 0, is_end and end == len(text)
    return f"{'' if is_beginning else '…'}{text[start:end]}{'' if is_end else '…'}"
