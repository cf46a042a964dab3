"""The index of all sessions: what lists say of each, kept so that only those that changed are read again.

It is a copy of what the sessions say themselves. Whoever lists them brings it up to date; without it, or with a wrong
one, a list only takes longer.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from code_assistant.errors import WorkspaceError
from code_assistant.json_forms import FormError, value_from, value_object
from code_assistant.private_files import private_descriptor
from code_assistant.session.folder import SESSION_ID, SessionFolder
from code_assistant.session.regular_files import open_regular
from code_assistant.session.summary import SessionSummary, summarise

logger = logging.getLogger(__name__)

FILE_NAME = "index.json"


@dataclass(frozen=True, slots=True)
class _Known:
    """`mark` tells whether the files have changed since."""

    mark: tuple[int, ...]
    summary: SessionSummary


@dataclass(frozen=True, slots=True)
class _Index:
    known: tuple[_Known, ...] = ()


def list_sessions(folder: Path) -> list[SessionSummary]:
    """All sessions, the one that was changed last first. Blocks; raises WorkspaceError."""
    if folder.is_symlink():
        raise WorkspaceError(f"{folder} is a symlink and must be a folder of its own. Remove the symlink.")
    before = {each.summary.id: each for each in _read(folder / FILE_NAME).known}
    now: dict[str, _Known] = {}
    for session in _folders(folder):
        mark = _mark(session)
        known = before.get(session.path.name)
        if mark is None:
            continue
        if known is not None and known.mark == mark:
            now[session.path.name] = known
        elif (summary := summarise(session)) is not None:
            now[session.path.name] = _Known(mark, summary)
    if now != before:
        _write(folder / FILE_NAME, _Index(tuple(now.values())))
    return sorted((each.summary for each in now.values()), key=lambda summary: -summary.changed)


def _folders(folder: Path) -> Iterator[SessionFolder]:
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return
    except OSError as error:
        raise WorkspaceError(f"{folder} cannot be read: {error.strerror or error}.") from error
    yield from (SessionFolder(folder / name) for name in sorted(names) if SESSION_ID.fullmatch(name))


def _mark(session: SessionFolder) -> tuple[int, ...] | None:
    try:
        found = session.main_file.lstat()
    except OSError:
        return None
    try:
        view = session.view_file.lstat()
    except OSError:
        return found.st_size, found.st_mtime_ns
    return found.st_size, found.st_mtime_ns, view.st_size, view.st_mtime_ns


def _read(path: Path) -> _Index:
    try:
        with open_regular(path) as file:
            return value_from(_Index, json.loads(file.read()), "index")
    except (OSError, WorkspaceError, ValueError, RecursionError, FormError) as error:
        logger.debug("the index is made anew: %s", error)
        return _Index()


def _write(path: Path, index: _Index) -> None:
    """In one step: two programs may do so at the same time, and the one that comes last is as right as the other."""
    temporary = path.with_name(f"{FILE_NAME}.{os.getpid()}-{os.urandom(4).hex()}")
    try:
        with os.fdopen(private_descriptor(temporary, must_be_new=True), "wb") as file:
            _fill(file, temporary, path, json.dumps(value_object(_Index, index)).encode("ascii"))
    except (OSError, WorkspaceError) as error:
        # A full disk, or one that is only read: the list is there all the same.
        logger.debug("the index cannot be written: %s", error)


def _fill(file: BinaryIO, temporary: Path, path: Path, data: bytes) -> None:
    try:
        file.write(data)
        file.flush()
        temporary.replace(path)
    except OSError:
        temporary.unlink()
        raise
