"""Everything one sub-agent did, in its file of the session: written as it happens, read back on demand.

Only the places of tool calls are kept in memory.
"""

from __future__ import annotations

from typing import cast

from code_assistant.errors import WorkspaceError
from code_assistant.events import Event, ToolFinished, ToolStarted
from code_assistant.session.event_file import EventFile, Place
from code_assistant.session.lines import PIECES
from code_assistant.session.reader import SessionFileReader


class ActivityLog:
    """Written from the event loop, read from any thread, also at the same time and after it was closed.

    Recording never fails: where nothing more can be written, the file has told why, and what is there stays readable.
    """

    def __init__(self, file: EventFile, name: str) -> None:
        self._file = file
        self._name = name
        # Of each tool call its ToolStarted and its ToolFinished. Replaced as a pair: readers see a whole one.
        self._calls: dict[str, tuple[Place | None, Place | None]] = {}

    def record(self, event: Event) -> None:
        place = self._file.write(event)
        if isinstance(event, ToolStarted):
            self._calls[event.tool_call_id] = (place, None)
        elif isinstance(event, ToolFinished):
            started, _ = self._calls.get(event.tool_call_id, (None, None))
            self._calls[event.tool_call_id] = (started, place)

    def events(self) -> tuple[Event, ...]:
        """All that was recorded, but for pieces of text. Blocks; raises WorkspaceError where the file is gone."""
        if not self._file.has_begun and self._file.problem is None:
            return ()
        reader = self._reader()
        return tuple(entry.event for entry in reader.entries() if not isinstance(entry.event, PIECES))

    def tool(self, tool_call_id: str) -> tuple[ToolStarted | None, ToolFinished | None]:
        """The begin and end of one tool call, None for what is not recorded. Blocks and raises as `events` does."""
        started, finished = self._calls.get(tool_call_id, (None, None))
        return (
            cast("ToolStarted | None", self._event_at(started)),
            cast("ToolFinished | None", self._event_at(finished)),
        )

    def close(self) -> None:
        """Nothing more is recorded."""
        self._file.close()

    def _event_at(self, place: Place | None) -> Event | None:
        if place is None:
            return None
        offset, length = place
        reader = self._reader()
        found = next(iter(reader.entries(offset, offset + length)), None)
        return found.event if found is not None else None

    def _reader(self) -> SessionFileReader:
        try:
            return SessionFileReader(self._file.path)
        except WorkspaceError as error:
            raise WorkspaceError(f"What {self._name} did cannot be read: {error}") from error
