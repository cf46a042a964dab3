"""Our own search for where ripgrep is missing: whole files as bytes, one pass of `re`, the same results."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from code_assistant.globs import glob_matcher
from code_assistant.workspace.encodings import byte_order_mark, without_mark
from code_assistant.workspace.matching import Matcher, MatchingLine, Pace, SearchedText
from code_assistant.workspace.names import counted, plain_name
from code_assistant.workspace.opening import FILE_FLAGS, open_unlinked
from code_assistant.workspace.search import FoundFile, SearchQuery, SearchResult
from code_assistant.workspace.threads import StopFlag
from code_assistant.workspace.walk import Walk

MAXIMUM_FILE_BYTES = 32 << 20
MAXIMUM_MATCHES = 1_000_000
SECONDS_BETWEEN_REPORTS = 0.5

Report = Callable[[str], None]


@dataclass(slots=True)
class _Search:
    query: SearchQuery
    flag: StopFlag
    report: Report
    matcher: Matcher
    files: list[FoundFile] = field(default_factory=list[FoundFile])
    all_matches: int = 0
    all_files: int = 0
    too_large: int = 0
    unreadable: int = 0

    @property
    def is_full(self) -> bool:
        return self.all_matches > MAXIMUM_MATCHES

    def look_into(self, opens: Callable[[], int], shown: str) -> None:
        data = self._bytes_of(opens)
        if data is None:
            return
        mark = byte_order_mark(data[:4])
        if mark is not None:
            data = without_mark(data, mark)
        # The cheap look comes first, since most files end here.
        if not self.matcher.may_match(data) or (mark is None and b"\0" in data):
            return
        text = self.matcher.searched(data.replace(b"\r\n", b"\n") if b"\r\n" in data else data)
        if self.query.mode == "files":
            self._add_file(shown, 1 if next(text.matches(), None) else 0)
        elif self.query.mode == "counts":
            self._add_file(shown, sum(1 for _ in text.matches()))
        else:
            self._add_lines(shown, text)

    def _add_file(self, shown: str, matches: int) -> None:
        if not matches:
            return
        if self.query.offset <= self.all_files < self.query.end:
            self.files.append(FoundFile(plain_name(shown), matches))
        self.all_files += 1
        self.all_matches += matches

    def _add_lines(self, shown: str, text: SearchedText[bytes] | SearchedText[str]) -> None:
        wanted: list[MatchingLine] = []
        count = 0
        for match in text.matches():
            if self.query.offset <= self.all_matches + count < self.query.end:
                wanted.append(match)
            count += 1
        if wanted:
            lines = tuple(text.lines(wanted, self.query.context))
            self.files.append(FoundFile(plain_name(shown), count, lines))
        self.all_matches += count
        self.all_files += 1 if count else 0

    def _bytes_of(self, opens: Callable[[], int]) -> bytes | None:
        try:
            data = _bytes_of(opens)
        except OSError:
            self.unreadable += 1
            return None
        if data is None:
            self.too_large += 1
        return data

    def remarks(self) -> tuple[str, ...]:
        remarks: list[str] = []
        if self.too_large:
            size = MAXIMUM_FILE_BYTES >> 20
            remarks.append(f"{counted(self.too_large, 'file')} larger than {size} MB not searched.")
        if self.unreadable:
            remarks.append("Some files could not be read.")
        return tuple(remarks)


def search_without_ripgrep(
    query: SearchQuery, flag: StopFlag, report: Report, *, must_be_quick: bool = False
) -> SearchResult:
    """Raises WorkspaceError for a pattern that cannot be searched for.

    In a worker thread it must be quick: NotQuick is raised for what the thread could not be stopped in.
    """
    search = _Search(query, flag, report, Matcher(query, Pace(flag.check, must_be_quick)))
    if query.file_name is None:
        _search_folder(search, query.folder)
    else:
        path = str(query.folder / query.file_name)
        search.look_into(lambda: open_unlinked(path, FILE_FLAGS), query.file_name)
    return SearchResult(tuple(search.files), search.all_matches, search.all_files, not search.is_full, search.remarks())


def _search_folder(search: _Search, folder: Path) -> None:
    accepts = _glob_of(search.query)
    walk = Walk(search.flag, is_hidden=search.query.is_hidden)
    prefix = len(str(folder).rstrip("/")) + 1
    next_report = time.monotonic() + SECONDS_BETWEEN_REPORTS
    for number, entry in enumerate(walk.files(folder)):
        search.flag.check()
        relative = entry.path[prefix:]
        if accepts is None or accepts(relative):
            search.look_into(entry.opened, relative)
        if search.is_full:
            break
        if time.monotonic() > next_report:
            search.report(f"searched {counted(number + 1, 'file')}")
            next_report = time.monotonic() + SECONDS_BETWEEN_REPORTS
    search.unreadable += len(walk.unreadable)


def _glob_of(query: SearchQuery) -> Callable[[str], bool] | None:
    if not query.glob:
        return None
    if not query.glob.startswith("!"):
        return glob_matcher(query.glob)
    excludes = glob_matcher(query.glob[1:])

    def accepts(path: str) -> bool:
        folders = [f"{parent}/" for parent in PurePosixPath(path).parents]
        return not any(map(excludes, (path, *folders)))

    return accepts


def _bytes_of(opens: Callable[[], int]) -> bytes | None:
    """The whole file, or None when it is too large for that."""
    descriptor = opens()
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "It is no regular file any more")
        size = status.st_size
        if size > MAXIMUM_FILE_BYTES:
            return None
        data = os.read(descriptor, size + 1)
        # A short read is not yet the end of the file.
        while len(data) < size and (more := os.read(descriptor, size - len(data))):
            data += more
        return data
    finally:
        os.close(descriptor)
