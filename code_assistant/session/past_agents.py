"""What a sub-agent of a session did, from its own file."""

from __future__ import annotations

import logging

from code_assistant.errors import WorkspaceError
from code_assistant.events import ToolFinished, ToolStarted
from code_assistant.session.folder import SessionFolder
from code_assistant.session.lines import PIECES, Entry, kind_of
from code_assistant.session.reader import SessionFileReader
from code_assistant.session.regular_files import require_folder

logger = logging.getLogger(__name__)

_PIECE_KINDS = frozenset(kind.__name__ for kind in PIECES)


def agent_entries(folder: SessionFolder, tool_call_id: str, *, with_pieces: bool = False) -> list[Entry]:
    """All that one did, pieces of text only if asked for; empty where nothing of it is kept. Blocks."""
    try:
        require_folder(folder.agents)
        reader = SessionFileReader(folder.agent_file(tool_call_id))
    except WorkspaceError as error:
        logger.debug("nothing is kept of %s: %s", tool_call_id, error)
        return []
    lines = (line for _, line in reader.lines() if with_pieces or kind_of(line) not in _PIECE_KINDS)
    return [entry for line in lines if (entry := reader.entry_or_none(line)) is not None]


def agent_call(
    folder: SessionFolder, tool_call_id: str, inner_call_id: str
) -> tuple[ToolStarted | None, ToolFinished | None]:
    """The begin and end of one tool call of a sub-agent, the last with that id. Blocks."""
    started: ToolStarted | None = None
    finished: ToolFinished | None = None
    for entry in agent_entries(folder, tool_call_id):
        event = entry.event
        if isinstance(event, ToolStarted) and event.tool_call_id == inner_call_id:
            started = event
        elif isinstance(event, ToolFinished) and event.tool_call_id == inner_call_id:
            finished = event
    return started, finished
