"""Sockets that other programs listen on, by their paths: a mount that is read-only keeps nobody from connecting."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path

# What the kernel knows of sockets in this network namespace. The path comes last.
KNOWN = Path("/proc/net/unix")
FIELDS_BEFORE_PATH = 7
# Each is a mount for each command; a machine with more has a busier life than this.
MAXIMUM = 100
# What vanishes before it is covered fails the command; a service that has been there for so long most likely stays.
SECONDS_TO_BE_THERE = 60


def path_sockets(folders: Iterable[Path]) -> tuple[Path, ...]:
    """Those outside of these folders, resolved, that have been there for a while."""
    opened = tuple(folders)
    try:
        lines = KNOWN.read_bytes().splitlines()[1:]
    except OSError:
        # A system without it; then nobody knows.
        return ()
    named = (line.split(None, FIELDS_BEFORE_PATH) for line in lines)
    paths = {fields[-1] for fields in named if len(fields) > FIELDS_BEFORE_PATH and fields[-1].startswith(b"/")}
    found = {Path(os.path.realpath(os.fsdecode(path))) for path in paths}
    outside = (place for place in sorted(found) if not any(place.is_relative_to(folder) for folder in opened))
    since = time.time() - SECONDS_TO_BE_THERE
    return tuple(place for place in outside if _is_socket(place, since))[:MAXIMUM]


def _is_socket(place: Path, since: float) -> bool:
    try:
        status = place.lstat()
    except OSError:
        return False
    return stat.S_ISSOCK(status.st_mode) and status.st_mtime < since
