"""What the program, the supervisor and the keepers say to each other."""

from __future__ import annotations

import struct
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


# No dataclass: importing them takes the supervisor longer than everything else together.
class Request(NamedTuple):
    """What to run: nothing in it can hold a NUL, which is what the parts are joined with."""

    folder: bytes
    program: bytes
    arguments: tuple[bytes, ...]
    environment: tuple[bytes, ...]

    def packed(self) -> bytes:
        fields = (self.folder, self.program, b"%d" % len(self.arguments), *self.arguments, *self.environment)
        body = b"\0".join(fields)
        return LENGTH.pack(len(body)) + body


def unpacked(body: bytes) -> Request:
    folder, program, count, *rest = body.split(b"\0")
    return Request(folder, program, tuple(rest[: int(count)]), tuple(rest[int(count) :]))
