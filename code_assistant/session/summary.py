"""What a list says about a session without reading all of it."""

from __future__ import annotations

from dataclasses import dataclass

from code_assistant.errors import AssistantError
from code_assistant.events import PromptStarted
from code_assistant.session.folder import SessionFolder
from code_assistant.session.header import SessionHeader
from code_assistant.session.reader import SessionFileReader
from code_assistant.session.view_state import read_view

MAX_TITLE_CHARACTERS = 80
UNTITLED = "(nothing said)"


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
    except (AssistantError, OSError):
        return None
    header = reader.header
    if not isinstance(header, SessionHeader):
        return None
    title = read_view(folder.view_file).title or _first_words(reader)
    return SessionSummary(header.id, title, header.folder, header.branch, header.created, stat.st_mtime, stat.st_size)


def _first_words(reader: SessionFileReader) -> str:
    for entry in reader.entries(only=("PromptStarted",)):
        if isinstance(entry.event, PromptStarted):
            words = " ".join(entry.event.message.text.split())
            if words:
                return words if len(words) <= MAX_TITLE_CHARACTERS else f"{words[: MAX_TITLE_CHARACTERS - 1]}…"
    return UNTITLED
