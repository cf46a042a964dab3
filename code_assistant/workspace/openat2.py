"""The kernel's own way to open a path of which no part is a link: one call, on Linux from 5.6 on."""

from __future__ import annotations

import errno
import os
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes

SYSTEM_CALL = 437
RELATIVE_TO_WORKING_FOLDER = -100
# Stricter than to stay beneath a folder: the paths are resolved, so that a link can only have come in between.
RESOLVE_NO_MAGIC_LINKS = 0x02
RESOLVE_NO_LINKS = 0x04
# An older kernel, or a filter of system calls around us; a path that only its parts are short enough for; a signal.
NOT_HERE = (errno.ENOSYS, errno.EPERM, errno.EINVAL, errno.E2BIG, errno.EAGAIN, errno.ENAMETOOLONG, errno.EINTR)


def open_in_one_step(path: str, flags: int) -> int | None:
    """A descriptor of an absolute path; None where the kernel cannot do this. Raises OSError, ELOOP for a link."""
    library = _library()
    if library is None:
        return None
    import ctypes

    name = os.fsencode(path)
    if b"\0" in name:
        # The kernel would see only what is before it.
        raise ValueError("embedded null byte")
    how = (ctypes.c_uint64 * 3)(flags, 0, RESOLVE_NO_LINKS | RESOLVE_NO_MAGIC_LINKS)
    descriptor = library.syscall(
        ctypes.c_long(SYSTEM_CALL),
        ctypes.c_int(RELATIVE_TO_WORKING_FOLDER),
        ctypes.c_char_p(name),
        ctypes.byref(how),
        ctypes.c_size_t(ctypes.sizeof(how)),
    )
    if descriptor >= 0:
        return int(descriptor)
    number = ctypes.get_errno()
    if number in NOT_HERE:
        return None
    raise OSError(number, os.strerror(number), path)


@cache
def _library() -> ctypes.CDLL | None:
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    return ctypes.CDLL(None, use_errno=True)
