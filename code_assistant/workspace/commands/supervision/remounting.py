"""Walling off again, in the mounts of a sandbox that runs, what has lost its wall."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterable
from fcntl import ioctl

from code_assistant.workspace.commands.supervision.kernel import LIBRARY, checked, system_call
from code_assistant.workspace.commands.supervision.wire import COVERED, KeptWall

# The same numbers on every architecture.
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442
HERE = -100
CLONE = 1
EMPTY_PATH, RECURSIVE = 0x1000, 0x8000
FROM_EMPTY_PATH, TO_EMPTY_PATH = 0x04, 0x40
# Of mounts: read-only, no set-user-id, no devices. Nothing is cleared.
READ_ONLY, NO_RIGHTS, NO_DEVICES = 1, 2, 4
ATTRIBUTES = struct.Struct("=QQQQ")
NEW_USERS, NEW_MOUNTS = 0x1000_0000, 0x0002_0000
OWNER_OF_NAMESPACE = 0xB701
NOTHING = b"/dev/null"


def were_remounted(inside: int, walls: Iterable[KeptWall]) -> bool:
    """By a process of its own, because nobody comes back from there."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _go_inside(inside)
            status = _count_of_failures(walls)
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def _count_of_failures(walls: Iterable[KeptWall]) -> int:
    """Each by itself: one that cannot be walled off must not keep the others open."""
    failures = 0
    for wall in walls:
        try:
            _wall_off(wall)
        except OSError:
            failures = 1
    return failures


def _go_inside(process: int) -> None:
    mounts = os.open(f"/proc/{process}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    if os.fstat(mounts).st_ino == os.stat("/proc/self/ns/mnt").st_ino:  # noqa: PTH116 - pathlib takes long to import
        raise ProcessLookupError(f"{process} is in no sandbox")
    owner = ioctl(mounts, OWNER_OF_NAMESPACE)
    if os.fstat(owner).st_ino != os.stat("/proc/self/ns/user").st_ino:  # noqa: PTH116 - as above
        checked(LIBRARY.setns(owner, NEW_USERS))
    checked(LIBRARY.setns(mounts, NEW_MOUNTS))


def _wall_off(wall: KeptWall) -> None:
    try:
        place = os.open(wall.path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        # Gone again; should it come back, that is heard.
        return
    mode = os.fstat(place).st_mode
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "What a link leads to is not walled off by it")
    if wall.kind != COVERED:
        _lay(_copied(place, b"", EMPTY_PATH | RECURSIVE), place, READ_ONLY | NO_RIGHTS | NO_DEVICES)
    elif stat.S_ISDIR(mode):
        os.fchdir(place)
        flags = READ_ONLY | NO_RIGHTS | NO_DEVICES
        checked(LIBRARY.mount(b"nothing", b".", b"tmpfs", ctypes.c_ulong(flags), b"size=4k,mode=0555"))
    else:
        _lay(_copied(HERE, NOTHING, 0), place, READ_ONLY | NO_RIGHTS)
    os.close(place)


def _copied(folder: int, name: bytes, flags: int) -> int:
    """A mount that is nowhere yet."""
    return checked(system_call(OPEN_TREE, folder, name, CLONE | os.O_CLOEXEC | flags))


def _lay(tree: int, place: int, attributes: int) -> None:
    packed = ATTRIBUTES.pack(attributes, 0, 0, 0)
    checked(system_call(MOUNT_SETATTR, tree, b"", EMPTY_PATH | RECURSIVE, packed, ATTRIBUTES.size))
    checked(system_call(MOVE_MOUNT, tree, b"", place, b"", FROM_EMPTY_PATH | TO_EMPTY_PATH))
    os.close(tree)
