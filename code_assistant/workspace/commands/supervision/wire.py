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

# From a keeper, one line each, some with a number: the shell's process, an error, a wait status. After `gone`, or the
# end of the control socket, no process of the command is left; the socket ends without it where a keeper was killed.
STARTED = b"started"
NO_FOLDER = b"no-folder"
FAILED = b"failed"
EXITED = b"exited"
LEFT_RUNNING = b"left-running"
FORSAKEN = b"forsaken"
GONE = b"gone"

LENGTH = struct.Struct("!I")

# Where a guard in the sandbox reads: a word when the keeper sees to the rest itself, the end when it was killed.
LIFE_LINE = 3


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

    def packed(self) -> bytes:
        walls = () if self.walls is None else (*map(_flag, self.walls[1:]), *self.walls.writable)
        lists = (self.arguments, self.environment, walls)
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
    counts, fields = [int(count) for count in rest[:3]], iter(rest[3:])
    arguments, environment, walls = (tuple(islice(fields, count)) for count in counts)
    kept = Walls(walls[2:], walls[0] == _flag(True), walls[1] == _flag(True)) if walls else None
    return Request(folder, program, arguments, environment, kept, records, has_guard == _flag(True))
