"""Reads a file of a session: its header, and the events of any part of it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from code_assistant.event_json import EventFormatError
from code_assistant.event_parts import Origin
from code_assistant.json_forms import value_object
from code_assistant.session.header import Header, header_from
from code_assistant.session.lines import Entry, entry_from, kind_of
from code_assistant.session.regular_files import open_regular

logger = logging.getLogger(__name__)


class SessionFileReader:
    """Read from any thread, also while it is being written: a last line that is not whole is passed over."""

    def __init__(self, path: Path) -> None:
        """Raises WorkspaceError where it cannot be read, SessionFormatError where it is no file of a session."""
        self.path = path
        with open_regular(self.path) as file:
            line = file.readline()
        self.header: Header = header_from(line)
        self.body = len(line)
        # Hashes of lines that were passed over, so that each counts once.
        self.unreadable: set[int] = set()
        self._own: dict[str, Any] = value_object(Origin, self.header.origin)

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    def entries(
        self, start: int | None = None, end: int | None = None, only: Collection[str] | None = None
    ) -> Iterator[Entry]:
        """The events of a part, `only` those of some kinds. What is no event of ours is passed over."""
        for _, line in self.lines(start, end):
            if only is not None and kind_of(line) not in only:
                continue
            if (entry := self.entry_or_none(line)) is not None:
                yield entry

    def lines(self, start: int | None = None, end: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Whole lines of a part, behind the header, and where they begin."""
        offset = self.body if start is None else start
        with open_regular(self.path) as file:
            file.seek(offset)
            for line in file:
                if (end is not None and offset >= end) or not line.endswith(b"\n"):
                    return
                yield offset, line
                offset += len(line)

    def entry(self, line: bytes) -> Entry:
        """Raises EventFormatError."""
        return entry_from(line, self._own)

    def entry_or_none(self, line: bytes) -> Entry | None:
        """What cannot be read costs that line only."""
        try:
            return entry_from(line, self._own)
        except EventFormatError as error:
            logger.debug("%s: %s", self.path, error)
            self.unreadable.add(hash(line))
            return None
