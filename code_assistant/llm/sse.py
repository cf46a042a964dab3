"""Server-sent events from bytes: CR, LF and CRLF, any chunking, bounded in size."""

from __future__ import annotations

import codecs

from code_assistant.errors import StreamBroken

# More than a whole answer of the longest that models write; JSON of this size is decoded before anybody notices.
MAX_EVENT_BYTES = 1024 * 1024


class EventParser:
    """Fed with chunks as they come; gives the data of the events that are complete. Cost is linear in the bytes.

    Names of events are passed over: the protocols we speak say in the data what it is.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._line_parts: list[bytes] = []
        self._line_size = 0
        self._after_cr = False
        self._has_begun = False
        self._data: list[bytes] = []
        self._data_size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of the events that this chunk completes; raises StreamBroken when one is larger than allowed."""
        if not chunk:
            return []
        if not self._has_begun:
            self._has_begun = True
            chunk = chunk.removeprefix(codecs.BOM_UTF8)
        chunk = self._normalise_newlines(chunk)
        if b"\n" not in chunk:
            self._keep(chunk)
            return []
        if self._line_parts:
            self._line_parts.append(chunk)
            chunk = b"".join(self._line_parts)
            self._line_parts.clear()
            self._line_size = 0
        *lines, rest = chunk.split(b"\n")
        events = self._take_lines(lines)
        if rest:
            self._keep(rest)
        return events

    def _normalise_newlines(self, chunk: bytes) -> bytes:
        if self._after_cr:
            # The CR that ended the last chunk was a line end already; an LF right after it belongs to it.
            self._after_cr = False
            if chunk.startswith(b"\n"):
                chunk = chunk[1:]
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return chunk

    def _keep(self, part: bytes) -> None:
        self._line_parts.append(part)
        self._line_size += len(part)
        if self._line_size > self._max_event_bytes:
            self._refuse_size()

    def _take_lines(self, lines: list[bytes]) -> list[bytes]:
        events: list[bytes] = []
        for line in lines:
            if line.startswith(b"data:"):
                self._add_data(line[6:] if line.startswith(b"data: ") else line[5:])
            elif line == b"data":
                self._add_data(b"")
            elif not line and self._data:
                events.append(b"\n".join(self._data))
                self._data = []
                self._data_size = 0
        return events

    def _add_data(self, data: bytes) -> None:
        self._data.append(data)
        # An empty line costs room, too.
        self._data_size += len(data) + 1
        if self._data_size > self._max_event_bytes:
            self._refuse_size()

    def _refuse_size(self) -> None:
        words = f"The model's service sent an event larger than {self._max_event_bytes:,} bytes."
        raise StreamBroken(words, retryable=False)
