"""What a file has beside its content, carried over to the file that takes its place."""

from __future__ import annotations

import errno
import os
import stat

from code_assistant.workspace.opening import OpenFile

SYSTEM_NAMES = ("security.", "trusted.")
SET_ID_BITS = stat.S_ISUID | stat.S_ISGID


def copy_attributes(source: OpenFile, target: int) -> None:
    """Owner and group where we may, extended attributes (access lists among them), then the mode."""
    mode = stat.S_IMODE(source.status.st_mode)
    if not _copy_owner(source.status, target):
        # A program that runs with its owner's rights must not begin to run with ours.
        mode &= ~SET_ID_BITS
    _copy_extended(source.descriptor, target)
    os.fchmod(target, mode)


def _copy_owner(status: os.stat_result, target: int) -> bool:
    own = os.fstat(target)
    if (own.st_uid, own.st_gid) == (status.st_uid, status.st_gid):
        return True
    try:
        os.fchown(target, status.st_uid, status.st_gid)
    except PermissionError:
        _copy_group(status, target)
        return False
    return True


def _copy_group(status: os.stat_result, target: int) -> None:
    try:
        os.fchown(target, -1, status.st_gid)
    except PermissionError:
        # Only a group one belongs to can be given.
        return


def _copy_extended(source: int, target: int) -> None:
    if not hasattr(os, "listxattr"):
        return
    wanted, found = _extended(source), _extended(target)
    for name in found.keys() - wanted.keys():
        # Folders can give new files an access list that the old one did not have.
        if not name.startswith(SYSTEM_NAMES):
            os.removexattr(target, name)
    for name, value in wanted.items():
        if found.get(name) != value:
            _set_extended(target, name, value)


def _set_extended(target: int, name: str, value: bytes) -> None:
    try:
        os.setxattr(target, name, value)
    except PermissionError:
        # Labels and rights that only the system gives: a file of ours has those the system gave it.
        if not name.startswith(SYSTEM_NAMES):
            raise


def _extended(descriptor: int) -> dict[str, bytes]:
    try:
        return {name: os.getxattr(descriptor, name) for name in os.listxattr(descriptor)}
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return {}
        raise
