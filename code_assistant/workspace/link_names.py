"""The names that a path has on its way: as it is written, and after each link that the kernel follows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# As many as the kernel follows.
MAXIMUM_LINKS = 40


def names_on_the_way(path: str) -> tuple[Path, ...]:
    """Those names of an absolute path that hold a link, each once; none for a path without links.

    A rule may name a link that is reached only through another one, so neither the first nor the last name tells all.
    """
    steps = (step for step in _steps(path) if step.rest is not None)
    return tuple(dict.fromkeys(Path(os.path.normpath(f"{step.place}/{step.rest}")) for step in steps))


def turns_on_the_way(path: str) -> Iterator[tuple[Path, bool]]:
    """What decides where an absolute path leads to, beside its names: each link, and each folder that `..` goes up
    from; with whether it is a link.
    """
    return ((Path(step.place), step.rest is not None) for step in _steps(path))


class _Step(NamedTuple):
    """A link with what of the path is still to come after it, or a folder that the path leaves upwards."""

    place: str
    rest: str | None


def _steps(path: str) -> Iterator[_Step]:
    followed = 0
    done = "/"
    waiting = path.split("/")[::-1]
    while waiting and followed < MAXIMUM_LINKS:
        part = waiting.pop()
        if part in ("", "."):
            continue
        if part == "..":
            yield _Step(done, None)
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
        yield _Step(here, "/".join(reversed(waiting)))
        done = "/" if target.startswith("/") else done
        waiting += target.split("/")[::-1]
