"""What is mounted where: in the sandbox of a process, compared with what should be."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from typing import NamedTuple

from code_assistant.workspace.commands.sandbox.mount_records import KeptLink
from code_assistant.workspace.commands.supervision.wire import CLOSED, KEPT_LINK, WRITABLE, KeptWall

NUMBER = b"mnt_id:"
# Of these the kernel does not tell which part it is.
WITHOUT_ROOTS = b"nfs"


class Mounted(NamedTuple):
    """`root` is which part of a file system it is, `access` whether it can be written; paths as the kernel spells."""

    number: bytes
    device: bytes
    root: bytes
    point: bytes
    access: bytes
    kind: bytes


def mount_table(process: int | str) -> list[Mounted]:
    """Raises FileNotFoundError when it has ended."""
    try:
        with open(f"/proc/{process}/mountinfo", "rb") as file:  # noqa: PTH123 - pathlib takes long to import
            return [_read(line) for line in file]
    except OSError as error:
        # It is only waited for, and has no mounts any more.
        if error.errno == errno.EINVAL:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from error
        raise


def _read(line: bytes) -> Mounted:
    number, _, device, root, point, options, rest = line.split(b" ", 6)
    # Between them and the kind there are any number of others.
    kind = rest.partition(b"- ")[2].partition(b" ")[0]
    return Mounted(number, device, root, point, options.partition(b",")[0], kind)


def spelled(path: bytes) -> bytes:
    for byte in b"\\ \t\n":
        path = path.replace(bytes([byte]), b"\\%03o" % byte)
    return path


def misplaced(inside: int, walls: Iterable[KeptWall]) -> int | None:
    """The number of a wall that does not stand as it should; None when all do.

    Every wall is one mount at one place. So when there is the right one at each place, none has been led elsewhere by
    somebody who put a link in its way while it was set up. A link that leads elsewhere already was not looked at, and
    nobody has heard of it.
    """
    ours, theirs = mount_table("self"), mount_table(inside)
    # What is mounted read-only outside is so inside, whatever was wanted.
    standing = {(each.device, each.root, each.point, access) for each in theirs for access in {each.access, WRITABLE}}
    standing -= {(each.device, each.root, each.point, CLOSED) for each in theirs if each.access == WRITABLE}
    points = frozenset(each.point for each in theirs)
    for number, wall in enumerate(walls):
        if wall.kind == KEPT_LINK:
            if not KeptLink(wall.path, wall.rest).is_there():
                return number
            continue
        place = spelled(wall.path)
        if not wall.source:
            if place not in points:
                return number
        elif not any((device, root, place, wall.access) in standing for device, root in _origins(wall.source, ours)):
            return number
    return None


def _origins(source: bytes, table: list[Mounted]) -> Iterable[tuple[bytes, bytes]]:
    """Which part of which file system it is, seen from here: by its path, and where mounts hide others, as it is."""
    place = spelled(source)
    above = [each for each in table if _is_above(each.point, place)]
    innermost = max(above, key=lambda each: len(each.point))
    yield innermost.device, _part(place, innermost)
    if innermost.kind.startswith(WITHOUT_ROOTS):
        yield innermost.device, b"/"
    try:
        descriptor = os.open(source, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        # Gone, or behind something that is no folder any more.
        return
    try:
        with open(f"/proc/self/fdinfo/{descriptor}", "rb") as file:  # noqa: PTH123 - as above
            lines = [line.split() for line in file]
    finally:
        os.close(descriptor)
    number = next((fields[1] for fields in lines if fields[0] == NUMBER), b"")
    yield from ((each.device, _part(place, each)) for each in above if each.number == number)


def _is_above(point: bytes, place: bytes) -> bool:
    return point == b"/" or place == point or place.startswith(point + b"/")


def _part(place: bytes, mounted: Mounted) -> bytes:
    below = place[len(mounted.point) :].lstrip(b"/")
    return (mounted.root.rstrip(b"/") + b"/" + below).rstrip(b"/") or b"/"
