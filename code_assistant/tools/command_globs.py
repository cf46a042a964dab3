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


class _TooMuch(Exception):
    """More would have to be looked at than may be."""


class BoundedGlobs:
    """For one command: what all its globs together look at is bounded, whether it matches or not."""

    def __init__(self, most: int = MOST_LOOKED_AT) -> None:
        self._left = most

    def matching(self, pattern: str, folder: Path) -> list[str] | None:
        """What is there of these names, hidden ones included; None if that is too much to be known."""
        parts = re.split(r"(/+)", pattern)
        found: list[str] = []
        try:
            for name in self._below("", parts, folder):
                found.append(name)
                if len(found) > MOST_FOUND:
                    return None
        except _TooMuch:
            return None
        return found

    def _below(self, before: str, parts: list[str], folder: Path) -> Iterator[str]:
        at = next((number for number, part in enumerate(parts) if glob.has_magic(part)), len(parts))
        start = before + "".join(parts[:at])
        if at == len(parts):
            self._take()
            if os.path.lexists(folder / start):
                yield start
            return
        for name in self._names(folder / start, parts[at]):
            yield from self._below(start + name, parts[at + 1 :], folder)

    def _names(self, folder: Path, part: str) -> list[str]:
        self._take()
        matches = re.compile(fnmatch.translate(part)).match
        names: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._take()
                    if matches(entry.name):
                        names.append(entry.name)
        except (OSError, ValueError):
            # No folder, or none that may be read: there is nothing to be found by us, nor by the command.
            return []
        return names

    def _take(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise _TooMuch
