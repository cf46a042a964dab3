"""Makes a file of a session whole again: a torn end is cut off, damage further up is put aside."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.event_json import EventFormatError
from code_assistant.private_files import private_descriptor
from code_assistant.session.header import Header, LaterFormatError, SessionFormatError, header_from, header_line
from code_assistant.session.lines import kind_of
from code_assistant.session.reader import SessionFileReader
from code_assistant.session.regular_files import open_regular

# How all lines begin and end. Whether the rest of one can be read shows when it is.
_BEGIN, _END = b'{"type":"', b"}\n"
_HEADERS = ("SessionHeader", "AgentHeader")


@dataclass(frozen=True, slots=True)
class Repair:
    """What was wrong: whether the end was torn, how many lines were damaged, and where all of the file is kept."""

    is_torn: bool = False
    damaged: int = 0
    kept_at: Path | None = None


def repair(path: Path, header: Callable[[], Header | None]) -> Repair:
    """Mend a file that nobody writes; `header` gives what it gets where its own cannot be read, None for no file.

    Raises LaterFormatError for one that must not be touched, WorkspaceError where it cannot be mended.
    """
    try:
        data = _content(path)
        if not data:
            return Repair()
        own = _own_header(data)
        if own is not None and not _has_damage(data):
            return Repair(is_torn=_mend_end(path, data))
        is_only_torn = b"\n" not in data
        kept_at = None if is_only_torn else _set_aside(path)
        found = own or header()
        written = _rewrite(path, _with_header(found, _good_lines(data)) if found is not None else ())
        if is_only_torn:
            return Repair(is_torn=True)
        lines = data.count(b"\n") + (not data.endswith(b"\n")) - (own is not None)
        # The first that was written is the header, which is counted nowhere.
        return Repair(damaged=lines - max(written - 1, 0), kept_at=kept_at)
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be mended: {error.strerror or error}.") from error


def upgrade_lines(path: Path, header: Header, lines: Iterable[bytes]) -> None:
    """Write a file anew in today's format; what it was stays beside it."""
    try:
        _set_aside(path)
        _rewrite(path, _with_header(header, lines))
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be brought to today's format: {error.strerror or error}.") from error


def _has_damage(data: bytes) -> bool:
    # Counted rather than matched: files are long, and all but a few are whole.
    # No part is taken out either, which would be a copy of nearly all.
    end = data.rfind(b"\n") + 1
    joints = data.count(_END + _BEGIN, 0, end)
    return (
        not (data.startswith(_BEGIN) and data.endswith(_END, 0, end) and joints == data.count(b"\n") - 1)
        or not data.isascii()
        or b"\0" in data
    )


def _own_header(data: bytes) -> Header | None:
    try:
        return header_from(data[: data.find(b"\n") + 1])
    except LaterFormatError:
        raise
    except SessionFormatError:
        return None


def _good_lines(data: bytes) -> Iterator[bytes]:
    for line in io.BytesIO(data):
        whole = line if line.endswith(b"\n") else line + b"\n"
        is_clean = whole.startswith(_BEGIN) and whole.endswith(_END) and whole.isascii() and b"\0" not in whole
        if is_clean and kind_of(whole) not in _HEADERS:
            yield whole


def _mend_end(path: Path, data: bytes) -> bool:
    """Whether the last line was not whole. One that only lacks its end gets it."""
    if data.endswith(b"\n"):
        return False
    end = data.rfind(b"\n") + 1
    reader = SessionFileReader(path)
    descriptor = private_descriptor(path)
    try:
        reader.entry(data[end:])
    except EventFormatError:
        os.ftruncate(descriptor, end)
    else:
        os.write(descriptor, b"\n")
    finally:
        os.close(descriptor)
    return True


def _set_aside(path: Path) -> Path:
    kept_at = path.with_suffix(f".{time.time_ns()}.kept")
    # A second name for the same file: at no moment is there none.
    os.link(path, kept_at)
    return kept_at


def _content(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.read()


def _with_header(header: Header, lines: Iterable[bytes]) -> Iterator[bytes]:
    yield header_line(header)
    yield from lines


def _rewrite(path: Path, lines: Iterable[bytes]) -> int:
    """Each line is written as it comes, and the file replaced with the last; gives how many came."""
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    descriptor = private_descriptor(temporary, must_be_new=True)
    with os.fdopen(descriptor, "wb") as file:
        count = 0
        for line in lines:
            file.write(line)
            count += 1
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    return count
