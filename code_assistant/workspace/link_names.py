"""The names that a path has on its way: as it is written, and after each link that the kernel follows."""

from __future__ import annotations

import os
from pathlib import Path

# As many as the kernel follows.
MAXIMUM_LINKS = 40


def names_on_the_way(path: str) -> tuple[Path, ...]:
    """Those names of an absolute path that hold a link, each once; none for a path without links.

    A rule may name a link that is reached only through another one, so neither the first nor the last name tells all.
    """
    names: dict[Path, None] = {}
    followed = 0
    done = "/"
    waiting = path.split("/")[::-1]
    while waiting and followed < MAXIMUM_LINKS:
        part = waiting.pop()
        if part in ("", "."):
            continue
        if part == "..":
            done = os.path.dirname(done)  # noqa: PTH120 - of a text with its links resolved
            continue
        here = f"{done.rstrip('/')}/{part}"
        try:
            target = os.readlink(here)  # noqa: PTH115 - no Path needed
        except OSError:
            # No link, or nothing at all.
            done = here
            continue
        followed += 1
        names[Path(os.path.normpath("/".join((here, *reversed(waiting)))))] = None
        done = "/" if target.startswith("/") else done
        waiting += target.split("/")[::-1]
    return tuple(names)
