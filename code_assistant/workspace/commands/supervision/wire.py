"""What the program, the supervisor and the keepers say to each other."""

from __future__ import annotations

import struct
from itertools import chain, islice
from typing import NamedTuple

# To the supervisor, always this many bytes: what to do, and for which command. A launch comes with two descriptors:
# the keeper's end of the control socket, and where the command writes.
ORDER = struct.Struct("!cxxxI")
LAUNCH = b"L"
KILL_KEEPER = b"K"

# From a keeper, one line each, some with a number: the session of all that it starts, said before anything is, an
# error, a wait status. After `gone`, or the end of the control socket, no process of the command is left; the socket
# ends without it where a keeper was killed.
SESSION = b"session"
STARTED = b"started"
# Said before anything of the command itself can run: where all is gone and this was not said, nothing of it has.
BEGUN = b"begun"
NO_FOLDER = b"no-folder"
FAILED = b"failed"
EXITED = b"exited"
LEFT_RUNNING = b"left-running"
FORSAKEN = b"forsaken"
GONE = b"gone"
# With the number of a kept wall: the command is ended because of it.
WALL_LOST = b"wall-lost"
LINK_CHANGED = b"link-changed"

LENGTH = struct.Struct("!I")

# Where a guard in the sandbox reads: a word when the keeper sees to the rest itself, the end when it was killed.
LIFE_LINE = 3
# Where it says that all walls stand.
WALLS_STAND = 4

# What a kept wall is: nothing below can be changed, nothing can be read; a folder that must stay where it is, because a
# wall is below it; one that must stand at the beginning; a link, which cannot be mounted.
READ_ONLY = b"read-only"
COVERED = b"covered"
WAY = b"way"
STANDING = b"standing"
KEPT_LINK = b"link"
# How it is mounted.
WRITABLE = b"rw"
CLOSED = b"ro"


class KeptWall(NamedTuple):
    """`rest` is where a link leads, or how what stands in for the place is recorded; empty where nothing has to.

    `source` is what is mounted there; empty for an empty folder of the sandbox's own.
    """

    kind: bytes
    path: bytes
    rest: bytes = b""
    source: bytes = b""
    access: bytes = CLOSED


class Walls(NamedTuple):
    """What Landlock is to allow: writing below these places, and connections.

    Without `keeps_files` it only keeps from processes outside: from their abstract sockets, and from signals to them.
    """

    writable: tuple[bytes, ...]
    has_network: bool
    keeps_files: bool = True


# No dataclass: importing them takes the supervisor longer than everything else together.
class Request(NamedTuple):
    """What to run: nothing in it can hold a NUL, which is what the parts are joined with."""

    folder: bytes
    program: bytes
    arguments: tuple[bytes, ...]
    environment: tuple[bytes, ...]
    walls: Walls | None = None
    # Where records of stand-ins are, which are dropped should the program die; empty for none.
    records: bytes = b""
    has_guard: bool = False
    kept: tuple[KeptWall, ...] = ()

    def packed(self) -> bytes:
        walls = () if self.walls is None else (*map(_flag, self.walls[1:]), *self.walls.writable)
        lists = (self.arguments, self.environment, walls, tuple(chain(*self.kept)))
        body = b"\0".join(
            (
                self.folder,
                self.program,
                self.records,
                _flag(self.has_guard),
                *(b"%d" % len(each) for each in lists),
                *chain(*lists),
            )
        )
        return LENGTH.pack(len(body)) + body


def _flag(value: bool) -> bytes:
    return b"1" if value else b"0"


def unpacked(body: bytes) -> Request:
    folder, program, records, has_guard, *rest = body.split(b"\0")
    counts, fields = [int(count) for count in rest[:4]], iter(rest[4:])
    arguments, environment, walls, kept = (tuple(islice(fields, count)) for count in counts)
    landlock = Walls(walls[2:], walls[0] == _flag(True), walls[1] == _flag(True)) if walls else None
    size = len(KeptWall._fields)
    watched = tuple(KeptWall(*kept[at : at + size]) for at in range(0, len(kept), size))
    return Request(folder, program, arguments, environment, landlock, records, has_guard == _flag(True), watched)
