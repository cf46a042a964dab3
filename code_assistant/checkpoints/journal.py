"""What each turn did to which file, as JSON lines in a private file that is only ever added to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from code_assistant.checkpoints.own_files import own_folder, regular_content
from code_assistant.checkpoints.states import FileState
from code_assistant.json_forms import FormError, value_from, value_object
from code_assistant.private_files import private_descriptor


@dataclass(frozen=True, slots=True)
class TurnBegan:
    turn: str


@dataclass(frozen=True, slots=True)
class ChangeBegan:
    """Written before the file is touched: what it was, and what it is about to be."""

    turn: str
    path: str
    before: FileState
    after: FileState


@dataclass(frozen=True, slots=True)
class ChangeMade:
    """The file is what it was about to be, with this mode."""

    turn: str
    path: str
    mode: int


@dataclass(frozen=True, slots=True)
class ChangeFailed:
    """The last change of this path was not made."""

    turn: str
    path: str


@dataclass(frozen=True, slots=True)
class CommandRan:
    """What a command changes is not seen, so that it must be said."""

    turn: str


@dataclass(frozen=True, slots=True)
class Gap:
    """Something of this turn is not in the journal."""

    turn: str
    why: str


@dataclass(frozen=True, slots=True)
class TurnForgotten:
    """What its files were before is not kept any longer."""

    turn: str
    why: str


@dataclass(frozen=True, slots=True)
class RestoreBegan:
    """The files of these turns are being put back; written before the first of them is touched."""

    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Restored:
    """These turns are taken back; `left` are the paths that were left as they are."""

    turns: tuple[str, ...]
    left: tuple[str, ...] = ()


# Far more than the changes of one session; what is longer was not written here.
MAXIMUM_BYTES = 100_000_000

Line: TypeAlias = (
    TurnBegan | ChangeBegan | ChangeMade | ChangeFailed | CommandRan | Gap | TurnForgotten | RestoreBegan | Restored
)


class Journal:
    """One writer at a time. A line that a kill has torn is no line, and is gone with the next one that is added."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._is_mended = False

    def lines(self) -> list[Line | None]:
        """All of them, None for one that cannot be read; raises OSError, or WorkspaceError for what is no journal."""
        try:
            data = self._content()
        except FileNotFoundError:
            return []
        except NotADirectoryError:
            # Something else in the place of the folder is not the same as no folder.
            if os.path.lexists(self.path.parent):
                raise
            return []
        return [_line(each) for each in data[: _whole(data)].splitlines()]

    def add(self, line: Line, *, at_once: bool = False) -> None:
        """`at_once`: on disk when this returns. Raises OSError or WorkspaceError; then nothing was added."""
        self.add_all((line,), at_once=at_once)

    def add_all(self, lines: Iterable[Line | None], *, at_once: bool = False) -> None:
        """The same for several; one that could not be read stays such a one."""
        data = b"".join(_data(line) for line in lines)
        descriptor = private_descriptor(self.path)
        try:
            self._mend(descriptor)
            _append(descriptor, data)
            if at_once:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _mend(self, descriptor: int) -> None:
        if not self._is_mended:
            os.ftruncate(descriptor, _whole(self._content()))
            self._is_mended = True

    def _content(self) -> bytes:
        with own_folder(self.path.parent) as folder:
            return regular_content(folder, self.path.name, MAXIMUM_BYTES)


def _append(descriptor: int, data: bytes) -> None:
    size = os.fstat(descriptor).st_size
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError:
        with suppress(OSError):
            os.ftruncate(descriptor, size)
        raise


def _whole(data: bytes) -> int:
    """The end of the last line that has one."""
    return data.rfind(b"\n") + 1


def _data(line: Line | None) -> bytes:
    return (json.dumps(value_object(Line, line)).encode() if line is not None else b"") + b"\n"


def _line(data: bytes) -> Line | None:
    try:
        source = json.loads(data)
        # Half a character is in no name that a file can have, and cannot be shown either.
        json.dumps(source, ensure_ascii=False).encode("utf-8", "surrogateescape")
        return value_from(Line, source, "line")
    except (ValueError, RecursionError, FormError):
        return None
