"""What a list says about a session without reading all of it."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from code_assistant.errors import WorkspaceError
from code_assistant.events import PromptStarted
from code_assistant.session.folder import SessionFolder
from code_assistant.session.header import LaterFormatError, SessionFormatError, SessionHeader
from code_assistant.session.reader import SessionFileReader
from code_assistant.session.view_state import read_view

logger = logging.getLogger(__name__)

MAX_TITLE_CHARACTERS = 80
UNTITLED = "(nothing said)"
DAMAGED = "(damaged; opening it mends it)"


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """`changed` is when it was last written, in seconds since 1970; `size` counts its own file, in bytes."""

    id: str
    title: str
    folder: str
    branch: str | None
    created: float
    changed: float
    size: int


def summarise(folder: SessionFolder) -> SessionSummary | None:
    """None for what is no session that can be read."""
    try:
        reader = SessionFileReader(folder.main_file)
        stat = folder.main_file.stat()
    except LaterFormatError as error:
        logger.debug("%s is not listed: %s", folder.path, error)
        return None
    except SessionFormatError:
        return _damaged(folder)
    except (WorkspaceError, OSError):
        # Gone since, or nothing that may be read.
        return None
    header = reader.header
    if not isinstance(header, SessionHeader):
        return None
    title = read_view(folder.view_file).title or _first_words(reader)
    return SessionSummary(header.id, title, header.folder, header.branch, header.created, stat.st_mtime, stat.st_size)


def _damaged(folder: SessionFolder) -> SessionSummary | None:
    """One that only lost its header can be mended, and so is listed; what was never begun is none."""
    if not folder.main_file.is_file():
        return None
    try:
        stat = folder.main_file.stat()
        with folder.main_file.open("rb") as file:
            has_lines = file.readline().endswith(b"\n") and bool(file.readline())
    except OSError:
        return None
    if not has_lines:
        return None
    title = read_view(folder.view_file).title or DAMAGED
    return SessionSummary(folder.path.name, title, "", None, stat.st_mtime, stat.st_mtime, stat.st_size)


def _first_words(reader: SessionFileReader) -> str:
    for entry in reader.entries(only=("PromptStarted",)):
        if isinstance(entry.event, PromptStarted):
            words = " ".join(entry.event.message.text.split())
            if words:
                return words if len(words) <= MAX_TITLE_CHARACTERS else f"{words[: MAX_TITLE_CHARACTERS - 1]}…"
    return UNTITLED
