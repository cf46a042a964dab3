"""The names that bash would put in the place of a glob: more rather than fewer, so that each can be looked at."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from code_assistant.permissions.shell.words import GLOB_CHARACTERS, pattern_of

MOST_NAMES = 1_000
MOST_LOOKED_AT = 20_000
# In one name: each of them multiplies what has to be tried.
_MOST_STARS = 4
_GLOB = re.compile(r"\\(.)|([*?\[])|([^\\*?\[]+)", re.DOTALL)


class Names(Protocol):
    def matching(self, pattern: str) -> Sequence[str] | None:
        """What a word with a glob, as it is written, may become; None if that is too much or cannot be known."""
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
        parts = re.split(r"(/+)", "".join(scan.pattern)) if scan else []
        if scan is None or any(part.count("*") > _MOST_STARS for part in parts):
            return None
        found = [""]
        for part in parts:
            expression = _expression(part)
            if expression is None:
                literal = re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL)
                found = [f"{before}{literal}" for before in found]
            else:
                found = [f"{before}{name}" for before in found for name in self._entries(before, expression)]
            if len(found) > MOST_NAMES or self._left < 0:
                return None
        # What is not there is left out by the shell; without any match the word stays as it is.
        return [name for name in found if os.path.lexists(f"{self._folder}/{name}" if name[:1] != "/" else name)] or [
            "".join(scan.value)
        ]

    def may_be_folder(self, path: str) -> bool:
        try:
            return (self._folder / path).is_dir()
        except (OSError, ValueError):
            # A name that is too long, or a way that is barred: nobody knows.
            return True

    def _entries(self, before: str, expression: re.Pattern[str]) -> list[str]:
        folder = os.path.realpath(self._folder / before)
        if not any(Path(folder).is_relative_to(each) for each in self._within):
            self._left = -1
        if self._left < 0:
            return []
        try:
            with os.scandir(folder) as entries:
                names = [".", "..", *(entry.name for entry in islice(entries, self._left))]
                self._left -= len(names)
        except OSError:
            # No folder, or none that may be read: the shell finds nothing there, either.
            return []
        return sorted(name for name in names if expression.fullmatch(name))


def _expression(part: str) -> re.Pattern[str] | None:
    """What names of one folder a part of a path may stand for; None if it holds no glob."""
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
    if len(pieces) == 1 and not any(special for _, special, _ in _GLOB.findall(part)):
        return None
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
