"""One file of a session while it is being written: an event a line, at once; pieces of text a moment together."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from code_assistant.errors import AssistantError, WorkspaceError
from code_assistant.events import Event, OutputAdded, TextDelta, ThinkingDelta, ToolFinished
from code_assistant.json_forms import TwoFilters
from code_assistant.private_files import private_descriptor
from code_assistant.secrets import Masker
from code_assistant.session.header import Header, header_line
from code_assistant.session.lines import PIECES, UNKEPT, event_line
from code_assistant.stored_secrets import StorageStreamMasker

# What a kill can cost: so much of a text that is being written.
PIECE_SECONDS = 0.1
MAX_FILE_BYTES = 1_000_000_000
# Of what one running command prints; when it has ended, its result says the rest.
MAX_OUTPUT_CHARACTERS = 256_000
TOO_LONG = "the file has become too long"

# Offset and length of a line.
Place: TypeAlias = tuple[int, int]
Piece: TypeAlias = TextDelta | ThinkingDelta | OutputAdded


@dataclass(slots=True)
class _Held:
    """Pieces of one text that are written together."""

    first: Piece
    masker: StorageStreamMasker
    parts: list[str]
    length: int = 0


class EventFile:
    """Written from the event loop, and never raises: when it cannot go on, `on_problem` is told why, once.

    It is opened with the first event; `prepare` makes the folder that it is in.
    """

    def __init__(
        self,
        path: Path,
        header: Header,
        masker: Masker,
        prepare: Callable[[], None],
        on_problem: Callable[[str], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self.problem: str | None = None
        self._header = header
        self._masker = masker
        # What a provider must get back as it was is changed for keys of our own only.
        self._filter = TwoFilters(masker.mask_for_storage, exact=masker.mask)
        self._prepare = prepare
        self._on_problem = on_problem
        self._clock = clock
        self._descriptor: int | None = None
        self._size = 0
        self._has_begun = False
        self._is_closed = False
        self._held: dict[tuple[str, str], _Held] = {}
        self._timer: asyncio.TimerHandle | None = None

    def write(self, event: Event) -> Place | None:
        """Where its line stands; None for what is held for a moment, and for what is not kept."""
        if self._is_closed or self.problem is not None or isinstance(event, UNKEPT):
            return None
        if isinstance(event, PIECES):
            self._hold(event)
            return None
        self._release(lambda piece: _ends(event, piece))
        return self._append(event)

    @property
    def has_begun(self) -> bool:
        """Whether there is something to be read."""
        return self._has_begun

    def close(self) -> None:
        """Nothing more is written."""
        if not self._is_closed:
            self._release(lambda _: True)
            self._is_closed = True
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        try:
            os.close(descriptor)
        except OSError as error:
            # Some disks say only now that they are full.
            self._fail(error)

    # Pieces

    def _hold(self, piece: Piece) -> None:
        key = (type(piece).__name__, _call_id(piece))
        held = self._held.get(key)
        if held is None:
            if not isinstance(piece, OutputAdded):
                # A text of another kind begins, so the one before is over.
                self._release(_is_text)
            held = self._held[key] = _Held(piece, StorageStreamMasker(self._masker), [])
        if isinstance(piece, OutputAdded):
            held.length += len(piece.text)
            if held.length > MAX_OUTPUT_CHARACTERS:
                return
        held.parts.append(piece.text)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(PIECE_SECONDS, self._release)

    def _release(self, is_over: Callable[[Piece], bool] = lambda _: False) -> None:
        """Write what is held. What could be the beginning of a key waits for its rest, unless none will come."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for key, held in tuple(self._held.items()):
            text = held.masker.feed("".join(held.parts))
            held.parts.clear()
            if is_over(held.first):
                text += held.masker.flush()
                del self._held[key]
            if text and self.problem is None:
                self._append(replace(held.first, text=text))

    # Lines

    def _append(self, event: Event) -> Place | None:
        try:
            line = event_line(event, self._clock(), self._header.origin, self._filter)
            descriptor = self._opened()
            offset = self._size
            _require_room(offset + len(line))
            self._write_all(descriptor, line)
        except (OSError, AssistantError, RecursionError) as error:
            self._fail(error)
            return None
        return offset, len(line)

    def _opened(self) -> int:
        if self._descriptor is None:
            self._prepare()
            self._descriptor = private_descriptor(self.path)
            self._size = os.fstat(self._descriptor).st_size
            if not self._size:
                self._write_all(self._descriptor, header_line(self._header))
            self._has_begun = True
        return self._descriptor

    def _write_all(self, descriptor: int, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            count = os.write(descriptor, rest)
            self._size += count
            rest = rest[count:]

    def _fail(self, error: Exception) -> None:
        if self.problem is not None:
            return
        told = error.strerror if isinstance(error, OSError) else None
        self.problem = (told or str(error)).removesuffix(".")
        self._on_problem(self.problem)


def _is_text(piece: Piece) -> bool:
    return not isinstance(piece, OutputAdded)


def _ends(event: Event, piece: Piece) -> bool:
    """Whether no more of a text will come: commands go on printing until they end, whatever else happens."""
    return _is_text(piece) or (isinstance(event, ToolFinished) and event.tool_call_id == _call_id(piece))


def _call_id(piece: Piece) -> str:
    return piece.tool_call_id if isinstance(piece, OutputAdded) else ""


def _require_room(size: int) -> None:
    if size > MAX_FILE_BYTES:
        raise WorkspaceError(TOO_LONG)
