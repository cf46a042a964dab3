"""What is being completed at the cursor, and what is written in its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

# As in at the beginning of a word: an address has its @ in the middle.
_FILE = re.compile(r"(?:^|(?<=[\s(]))@(?:\"(?P<quoted>[^\"]*)|(?P<plain>[^\s\"]*))\Z")
_COMMAND = re.compile(r"/(?P<name>[^\s/]*)\Z")
_NEEDS_QUOTES = re.compile(r"[\s`()]")


@dataclass(frozen=True, slots=True)
class Trigger:
    """The word from `start` up to `end` in its row would be replaced. `query` is what was typed of it."""

    kind: Literal["file", "command"]
    query: str
    row: int
    start: int
    end: int

    @property
    def word(self) -> tuple[str, int, int]:
        """Which word it is, however much of it is typed."""
        return self.kind, self.row, self.start


def trigger_at(line: str, row: int, column: int) -> Trigger | None:
    """What to complete when the cursor is there, if anything."""
    before = line[:column]
    if row == 0 and (found := _COMMAND.match(before)) is not None:
        return Trigger("command", found["name"], 0, 0, column)
    if "@" not in before or (found := _FILE.search(before)) is None:
        return None
    quoted = found["quoted"]
    is_closed = quoted is not None and line[column : column + 1] == '"'
    return Trigger("file", quoted if quoted is not None else found["plain"], row, found.start(), column + is_closed)


@dataclass(frozen=True, slots=True)
class Completed:
    """What is written, and how many of its last characters the cursor stays before."""

    text: str
    behind_cursor: int = 0


def completed_file(path: str) -> Completed:
    """A file is done with; in a folder one goes on."""
    is_folder = path.endswith("/")
    if _NEEDS_QUOTES.search(path):
        return Completed(f'@"{path}"', 1) if is_folder else Completed(f'@"{path}" ')
    return Completed(f"@{path}") if is_folder else Completed(f"@{path} ")


def completed_command(name: str) -> Completed:
    return Completed(f"/{name} ")
