"""What a list says about a session without reading all of it."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass

from code_assistant.errors import WorkspaceError
from code_assistant.events import PromptStarted
from code_assistant.session.folder import SessionFolder
from code_assistant.session.header import LaterFormatError, SessionFormatError, SessionHeader
from code_assistant.session.reader import SessionFileReader
from code_assistant.session.regular_files import open_regular
from code_assistant.session.segments import find_segments
from code_assistant.session.view_state import read_view

logger = logging.getLogger(__name__)

MAX_TITLE_CHARACTERS = 80
UNTITLED = "(nothing said)"
DAMAGED = "(damaged; opening it mends it)"


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """`changed` is when it was last written, in seconds since 1970; `size` counts its own file, in bytes.

    `id` is the name of its folder, whatever the file says: only by that name can it be found. `is_copy` is one that
    was copied from another by us.
    """

    id: str
    title: str
    folder: str
    branch: str | None
    created: float
    changed: float
    size: int
    is_copy: bool


def summarise(folder: SessionFolder) -> SessionSummary | None:
    """None for what is no session that can be read."""
    try:
        reader = SessionFileReader(folder.main_file)
        stat = folder.main_file.stat()
        title = read_view(folder.view_file).title or _first_words(reader)
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
    return SessionSummary(
        folder.path.name,
        title,
        header.folder,
        header.branch,
        header.created,
        stat.st_mtime,
        stat.st_size,
        is_copy=header.forked_from is not None,
    )


def _damaged(folder: SessionFolder) -> SessionSummary | None:
    """One that only lost its header can be mended, and so is listed; what was never begun is none."""
    try:
        with open_regular(folder.main_file) as file:
            stat = os.fstat(file.fileno())
            has_lines = file.readline().endswith(b"\n") and bool(file.readline())
    except (OSError, WorkspaceError):
        return None
    if not has_lines:
        return None
    title = read_view(folder.view_file).title or DAMAGED
    return SessionSummary(folder.path.name, title, "", None, stat.st_mtime, stat.st_mtime, stat.st_size, is_copy=False)


def _first_words(reader: SessionFileReader) -> str:
    """Of the first prompt that has some, without what was rewound."""
    for segment in find_segments(reader.path, reader.body):
        if not segment.is_prompt:
            continue
        for entry in reader.entries(segment.start, segment.end, ("PromptStarted",)):
            words = " ".join(entry.event.message.text.split()) if isinstance(entry.event, PromptStarted) else ""
            if words:
                return words if len(words) <= MAX_TITLE_CHARACTERS else f"{words[: MAX_TITLE_CHARACTERS - 1]}…"
    return UNTITLED
