"""Places that are others for each process: below /proc the kernel leads each to its own folders and files."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from pathlib import Path

from code_assistant.permissions.access import Place

# Where a process is, its root, and what it has opened, but for what each has: input, output and errors themselves.
_LEADING = re.compile(r"/proc/(?:self|thread-self|\d+)/(?:task/\d+/)?(?:cwd|root|fd/(?:\d+/[^/]|[3-9]/|\d{2,}/))")
_PROCESSES = ("self", "thread-self")
_LEADING_NAMES = ("cwd", "root", "fd", "task")
_MAGIC = re.compile(r"[*?\[]")


def is_of_process(place: Place) -> bool:
    """Whether a command would find something else there than we do, by any of its names."""
    return any(map(_LEADING.match, place.beginnings))


def may_be_of_process(pattern: str, folder: Path) -> bool:
    """The same for what a glob may stand for, seen from a folder: `/p*/self/cw?/a`."""
    first = _MAGIC.search(pattern)
    literal, slash, _ = pattern[: first.start() if first else None].rpartition("/")
    try:
        begin = os.path.realpath(folder / f"{literal}{slash}")
    except OSError:
        # Nobody can tell where it leads.
        return True
    rest = pattern[len(literal) + len(slash) :]
    parts = [part for part in f"{begin}/{rest}".split("/") if part]
    if len(parts) < 3 or not fnmatchcase("proc", parts[0]):
        return False
    # With a glob it may be the number of any.
    is_process = parts[1].isdigit() or parts[1] in _PROCESSES or _MAGIC.search(parts[1]) is not None
    return is_process and any(fnmatchcase(each, parts[2]) for each in _LEADING_NAMES)
