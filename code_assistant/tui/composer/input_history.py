"""What the person sent before: kept as JSON lines in a private file that several programs may add to at once."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from code_assistant.errors import WorkspaceError
from code_assistant.private_files import make_private_folder, private_descriptor
from code_assistant.tui.composer.draft import Draft, Span, WantedImage

MAXIMUM_ENTRIES = 1000
# A longer entry is remembered while the program runs, and no longer.
MAXIMUM_ENTRY_BYTES = 1 << 20
READ_BYTES = 16 << 20
# Beyond this the file is written anew with the last entries only.
COMPACTED_BYTES = 4 << 20


class InputHistory:
    """Oldest first. `load` and `write` do file work and belong into a thread; the rest is memory.

    What is written passes `mask`: no key may lie in a file because somebody pasted it here.
    """

    def __init__(self, path: Path | None, mask: Callable[[str], str] = str) -> None:
        self._path = path
        self._mask = mask
        self._entries: list[Draft] = []
        self._waiting: deque[Draft] = deque()
        self._lock = threading.Lock()
        self.is_loaded = path is None

    @property
    def entries(self) -> list[Draft]:
        return self._entries

    def load(self) -> None:
        """Read the file once; what was added meanwhile comes after it."""
        with self._lock:
            if self.is_loaded or self._path is None:
                return
            before = list(_entries_of(_last_bytes(self._path)))
            entries: list[Draft] = []
            for entry in (*before, *self._entries):
                _add(entries, entry)
            self._entries = entries
            self.is_loaded = True

    def add(self, draft: Draft) -> None:
        """Remember what was sent. Of images only the paths are kept."""
        wanted = tuple(WantedImage(each.span, each.path) for each in draft.attached)
        entry = Draft(draft.text, draft.folds, wanted=(*draft.wanted, *wanted))
        if _add(self._entries, entry) and self._path is not None:
            self._waiting.append(entry)

    def write(self) -> None:
        """Write what was added since; raises WorkspaceError."""
        if self._path is None:
            return
        with self._lock:
            lines: list[bytes] = []
            while self._waiting:
                line = _line_of(self._masked(self._waiting.popleft()))
                if len(line) <= MAXIMUM_ENTRY_BYTES:
                    lines.append(line)
            if lines:
                _append(self._path, lines)

    def _masked(self, entry: Draft) -> Draft:
        text = self._mask(entry.text)
        # What was folded or shown as an image is at other places then.
        return entry if text == entry.text else Draft(text)


def _add(entries: list[Draft], entry: Draft) -> bool:
    if entries and (entries[-1].text, entries[-1].wanted) == (entry.text, entry.wanted):
        return False
    entries.append(entry)
    del entries[:-MAXIMUM_ENTRIES]
    return True


def _line_of(entry: Draft) -> bytes:
    data: dict[str, Any] = {"text": entry.text}
    if entry.folds:
        data["folds"] = entry.folds
    if entry.wanted:
        data["images"] = [[*span, path] for span, path in entry.wanted]
    return json.dumps(data).encode() + b"\n"


def _entries_of(data: bytes) -> Iterator[Draft]:
    for line in data.splitlines()[-MAXIMUM_ENTRIES:]:
        try:
            entry = draft_of(json.loads(line))
        except ValueError:
            # A line of a program that was killed while it wrote.
            continue
        if not entry.is_blank:
            yield entry


def draft_of(data: Any) -> Draft:
    """A draft from JSON of ours; raises ValueError where it is something else."""
    try:
        text = str(data["text"])
        folds = tuple(Span(int(start), int(end)) for start, end in data.get("folds", ()))
        images = data.get("images", ())
        wanted = tuple(WantedImage(Span(int(start), int(end)), str(path)) for start, end, path in images)
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError("no draft") from error
    position = 0
    for span in folds:
        if not position <= span.start < span.end <= len(text):
            raise ValueError("folds out of order")
        position = span.end
    wanted = tuple(each for each in wanted if 0 <= each.span.start < each.span.end <= len(text))
    return Draft(text, folds, wanted=wanted)


def _last_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - READ_BYTES, 0))
            return file.read(READ_BYTES)
    except OSError:
        return b""


def _append(path: Path, lines: list[bytes]) -> None:
    with _locked(path) as descriptor:
        size = os.fstat(descriptor).st_size
        if size and not _last_bytes_end_line(path):
            lines[0] = b"\n" + lines[0]
        for line in lines:
            os.write(descriptor, line)
        if size + sum(map(len, lines)) > COMPACTED_BYTES:
            _compact(path)


@contextmanager
def _locked(path: Path) -> Generator[int]:
    """The file for appending, while no other program of ours replaces it."""
    make_private_folder(path.parent)
    while True:
        descriptor = private_descriptor(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_still(path, descriptor):
                yield descriptor
                return
        except OSError as error:
            raise WorkspaceError(f"The input history cannot be written: {error.strerror}.") from error
        finally:
            os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _last_bytes_end_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _compact(path: Path) -> None:
    kept: list[bytes] = []
    size = 0
    for entry in reversed(list(_entries_of(_last_bytes(path)))):
        line = _line_of(entry)
        size += len(line)
        if size > COMPACTED_BYTES // 2:
            break
        kept.append(line)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    descriptor = private_descriptor(fresh)
    try:
        os.write(descriptor, b"".join(reversed(kept)))
    finally:
        os.close(descriptor)
    fresh.replace(path)


class HistoryWalk:
    """Going through the entries and back to what was being written; changes to entries last as long as the walk."""

    def __init__(self, history: InputHistory, draft: Draft) -> None:
        self._pages = [*history.entries, draft]
        self._place = len(self._pages) - 1

    def leave(self, current: Draft) -> None:
        """Keep what the person made of the entry that is shown."""
        self._pages[self._place] = current

    def step(self, by: int) -> Draft | None:
        """The next older (-1) or newer (1) one; None at either end."""
        place = self._place + by
        if not 0 <= place < len(self._pages):
            return None
        self._place = place
        return self._pages[place]
