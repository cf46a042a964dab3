"""How a command is given to a shell: as one argument, untouched, with nothing of the person's start-up files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

BASH_PLACES = ("/usr/bin/bash", "/bin/bash", "/usr/local/bin/bash")
PLAIN_SHELL = "/bin/sh"


@dataclass(frozen=True, slots=True)
class Shell:
    program: str
    options: tuple[str, ...] = ()

    def arguments(self, command: str) -> tuple[bytes, ...]:
        # After two dashes, or a command that begins with one would be taken for an option.
        words = (PurePosixPath(self.program).name, *self.options, "-c", "--", command)
        return tuple(word.encode("utf-8") for word in words)


@cache
def shell() -> Shell:
    """bash, and where there is none, whatever sh is."""
    for place in BASH_PLACES:
        if os.access(place, os.X_OK):
            return Shell(place, ("--noprofile", "--norc"))
    return Shell(PLAIN_SHELL)
