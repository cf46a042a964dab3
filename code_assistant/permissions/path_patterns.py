"""Path patterns of rules: as in .gitignore, anchored where they say so, a folder covering all below it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path

from code_assistant.errors import UsageError
from code_assistant.globs import BRACES, entry_regex
from code_assistant.permissions.access import Place, beginning_of

FILE_SYSTEM = Path("/")
SPECIAL = re.compile(r"[\\*?\[{]| (?= *\Z)")
ESCAPED = re.compile(r"\\.", re.DOTALL)
# Stands for what may lie in a folder; no rule is about a file of this name.
ANY_NAME = "\N{HORIZONTAL ELLIPSIS}"
HELP = "Write it as in .gitignore: src/** or *.md."


@dataclass(frozen=True, slots=True)
class Anchors:
    """What patterns count from: the workspace's root, all opened folders (the root among them), the person's home."""

    root: Path
    folders: tuple[Path, ...]
    home: Path


@dataclass(frozen=True, slots=True)
class PathPattern:
    """`bases` are the folders it counts from; without any it is for any depth of the opened folders.

    `regex` is for what follows after them, with a slash at its end. `starts` are those folders with what follows up to
    the first wildcard, `linked` the same patterns for where the links lead that this one goes through. `is_exact` marks
    one that was made from a single path, `wide` is for whole paths as a denial counts them.
    """

    text: str
    regex: re.Pattern[str]
    bases: tuple[Path, ...]
    folders: tuple[Path, ...]
    linked: tuple[PathPattern, ...] = ()
    is_exact: bool = False
    starts: tuple[Path, ...] = ()
    wide: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "wide", re.compile(_wide(self), re.DOTALL))

    def covers(self, place: Place, *, widely: bool) -> bool:
        """Whether a place is meant. A denial counts widely: under any of its names, and outside, too."""
        if widely:
            return any(map(self.wide.match, place.beginnings))
        path = beginning_of(place.path)
        bases = map(beginning_of, self.bases or self.folders)
        return any(self.regex.match(path, len(base)) for base in bases if path.startswith(base))

    def covers_path(self, path: Path) -> bool:
        """The same, widely, for one name."""
        return self.wide.match(beginning_of(path)) is not None

    def is_below(self, place: Place) -> bool:
        """Whether what it begins with lies in a place, so that it goes where that place goes."""
        own = any(beginning_of(start).startswith(place.beginnings) for start in self.starts)
        return own or any(pattern.is_below(place) for pattern in self.linked)

    def covers_all_in(self, place: Place) -> bool:
        """Whether a place is meant, or whatever lies in it: `tests/**` is for all that is in `tests`."""
        return any(self.wide.match(f"{beginning}{ANY_NAME}/") for beginning in place.beginnings)

    def names(self, name: str) -> bool:
        """Whether a name stands in the pattern as it is, a whole part of the path, or it is for one path anyway."""
        return self.is_exact or name in self.text.split("/")


def path_pattern(text: str, anchors: Anchors) -> PathPattern:
    """Raises UsageError for what is no pattern, or would never match anything."""
    if text.startswith("!"):
        raise UsageError(f"{text!r}: a pattern cannot say what it is not for. Write a rule that denies instead.")
    if text == "~":
        raise UsageError("'~' is not a path pattern. Write ~/** for everything in your home folder.")
    if BRACES.search(ESCAPED.sub("", text)):
        raise UsageError(f"{text!r}: braces are not understood in rules. Write a rule for each alternative.")
    bases, rest = _anchored(text, anchors)
    pattern = _compiled(text, rest, bases, anchors)
    linked = tuple(_compiled(text, other, (FILE_SYSTEM,), anchors) for other in _through_links(rest, bases))
    return replace(pattern, linked=linked)


def file_pattern(text: str, anchors: Anchors) -> PathPattern:
    """For one file, and nothing below a folder that may have its name one day; raises UsageError for all else."""
    pattern = path_pattern(text, anchors)
    if not pattern.bases or text.endswith("/") or SPECIAL.search(ESCAPED.sub("", text)):
        raise UsageError(f"{text!r} does not name one file. Write its path from the working folder: /src/a.py.")
    return replace(pattern, regex=re.compile(rf"{pattern.regex.pattern}\Z", re.DOTALL), is_exact=True)


def escaped(path: str) -> str:
    """A path as a pattern that means just this path."""
    return SPECIAL.sub(r"\\\g<0>", path)


def _compiled(text: str, rest: str, bases: tuple[Path, ...], anchors: Anchors) -> PathPattern:
    # A leading # would make a remark of it in an ignore file.
    entry = entry_regex(f"\\{rest}" if rest.startswith("#") else rest)
    if entry is None or "\0" in text or not {"..", "."}.isdisjoint(rest.split("/")):
        raise UsageError(f"{text!r} is not a path pattern. {HELP}")
    starts = tuple(base.joinpath(*_literal(rest)) for base in bases)
    regex = re.compile(entry.regex_with_below, re.DOTALL)
    return PathPattern(text, regex, bases, anchors.folders, starts=starts)


def _wide(pattern: PathPattern) -> str:
    """A regular expression for absolute paths, under whatever names a pattern means them."""
    bases = "|".join(re.escape(beginning_of(base)) for base in pattern.bases or pattern.folders)
    regex = pattern.regex.pattern
    # What lies in none of the opened folders counts from the root of the file system.
    elsewhere = [] if pattern.bases else [f"(?!{bases})/{regex}"]
    return "|".join((f"(?:{bases}){regex}", *elsewhere, *map(_wide, pattern.linked)))


def _literal(rest: str) -> list[str]:
    return list(takewhile(lambda part: SPECIAL.search(part) is None, rest.strip("/").split("/")))


def _anchored(text: str, anchors: Anchors) -> tuple[tuple[Path, ...], str]:
    """The folders a pattern counts from, and the rest of it; no folders for what is at any depth."""
    if text.startswith("//"):
        return (FILE_SYSTEM,), _from_base(text)
    if text.startswith("~/"):
        home = (anchors.home, Path(os.path.realpath(anchors.home)))
        return tuple(dict.fromkeys(home)), _from_base(text[2:])
    if text.startswith("**/"):
        return (), re.sub("/+", "/", text)
    relative = text.removeprefix("./")
    if relative != text or "/" in text.rstrip("/"):
        return (anchors.root,), _from_base(relative)
    return (), text


def _from_base(rest: str) -> str:
    return re.sub("/+", "/", f"/{rest}")


def _through_links(rest: str, bases: tuple[Path, ...]) -> Iterator[str]:
    """What the pattern is from the root of the file system, where a folder or file that it names is a link."""
    parts = rest.strip("/").split("/")
    literal = _literal(rest)
    for base in bases:
        named = base.joinpath(*literal)
        real = Path(os.path.realpath(named))
        others = [*map(escaped, real.parts[1:]), *parts[len(literal) :]]
        if real != named and others:
            yield f"/{'/'.join(others)}"
