"""Keys that the kernel keeps for the session of a person: passwords of mounts, tickets, tokens."""

from __future__ import annotations

import ctypes
import errno
import os
import sys

from code_assistant.workspace.commands.supervision.kernel import system_call

# Of the system call keyctl; the C library has no function for it.
NUMBERS = {"x86_64": 250, "aarch64": 219, "riscv64": 219, "loongarch64": 219, "ppc64le": 271, "s390x": 280}
JOIN_SESSION_KEYRING = 1
# The kernel has none, or a filter around us keeps them from everybody.
NOT_OFFERED = frozenset({errno.ENOSYS, errno.EPERM})


def leave_session_keyring() -> None:
    """From now on an empty one of our own, for all that we start, too; raises OSError where the old one is still ours.

    A command could use up all the keys that a person may have, so that there is none left for the next one to begin
    with: that one must not run with the old ones.
    """
    number = NUMBERS.get(os.uname().machine) if sys.platform == "linux" else None
    if number is None:
        return
    if system_call(number, JOIN_SESSION_KEYRING, None) < 0:
        code = ctypes.get_errno()
        if code not in NOT_OFFERED:
            raise OSError(code, os.strerror(code))
