"""The names that bash would put in the place of a glob: more rather than fewer, so that each can be looked at."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Protocol

from code_assistant.permissions.shell.words import GLOB_CHARACTERS, pattern_of

MOST_NAMES = 1_000
MOST_LOOKED_AT = 20_000
# In one name: each of them multiplies what has to be tried.
_MOST_STARS = 4
_GLOB = re.compile(r"\\(.)|([*?\[])|([^\\*?\[]+)", re.DOTALL)
_IS_GLOB = re.compile(r"(?<!\\)(?:\\\\)*[*?\[]")
_COUNTED = re.compile(r"(\\.)|\?|[^\x00-\x7f]+", re.DOTALL)


class Names(Protocol):
    def matching(self, pattern: str) -> Sequence[str] | None:
        """What a word with a glob, as it is written, may become if anything matches it: some of these, in any order.

        None if that is too much or cannot be known.
        """
        ...

    def may_be_folder(self, path: str) -> bool: ...


class FolderNames:
    """Looks it up in the folder that a command runs in, and nowhere but in the folders of `within`.

    What is looked at is bounded for all globs together: few may match of very many.
    """

    def __init__(self, folder: Path, within: Sequence[Path] = ()) -> None:
        self._folder = folder
        self._within = [Path(os.path.realpath(each)) for each in within or (folder,)]
        self._left = MOST_LOOKED_AT

    def matching(self, pattern: str) -> Sequence[str] | None:
        scan = pattern_of(pattern)
        pieces = _pieces("".join(scan.pattern)) if scan else []
        if scan is None or any(piece.count("*") > _MOST_STARS for piece in pieces):
            return None
        found = [""]
        for piece in pieces:
            if _IS_GLOB.search(piece):
                expression = _Expression.of(piece)
                found = [f"{before}{name}" for before in found for name in self._entries(before, expression)]
            else:
                literal = re.sub(r"\\(.)", r"\1", piece, flags=re.DOTALL)
                self._take(len(found) * (1 + literal.count("/")))
                found = [f"{before}{literal}" for before in found]
            if len(found) > MOST_NAMES or self._left < 0:
                return None
        # What is not there is left out by the shell.
        return [name for name in found if os.path.lexists(f"{self._folder}/{name}" if name[:1] != "/" else name)]

    def may_be_folder(self, path: str) -> bool:
        try:
            return (self._folder / path).is_dir()
        except (OSError, ValueError):
            # A name that is too long, or a way that is barred: nobody knows.
            return True

    def _resolved(self, path: str) -> Path | None:
        try:
            return Path(os.path.realpath(self._folder / path))
        except (OSError, ValueError):
            # A link that may not be looked at, as those of other programs in /proc.
            return None

    def _take(self, count: int) -> None:
        self._left -= count

    def _entries(self, before: str, expression: _Expression) -> list[str]:
        self._take(before.count("/"))
        if self._left < 0:
            return []
        folder = self._resolved(before)
        if folder is None or not any(folder.is_relative_to(each) for each in self._within):
            self._left = -1
            return []
        try:
            with os.scandir(folder) as entries:
                names = [".", "..", *(entry.name for entry in islice(entries, self._left))]
                self._take(len(names))
        except OSError:
            # No folder, or none that may be read: the shell finds nothing there, either.
            return []
        return sorted(filter(expression.may_mean, names))


@dataclass(frozen=True, slots=True)
class _Expression:
    """For the names of one folder. `loose` is for those with characters that not every shell counts alike.

    What has several bytes is one character or several, by the language and by what else the name holds.
    """

    exact: re.Pattern[str]
    loose: re.Pattern[str]

    @classmethod
    def of(cls, part: str) -> _Expression:
        return cls(_compiled(part), _compiled(_COUNTED.sub(lambda found: found[1] or "*", part)))

    def may_mean(self, name: str) -> bool:
        return (self.exact if name.isascii() else self.loose).fullmatch(name) is not None


def _pieces(pattern: str) -> list[str]:
    """A path taken apart: names with a glob each by itself, and whatever stands between them."""
    runs = groupby(re.split(r"(/+)", pattern), lambda part: _IS_GLOB.search(part) is not None)
    return [piece for is_glob, run in runs for piece in (run if is_glob else ["".join(run)])]


def _compiled(part: str) -> re.Pattern[str]:
    pieces = [""]
    for escaped, special, literal in _GLOB.findall(part):
        if special == "?":
            pieces[-1] += "."
        elif special:
            pieces.append("")
            if special == "[":
                # Which characters these are depends on the language of the system: anything may follow.
                break
        else:
            pieces[-1] += re.escape(escaped or literal)
    is_hidden = part.startswith(".") or part[:1] == "["
    # Each piece between two stars at its first place: nothing is tried again, however many stars there are.
    first, middle, last = pieces[0], pieces[1:-1], pieces[-1]
    regex = first if len(pieces) == 1 else first + "".join(f"(?>.*?{piece})" for piece in middle) + f".*{last}"
    return re.compile(("" if is_hidden else r"(?!\.)") + regex, re.DOTALL)


def unexpanded(text: str) -> str | None:
    """What a word with a glob stays where nothing matches it."""
    scan = pattern_of(text)
    return None if scan is None else "".join(scan.value)


def begins_with_glob(text: str) -> bool:
    """Whether what a word becomes may begin with anything, such as the dash of an option."""
    scan = pattern_of(text)
    return scan is None or "".join(scan.pattern)[:1] in GLOB_CHARACTERS
