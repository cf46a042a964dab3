"""The names that a glob in a command stands for, found with no more work than a command is worth."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Iterator
from pathlib import Path

MOST_LOOKED_AT = 20_000
MOST_FOUND = 1_000
# What has several bytes is one character or several, by the language and by what else a name holds.
COUNTED = re.compile(r"[?]|[^\x00-\x7f]+")


class _TooMuch(Exception):
    """More would have to be looked at than may be."""


class BoundedGlobs:
    """For one command: what all its globs together look at is bounded, whether it matches or not."""

    def __init__(self, most: int = MOST_LOOKED_AT) -> None:
        self._left = most

    def matching(self, pattern: str, folder: Path, *, finds_hidden: bool = False) -> list[str] | None:
        """What is there of these names; None if that is too much to be known.

        As in the shell, `*` stands for no name that begins with a dot, unless it `finds_hidden` ones, too.
        """
        parts = re.split(r"(/+)", pattern)
        found: list[str] = []
        try:
            for name in self._below("", parts, folder, finds_hidden):
                found.append(name)
                if len(found) > MOST_FOUND:
                    return None
        except _TooMuch:
            return None
        return found

    def _below(self, before: str, parts: list[str], folder: Path, finds_hidden: bool) -> Iterator[str]:
        at = next((number for number, part in enumerate(parts) if glob.has_magic(part)), len(parts))
        start = before + "".join(parts[:at])
        if at == len(parts):
            self._take(1 + start.count("/"))
            if os.path.lexists(folder / start):
                yield start
            return
        shows_hidden = finds_hidden or parts[at].startswith(".")
        self._take(1 + start.count("/"))
        for name in self._names(folder / start, parts[at]):
            if shows_hidden or not name.startswith("."):
                yield from self._below(start + name, parts[at + 1 :], folder, finds_hidden)

    def _names(self, folder: Path, part: str) -> list[str]:
        exactly, loosely = (re.compile(fnmatch.translate(each)).match for each in (part, COUNTED.sub("*", part)))
        names: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._take()
                    if exactly(entry.name) or (not entry.name.isascii() and loosely(entry.name)):
                        names.append(entry.name)
        except (OSError, ValueError):
            # No folder, or none that may be read: there is nothing to be found by us, nor by the command.
            return []
        return names

    def _take(self, count: int = 1) -> None:
        self._left -= count
        if self._left < 0:
            raise _TooMuch
