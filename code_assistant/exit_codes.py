"""What the program's exit code says."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    DONE = 0
    FAILED = 1
    USAGE = 2
    CREDENTIAL = 3
    DENIED = 4
    INTERRUPTED = 130
