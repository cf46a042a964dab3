"""Everything one sub-agent did, on disk: an event a line, read back on demand, with only places kept in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias, cast

from code_assistant.errors import WorkspaceError
from code_assistant.event_json import EventFormatError, event_from, event_object
from code_assistant.events import Event, OutputAdded, TextDelta, ThinkingDelta, ToolFinished, ToolProgress, ToolStarted
from code_assistant.workspace.spill import SpillFile, SpillFolder

# Pieces of what BlockAdded, ResponseCut and ToolFinished have whole.
PIECES = (TextDelta, ThinkingDelta, OutputAdded, ToolProgress)
UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
MAXIMUM_STEM_CHARACTERS = 60

# Offset and length of a line.
Place: TypeAlias = tuple[int, int]


class ActivityLog:
    """Written from the event loop, read from any thread, also at the same time and after it was closed.

    Recording never fails: when it cannot go on, `problem` says why, and what is there stays readable.
    """

    def __init__(self, spill: SpillFolder, name: str) -> None:
        self.problem: str | None = None
        self._spill = spill
        self._name = name
        self._file: SpillFile | None = None
        self._path: Path | None = None
        self._is_closed = False
        # Of each tool call its ToolStarted and its ToolFinished. Replaced as a pair: readers see a whole one.
        self._calls: dict[str, tuple[Place | None, Place | None]] = {}

    def record(self, event: Event) -> None:
        if self._is_closed or isinstance(event, PIECES):
            return
        try:
            place = self._append(event)
        except (OSError, WorkspaceError, RecursionError) as error:
            self._give_up(_words(error))
            return
        if place is None:
            self._give_up("there is no room left for it")
        elif isinstance(event, ToolStarted):
            self._calls[event.tool_call_id] = (place, None)
        elif isinstance(event, ToolFinished):
            started, _ = self._calls.get(event.tool_call_id, (None, None))
            self._calls[event.tool_call_id] = (started, place)

    def events(self) -> tuple[Event, ...]:
        """All that was recorded. Blocks; raises WorkspaceError or EventFormatError where the file is gone or spoilt."""
        return tuple(_event(line) for line in self._lines())

    def tool(self, tool_call_id: str) -> tuple[ToolStarted | None, ToolFinished | None]:
        """The begin and end of one tool call, None for what is not recorded. Blocks and raises as `events` does."""
        started, finished = self._calls.get(tool_call_id, (None, None))
        return (
            cast("ToolStarted | None", self._event_at(started)),
            cast("ToolFinished | None", self._event_at(finished)),
        )

    def close(self) -> None:
        """Nothing more is recorded."""
        self._is_closed = True
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                # Some disks say only now that they are full; what is missing shows when it is read.
                file.close()

    def _append(self, event: Event) -> Place | None:
        """Where the event stands now, None if there was no room for all of it."""
        line = json.dumps(event_object(event, self._spill.masker.mask), separators=(",", ":")) + "\n"
        if self._file is None:
            self._file = self._spill.create(_stem(self._name))
            self._path = self._file.path
        offset = self._file.written
        self._file.write(line.encode("ascii"))
        return None if self._file.dropped else (offset, len(line))

    def _give_up(self, reason: str) -> None:
        self.problem = f"What {self._name} does is not kept any more: {reason}."
        self.close()

    def _lines(self) -> Iterator[bytes]:
        if self._path is None:
            return
        try:
            with self._path.open("rb") as file:
                # The last line may be half written, now or for good.
                yield from (line for line in file if line.endswith(b"\n"))
        except OSError as error:
            raise self._unreadable(error) from error

    def _event_at(self, place: Place | None) -> Event | None:
        if self._path is None or place is None:
            return None
        offset, length = place
        try:
            with self._path.open("rb") as file:
                file.seek(offset)
                return _event(file.read(length))
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> WorkspaceError:
        return WorkspaceError(f"What {self._name} did cannot be read: {_words(error)}.")


def _stem(name: str) -> str:
    safe = UNSAFE.sub("-", name).strip("-")[:MAXIMUM_STEM_CHARACTERS]
    return f"agent-{safe}" if safe else "agent"


def _words(error: Exception) -> str:
    told = error.strerror if isinstance(error, OSError) else None
    return (told or str(error)).removesuffix(".")


def _event(line: bytes) -> Event:
    try:
        return event_from(json.loads(line))
    except (ValueError, RecursionError) as error:
        raise EventFormatError(f"An event cannot be read: its line is no JSON ({error}).") from error
