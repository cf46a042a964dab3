"""Reading what ripgrep prints: blocks of lines per file, or one record per file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.encodings import CONTINUATION_BYTES, byte_order_mark
from code_assistant.workspace.names import plain_name
from code_assistant.workspace.opening import regular_file
from code_assistant.workspace.search import (
    MAXIMUM_LINE_CHARACTERS,
    FoundFile,
    FoundLine,
    SearchQuery,
    SearchResult,
    cut_line,
    page_of,
    path_order,
)

# `12:5:340:text` is a match (line, column, offset of the line), `11-320-text` a line of context. The column is
# missing for a match of nothing at the very end of a file.
PRINTED_LINE = re.compile(rb"(\d+)(?:(:)(?:(\d+):)?(\d+):|-(\d+)-)([^\n]*)")
MATCH_START = re.compile(rb"^(?:[^\n]*\0)?\d+:\d+:", re.MULTILINE)
OMITTED = re.compile(rb"\[Omitted long (?:line with \d+ match(?:es)?|matching line|context line)\]\r?")
FILE_RECORD = re.compile(rb"([^\0]+)\0")
COUNT_RECORD = re.compile(rb"([^\0]+)\0(\d+)\r?\n")
BINARY_REMARK = b"binary file"
Accepts = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class _Block:
    """What was printed for one file: its path, a NUL, and its lines from `start` on."""

    path: str
    printed: bytes
    start: int
    matches: int


class OutputReader(Protocol):
    """Takes ripgrep's output piece by piece. `found` counts what limit and offset count, of accepted paths only."""

    found: int

    @property
    def held(self) -> int:
        """How many bytes are kept: not what was printed for paths that are not accepted."""
        ...

    def feed(self, piece: bytes) -> None: ...

    def result(self, *, is_whole: bool) -> SearchResult:
        """The asked-for part; where ripgrep was stopped early the last record may be torn and is left out."""
        ...


def output_reader(query: SearchQuery, accepts: Accepts, *, is_sorted: bool) -> OutputReader:
    """A reader for what ripgrep prints in the query's mode, of those paths that are accepted."""
    if query.mode != "lines":
        return RecordsReader(query, accepts)
    # With --crlf ripgrep ends its own empty lines so, but only when it works in a single thread.
    return LinesReader(query, accepts, b"\n\r\n" if is_sorted else b"\n\n")


class LinesReader:
    """Blocks of lines, one for each file. No printed line is empty, so that an empty one ends a block."""

    def __init__(self, query: SearchQuery, accepts: Accepts, separator: bytes) -> None:
        self.found = 0
        self._query = query
        self._accepts = accepts
        self._separator = separator
        self._blocks: list[_Block] = []
        self._unfinished: list[bytes] = []
        # Whether the unfinished block is for an accepted path, once that is known.
        self._is_accepted: bool | None = None
        self._finished_bytes = 0

    @property
    def held(self) -> int:
        return self._finished_bytes + sum(map(len, self._unfinished))

    def feed(self, piece: bytes) -> None:
        # Looked for in the new piece alone, so that a block of many pieces is not gone through again and again.
        border = self._unfinished[-1][-2:] + piece[:2] if self._unfinished else b""
        self._unfinished.append(piece)
        if self._separator in piece or self._separator in border:
            *finished, rest = b"".join(self._unfinished).split(self._separator)
            self._unfinished = [rest]
            self._add(finished[1:] if self._is_accepted is False else finished)
            self._is_accepted = None
        self._drop_unaccepted()

    def result(self, *, is_whole: bool) -> SearchResult:
        last = b"" if self._is_accepted is False else b"".join(self._unfinished)
        self._add([last.removesuffix(b"\n") if is_whole else last.rpartition(b"\n")[0]])
        self._blocks.sort(key=lambda block: path_order(block.path))
        files: list[FoundFile] = []
        seen = 0
        for block in self._blocks:
            first, last_wanted = max(self._query.offset - seen, 0), self._query.end - seen
            seen += block.matches
            if first < block.matches and last_wanted > 0:
                lines = tuple(_lines(block, self._query, first, last_wanted))
                files.append(FoundFile(plain_name(block.path), block.matches, lines))
        return SearchResult(tuple(files), seen, len(self._blocks), is_whole)

    def _drop_unaccepted(self) -> None:
        """Keep of a block that is not wanted only what tells where it ends, since it may be as long as it likes."""
        if self._is_accepted is None:
            path, nul, _ = b"".join(self._unfinished).partition(b"\0")
            self._is_accepted = self._accepts(_path(path, self._query)) if nul else None
        if self._is_accepted is False:
            self._unfinished = [b"".join(self._unfinished)[-2:]]

    def _add(self, printed_blocks: list[bytes]) -> None:
        for printed in printed_blocks:
            end_of_path = printed.find(b"\0")
            if end_of_path < 0 or _is_binary(printed):
                continue
            path = _path(printed[:end_of_path], self._query)
            if self._accepts(path):
                start = end_of_path + 1
                with_context = self._query.context > 0
                matches = len(MATCH_START.findall(printed)) if with_context else printed.count(b"\n", start) + 1
                self._blocks.append(_Block(path, printed, start, matches))
                self.found += matches
                self._finished_bytes += len(printed)


class RecordsReader:
    """One record for each file: its path and, in the mode that counts, how many lines match."""

    def __init__(self, query: SearchQuery, accepts: Accepts) -> None:
        self.found = 0
        self.held = 0
        self._query = query
        self._accepts = accepts
        self._form = FILE_RECORD if query.mode == "files" else COUNT_RECORD
        self._records: list[tuple[str, int]] = []
        self._unfinished = b""

    def feed(self, piece: bytes) -> None:
        data = self._unfinished + piece
        end = 0
        for record in self._form.finditer(data):
            end = record.end()
            path = _path(record[1], self._query)
            if self._accepts(path):
                self._records.append((path, 1 if self._query.mode == "files" else int(record[2])))
                self.held += len(record[0])
        self.found = len(self._records)
        self._unfinished = data[end:]

    def result(self, *, is_whole: bool) -> SearchResult:
        records = sorted(self._records, key=lambda record: path_order(record[0]))
        files = [FoundFile(plain_name(path), count) for path, count in records]
        matches = sum(count for _, count in records)
        return SearchResult(page_of(files, self._query), matches, len(files), is_whole)


def _path(path: bytes, query: SearchQuery) -> str:
    """Relative to the folder. A single file is given to ripgrep as a descriptor, and has its name from us."""
    if query.file_name is not None:
        return query.file_name
    return os.fsdecode(path.removeprefix(b"./"))


def _is_binary(printed: bytes) -> bool:
    """Whether ripgrep found out in the middle of a file that it is no text, and says so in a last line."""
    last = printed[printed.rfind(b"\n") + 1 :]
    return BINARY_REMARK in last and b"\0" not in last and PRINTED_LINE.match(last) is None


def _lines(block: _Block, query: SearchQuery, first: int, last: int) -> Iterator[FoundLine]:
    """The matches from first up to last, counted from 0 within the block, each with its context."""
    printed = [found for line in block.printed[block.start :].split(b"\n") if (found := PRINTED_LINE.fullmatch(line))]
    wanted = [int(found[1]) for found in printed if found[2]][first:last]
    wanted_numbers = frozenset(wanted)
    position = 0
    for found in printed:
        number = int(found[1])
        while position < len(wanted) and wanted[position] + query.context < number:
            position += 1
        if position == len(wanted):
            return
        if number >= wanted[position] - query.context:
            yield FoundLine(number, _text(found, query.folder / block.path), number in wanted_numbers)


def _text(found: re.Match[bytes], path: Path) -> str:
    text: bytes = found[6]
    column = int(found[3] or 1) - 1
    if OMITTED.fullmatch(text):
        return _text_from_file(path, int(found[4] or found[5]), column)
    shown = text.decode("utf-8", "replace").removesuffix("\r")
    return cut_line(shown, len(text[:column].decode("utf-8", "replace")))


def _text_from_file(path: Path, line_start: int, column: int) -> str:
    """The part around the match of a line too long to be printed, read at its place in the file."""
    # Enough bytes on both sides for all the characters that may be shown, however they are encoded.
    before = min(column, 4 * MAXIMUM_LINE_CHARACTERS)
    try:
        with regular_file(path, str(path)) as file:
            mark = byte_order_mark(os.pread(file.descriptor, 4, 0))
            start = line_start + column - before + (mark.length if mark else 0)
            data = os.pread(file.descriptor, before + 4 * MAXIMUM_LINE_CHARACTERS, start)
    except WorkspaceError as error:
        return f"[a long line that could not be read again: {error}]"
    if mark is not None and mark.codec != "utf-8":
        return "[a long line of a file in another encoding than UTF-8]"
    rest, newline, _ = data[before:].partition(b"\n")
    prefix = data[:before].lstrip(CONTINUATION_BYTES) if column > before else data[:before]
    text = prefix.decode("utf-8", "replace")
    return cut_line(
        text + rest.decode("utf-8", "replace").removesuffix("\r"),
        len(text),
        is_beginning=column <= before,
        is_end=bool(newline) or len(data) < before + 4 * MAXIMUM_LINE_CHARACTERS,
    )
