"""Packed bodies unpacked piece by piece, and never further than there is room for."""

from __future__ import annotations

import zlib
from typing import Protocol

from code_assistant.errors import ToolError

ACCEPTED_CODINGS = "gzip, deflate"
GZIP_WINDOW = 31
ZLIB_WINDOW = 15
RAW_WINDOW = -15
GZIP_MARK = b"\x1f\x8b"
DEFLATE_METHOD = 8
# No server packs a page into so many files, but a thousand empty ones cost more than they hold.
MAXIMUM_FILES = 100


class _Inflater(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...


class Unpacker(Protocol):
    def unpack(self, piece: bytes, room: int) -> bytes:
        """At most `room` bytes. Whoever gets as many must not go on: what was left over is lost."""
        ...

    def finish(self) -> None:
        """Raises ToolError when the packed data has not come to its end."""
        ...


def unpacker_for(coding: str) -> Unpacker:
    """For the value of a Content-Encoding header. Raises ToolError for what was not asked for."""
    match coding.strip().lower():
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip":
            return _Gzip()
        case "deflate":
            return _Deflate()
        case other:
            raise ToolError(f"The answer is packed in a way that was not asked for ({other[:40]!r}).")


class _Plain:
    def unpack(self, piece: bytes, room: int) -> bytes:
        return piece[:room]

    def finish(self) -> None:
        pass


class _Gzip:
    """One gzip file after another, as the format allows; what follows the last one is ignored."""

    def __init__(self) -> None:
        self._file = zlib.decompressobj(GZIP_WINDOW)
        self._files = 1
        self._has_begun = False

    def unpack(self, piece: bytes, room: int) -> bytes:
        found = bytearray()
        while piece and len(found) < room:
            if self._file.eof:
                if not piece.startswith(GZIP_MARK) or self._files >= MAXIMUM_FILES:
                    break
                self._file = zlib.decompressobj(GZIP_WINDOW)
                self._files += 1
            self._has_begun = True
            found += _inflated(self._file, piece, room - len(found))
            piece = self._file.unused_data
        return bytes(found)

    def finish(self) -> None:
        if self._has_begun and not self._file.eof:
            raise _damaged()


class _Deflate:
    """The zlib format, as the standard says, or raw data, as some servers send."""

    def __init__(self) -> None:
        self._head = b""
        self._data: _Inflater | None = None

    def unpack(self, piece: bytes, room: int) -> bytes:
        if self._data is None:
            self._head += piece
            if len(self._head) < 2:
                return b""
            is_zlib = self._head[0] & 0x0F == DEFLATE_METHOD and int.from_bytes(self._head[:2]) % 31 == 0
            self._data = zlib.decompressobj(ZLIB_WINDOW if is_zlib else RAW_WINDOW)
            piece = self._head
        return _inflated(self._data, piece, room)

    def finish(self) -> None:
        if self._head and (self._data is None or not self._data.eof):
            raise _damaged()


def _inflated(data: _Inflater, piece: bytes, room: int) -> bytes:
    try:
        return data.decompress(piece, room) if room > 0 else b""
    except zlib.error as error:
        raise _damaged() from error


def _damaged() -> ToolError:
    return ToolError("The answer is packed, and damaged: it cannot be unpacked.")
