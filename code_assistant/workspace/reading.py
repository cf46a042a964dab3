"""Reading some lines of a file of any size at a bounded cost in time and memory."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

from code_assistant.workspace.encodings import (
    CONTINUATION_BYTES,
    LEAD_BYTES,
    ByteOrderMark,
    Decoding,
    byte_order_mark,
    decoding_of,
)
from code_assistant.workspace.opening import OpenFile
from code_assistant.workspace.ranges import LineRange
from code_assistant.workspace.threads import StopFlag

MAXIMUM_LINES = 2000
MAXIMUM_LINE_CHARACTERS = 2000
MAXIMUM_TEXT = 100_000
CHUNK_BYTES = 1 << 18
COUNTED_BYTES_AFTER = 64 << 20
SKIPPED_BYTES_BEFORE = 256_000_000
# The longest encoding of a character in UTF-8, so that a kept line holds at least the characters shown.
KEPT_LINE_BYTES = 4 * MAXIMUM_LINE_CHARACTERS
# The number, the tab and the newline around each line count as text, too.
LINE_OVERHEAD = 8


@dataclass(frozen=True, slots=True)
class TextPart:
    """Consecutive lines of a text. Where a file is too long to be counted to its end, more lines follow."""

    first: int
    lines: tuple[str, ...]
    counted: int
    is_counted_to_the_end: bool
    remark: str

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1

    @property
    def weight(self) -> int:
        return sum(len(line) + LINE_OVERHEAD for line in self.lines)

    def cut_to(self, weight: int) -> TextPart:
        """As many whole lines as weigh no more than this, but at least one."""
        kept = 0
        for line in self.lines:
            weight -= len(line) + LINE_OVERHEAD
            if weight < 0:
                break
            kept += 1
        return replace(self, lines=self.lines[: max(kept, 1)])


@dataclass(slots=True)
class _Line:
    """A line being read: its beginning, and how long all of it is."""

    kept: bytes = b""
    length: int = 0
    has_ended: bool = False

    @property
    def sample(self) -> bytes:
        """What is kept without a last character that may have been cut in two."""
        if len(self.kept) == self.length:
            return self.kept
        return self.kept.rstrip(CONTINUATION_BYTES).rstrip(LEAD_BYTES)

    def add(self, piece: bytes) -> None:
        self.kept += piece[: KEPT_LINE_BYTES - len(self.kept)]
        self.length += len(piece)


@dataclass(slots=True)
class _Collector:
    """Takes a text in chunks and keeps the wanted lines of it."""

    wanted: LineRange
    number: int = 1
    at_line_start: bool = True
    weight: int = 0
    current: _Line | None = None
    lines: list[_Line] = field(default_factory=list["_Line"])

    @property
    def full(self) -> bool:
        last = self.wanted.last
        return (
            len(self.lines) >= MAXIMUM_LINES or self.weight > MAXIMUM_TEXT or (last is not None and self.number > last)
        )

    @property
    def is_waiting(self) -> bool:
        """Whether more of the text is needed for more than counting."""
        return not self.full and (self.current is None or self.current.length <= KEPT_LINE_BYTES)

    def take(self, chunk: bytes) -> None:
        position = self._skip(chunk) if self.number < self.wanted.first else 0
        while position < len(chunk) and self.number >= self.wanted.first and not self.full:
            newline = chunk.find(b"\n", position)
            end = len(chunk) if newline < 0 else newline
            self.current = self.current or _Line()
            self.current.add(chunk[position:end])
            position = end
            if newline >= 0:
                self._finish_line(has_ended=True)
                self.number += 1
                position += 1
        self.number += chunk.count(b"\n", position)
        if chunk:
            self.at_line_start = chunk.endswith(b"\n")

    def finish(self, *, at_end: bool) -> int:
        """No more text comes; the number of lines seen."""
        if self.current is not None:
            self._finish_line(has_ended=at_end)
        return self.number - 1 if self.at_line_start else self.number

    def _skip(self, chunk: bytes) -> int:
        missing = self.wanted.first - self.number
        inside = chunk.count(b"\n")
        if inside < missing:
            self.number += inside
            return len(chunk)
        position = 0
        for _ in range(missing):
            position = chunk.index(b"\n", position) + 1
        self.number = self.wanted.first
        return position

    def _finish_line(self, *, has_ended: bool) -> None:
        line = self.current or _Line()
        line.has_ended = has_ended
        self.lines.append(line)
        self.weight += min(line.length, MAXIMUM_LINE_CHARACTERS) + LINE_OVERHEAD
        self.current = None


def pieces_of(file: OpenFile) -> Iterator[bytes]:
    """What a descriptor gives from where it stands, for files of any size."""
    while piece := os.read(file.descriptor, CHUNK_BYTES):
        yield piece


def slices_of(content: bytes) -> Iterator[bytes]:
    return (content[start : start + CHUNK_BYTES] for start in range(0, len(content), CHUNK_BYTES))


def read_lines(
    pieces: Iterator[bytes], wanted: LineRange, flag: StopFlag, decoding: Decoding | None = None
) -> TextPart:
    """The wanted lines. Without a decoding, which takes the whole file to know, they are decoded as they look."""
    collector = _Collector(wanted)
    first = next(pieces, b"")
    mark = byte_order_mark(first)
    at_end = True
    seen = needed = 0
    for chunk, size in _utf_8_chunks(first, pieces, mark):
        flag.check()
        collector.take(chunk)
        seen += size
        if collector.is_waiting:
            needed = seen
        is_skipping = not collector.lines and collector.current is None
        if seen - needed > COUNTED_BYTES_AFTER or (is_skipping and seen > SKIPPED_BYTES_BEFORE):
            at_end = False
            break
    counted = collector.finish(at_end=at_end)
    return _decoded(collector, mark, decoding, counted, is_all=at_end)


def _utf_8_chunks(first: bytes, rest: Iterator[bytes], mark: ByteOrderMark | None) -> Iterator[tuple[bytes, int]]:
    """The text in pieces, each with how many bytes of the file it was."""
    pieces = chain((first[mark.length :] if mark else first,), rest)
    if mark is None or mark.codec == "utf-8":
        yield from ((piece, len(piece)) for piece in pieces)
        return
    decoder = codecs.getincrementaldecoder(mark.codec)("replace")
    for piece in pieces:
        yield decoder.decode(piece).encode("utf-8", "replace"), len(piece)
    yield decoder.decode(b"", final=True).encode("utf-8", "replace"), 0


def _decoded(
    collector: _Collector, mark: ByteOrderMark | None, decoding: Decoding | None, counted: int, *, is_all: bool
) -> TextPart:
    decoding = decoding or decoding_of(b"\n".join(line.sample for line in collector.lines))
    remark = decoding.remark
    if mark is not None and mark.codec != "utf-8":
        remark = mark.codec[:6].upper()
    lines = tuple(_shown(line, decoding) for line in collector.lines)
    return TextPart(collector.wanted.first, lines, counted, is_all, remark)


def _shown(line: _Line, decoding: Decoding) -> str:
    is_whole = line.has_ended and len(line.kept) == line.length
    text = codecs.getincrementaldecoder(decoding.codec)("replace").decode(line.kept, final=is_whole)
    if is_whole:
        text = text.removesuffix("\r")
        if len(text) <= MAXIMUM_LINE_CHARACTERS:
            return text
    length = f"{line.length:,} bytes" if line.has_ended else f"more than {line.length:,} bytes"
    return (
        f"{text[:MAXIMUM_LINE_CHARACTERS]}… [cut after {MAXIMUM_LINE_CHARACTERS} characters of a line of {length}; "
        "search_files shows the part around a match]"
    )
