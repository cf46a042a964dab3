"""Makes a file of a session whole again: a torn end is cut off, damage further up is put aside."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.event_json import EventFormatError
from code_assistant.private_files import private_descriptor
from code_assistant.session.header import Header, SessionFormatError, header_from, header_line
from code_assistant.session.reader import SessionFileReader

# Lines that do not begin or end as all of ours do. Whether the rest of a line can be read shows when it is.
_BAD_LINE = re.compile(rb'\n(?!\{"type":"|\Z)|[^}]\n')


@dataclass(frozen=True, slots=True)
class Repair:
    """What was wrong: whether the end was torn, how many lines were damaged, and where all of the file is kept."""

    is_torn: bool = False
    damaged: int = 0
    kept_at: Path | None = None


def repair(path: Path, header: Header) -> Repair:
    """Mend a file that nobody writes; `header` is what it gets where its own cannot be read.

    Raises WorkspaceError where that cannot be done.
    """
    try:
        data = path.read_bytes()
        if not data:
            return Repair()
        if _has_damage(data):
            kept_at = _set_aside(path)
            good = list(_good_lines(data))
            _rewrite(path, [header_line(_own_header(data) or header), *good])
            return Repair(damaged=data.count(b"\n") - len(good) - 1, kept_at=kept_at)
        return Repair(is_torn=_mend_end(path, data))
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be mended: {error.strerror or error}.") from error


def upgrade_lines(path: Path, header: Header, lines: Iterable[bytes]) -> None:
    """Write a file anew in today's format; what it was stays beside it."""
    _set_aside(path)
    _rewrite(path, [header_line(header), *lines])


def _has_damage(data: bytes) -> bool:
    whole = data[: data.rfind(b"\n") + 1]
    return _own_header(data) is None or _BAD_LINE.search(whole) is not None


def _own_header(data: bytes) -> Header | None:
    try:
        return header_from(data[: data.find(b"\n") + 1])
    except SessionFormatError:
        return None


def _good_lines(data: bytes) -> Iterator[bytes]:
    first = data.find(b"\n") + 1 if _own_header(data) is not None else 0
    for line in data[first:].splitlines(keepends=True):
        if line.startswith(b'{"type":"') and line.endswith(b"}\n"):
            yield line


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


def _rewrite(path: Path, lines: Iterable[bytes]) -> None:
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    descriptor = private_descriptor(temporary, must_be_new=True)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
