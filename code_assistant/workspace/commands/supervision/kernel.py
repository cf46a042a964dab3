"""Calls of the kernel that Python has no function for."""

from __future__ import annotations

import ctypes
import os

# Looked up once, since every keeper needs it at its start.
LIBRARY = ctypes.CDLL(None, use_errno=True)


def system_call(number: int, *arguments: int | bytes | None) -> int:
    """Negative where it failed."""
    passed = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return LIBRARY.syscall(ctypes.c_long(number), *passed)


def checked(result: int) -> int:
    """What a call gave; raises OSError where it failed."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
