"""Landlock: a process gives up rights for itself and for all that it will ever start."""

from __future__ import annotations

import errno
import os
import stat
import struct
import sys

from code_assistant.workspace.commands.supervision.kernel import LIBRARY, checked, system_call
from code_assistant.workspace.commands.supervision.wire import Walls

# The same numbers on every architecture.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION = 1
RULE_PATH_BENEATH = 1
PR_SET_NO_NEW_PRIVS = 38

# For a file: write, truncate. A rule for a file that names any other right is refused by the kernel.
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
# For a folder: remove and make things of every kind in it, and move them from one folder to another.
IN_FOLDERS = sum(1 << bit for bit in range(4, 13))
REFER = 1 << 13
# Never allowed: root could make one that is a whole disk.
MAKE_DEVICES = 1 << 6 | 1 << 11
BIND_AND_CONNECT = 0b11
# Abstract sockets and signals of processes outside.
ALL_SCOPES = 0b11

VERSION_WITH_REFER, VERSION_WITH_TRUNCATE, VERSION_WITH_NETWORK, VERSION_WITH_SCOPES = 2, 3, 4, 6
RULESET = struct.Struct("=QQQ")
PATH_RULE = struct.Struct("=Qi")
DEVICES = (b"/dev/null", b"/dev/zero", b"/dev/full", b"/dev/random", b"/dev/urandom", b"/dev/tty", b"/dev/ptmx")


def version() -> int:
    """Which one the kernel offers; 0 for none."""
    if sys.platform != "linux":
        return 0
    return max(system_call(CREATE_RULESET, None, 0, ASK_VERSION), 0)


def restrict_self(walls: Walls) -> None:
    """From now on nothing but what the walls allow; raises OSError, and then nothing may be started."""
    offered = version()
    if offered < VERSION_WITH_SCOPES and not walls.keeps_files:
        # Kept back by other walls, as far as files go; from sockets without one this kernel cannot keep anybody.
        return
    if offered == 0:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    rights = _file_rights(offered) if walls.keeps_files else 0
    network = BIND_AND_CONNECT if offered >= VERSION_WITH_NETWORK and not walls.has_network else 0
    scopes = ALL_SCOPES if offered >= VERSION_WITH_SCOPES else 0
    attributes = RULESET.pack(rights, network, scopes)
    ruleset = checked(system_call(CREATE_RULESET, attributes, _size(offered), 0))
    try:
        for place in walls.writable if walls.keeps_files else ():
            # By its resolved name, which no command may have led elsewhere since.
            _allow(ruleset, place, rights & ~MAKE_DEVICES, os.O_NOFOLLOW)
        for place in DEVICES if walls.keeps_files else ():
            _allow(ruleset, place, rights)
        checked(LIBRARY.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        checked(system_call(RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)


def _file_rights(offered: int) -> int:
    rights = WRITE_FILE | IN_FOLDERS
    if offered >= VERSION_WITH_REFER:
        rights |= REFER
    return rights | TRUNCATE if offered >= VERSION_WITH_TRUNCATE else rights


def _size(offered: int) -> int:
    """An older kernel knows a shorter structure."""
    if offered >= VERSION_WITH_SCOPES:
        return 24
    return 16 if offered >= VERSION_WITH_NETWORK else 8


def _allow(ruleset: int, place: bytes, rights: int, flags: int = 0) -> None:
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC | flags)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= WRITE_FILE | TRUNCATE
        checked(system_call(ADD_RULE, ruleset, RULE_PATH_BENEATH, PATH_RULE.pack(rights, descriptor), 0))
    finally:
        os.close(descriptor)
