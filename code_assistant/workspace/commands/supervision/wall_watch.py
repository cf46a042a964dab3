"""What a sandbox keeps from a command stays kept while the command runs, whatever happens to it outside.

A mount is gone with the file that it lay over: when the person's git replaces its configuration, when a clean-up
removes an empty folder that stood in. That is heard of, and the place is walled off again.
"""
# Paths are bytes as they came, and pathlib takes long to import.

from __future__ import annotations

import errno
import os
import time
from collections.abc import Sequence
from contextlib import suppress

from code_assistant.workspace.commands.sandbox.held_records import HeldRecords, only_one
from code_assistant.workspace.commands.sandbox.mount_records import KeptLink, StandIn, unpacked
from code_assistant.workspace.commands.supervision.descendants import child_of
from code_assistant.workspace.commands.supervision.inotify import Inotify
from code_assistant.workspace.commands.supervision.mount_table import misplaced, mount_table, spelled
from code_assistant.workspace.commands.supervision.remounting import were_remounted
from code_assistant.workspace.commands.supervision.wire import KEPT_LINK, READ_ONLY, STANDING, WAY, KeptWall

# A command that goes on replacing a link has a moment each time.
TIMES_PUT_BACK = 3
# What is replaced again while we are at it is looked at again.
ATTEMPTS = 20
SECONDS_BETWEEN_ATTEMPTS = 0.005
TIMES_LOOKED_FOR = 6


class WallWatch:
    """`records` is where stand-ins are recorded that have to be made.

    It `is_deaf` when not all can be heard of: the kernel has no more room, or a folder on the way was replaced, and it
    is the old one that is listened to. Then walls have to be looked at from time to time. It `has_missed` something
    when what was heard of could not be set right, because the sandbox was not to be found any more.
    """

    def __init__(self, walls: Sequence[KeptWall], records: bytes) -> None:
        self._walls = walls
        self._folder = records
        self._records = HeldRecords(records)
        self._kept = [number for number, wall in enumerate(walls) if wall.kind != STANDING]
        self._numbers: dict[tuple[int, bytes], list[int]] = {}
        self._ways: set[tuple[int, bytes]] = set()
        self.times_put_back = 0
        self.is_deaf = False
        self.has_missed = False
        self._inotify = self._listener()
        if self._inotify is not None:
            self._listen(self._inotify)

    @property
    def descriptor(self) -> int | None:
        return None if self._inotify is None else self._inotify.descriptor

    def misplaced(self, bubblewrap: int) -> int | None:
        """The number of a wall that does not stand as it should, before anything runs between them.

        Raises FileNotFoundError when nothing will.
        """
        return misplaced(_inside(bubblewrap), self._walls)

    def lost(self, bubblewrap: int) -> int | None:
        """Set right what was heard of, for the sandbox that this process runs; the number of a wall that cannot be."""
        touched = self.touched()
        for number in touched:
            if self._walls[number].kind == KEPT_LINK and not self._was_put_back(self._walls[number]):
                return number
        fallen: list[int] = []
        for _ in range(ATTEMPTS if touched else 0):
            inside = _inside(bubblewrap)
            try:
                fallen = self._fallen(touched, inside)
            except FileNotFoundError:
                # It has ended, or its shell has, and what that left running is nowhere below it.
                self.has_missed = True
                return None
            self._wait_for_what_comes_back(fallen)
            for number in fallen:
                if not self._is_ready(self._walls[number]):
                    return number
            if not fallen or were_remounted(inside, [self._walls[number] for number in fallen]):
                return None
            time.sleep(SECONDS_BETWEEN_ATTEMPTS)
        return fallen[0] if fallen else None

    def leave(self) -> None:
        """The command has ended. What listens is left to our own end: the kernel takes its time to let go of it."""
        with suppress(OSError):
            self._records.release()

    def _listener(self) -> Inotify | None:
        try:
            return Inotify()
        except OSError:
            self.is_deaf = True
            return None

    def _listen(self, inotify: Inotify) -> None:
        for number in self._kept:
            folder, _, name = self._walls[number].path.rpartition(b"/")
            listened = self._watched(inotify, folder)
            if listened is not None:
                self._numbers.setdefault((listened, name), []).append(number)
            while folder:
                folder, _, name = folder.rpartition(b"/")
                listened = self._watched(inotify, folder)
                if listened is None or (listened, name) in self._ways:
                    break
                self._ways.add((listened, name))

    def _watched(self, inotify: Inotify, folder: bytes) -> int | None:
        try:
            return inotify.watch(folder or b"/")
        except OSError as error:
            # What lies in a folder that may be neither listed nor written nobody replaces.
            is_closed = error.errno == errno.EACCES and not os.access(folder or b"/", os.W_OK)
            self.is_deaf = self.is_deaf or not is_closed
            return None

    def touched(self) -> list[int]:
        """The numbers of walls to which something has happened."""
        heard = set(() if self._inotify is None else self._inotify.heard())
        if any(number is None for number, _ in heard):
            return self._kept
        if any(name is None or (number, name) in self._ways for number, name in heard):
            self.is_deaf = True
        if self.is_deaf:
            return self._kept
        places = ((number, name) for number, name in heard if number is not None and name is not None)
        return sorted({each for place in places for each in self._numbers.get(place, ())})

    def _fallen(self, touched: list[int], inside: int) -> list[int]:
        points = frozenset(each.point for each in mount_table(inside))
        walls = ((number, self._walls[number]) for number in touched)
        return [number for number, wall in walls if wall.kind != KEPT_LINK and self._is_open(wall, points)]

    def _is_open(self, wall: KeptWall, points: frozenset[bytes]) -> bool:
        """Nothing has to be walled off that is not there and may be made."""
        if spelled(wall.path) in points:
            return False
        return wall.kind == WAY or bool(wall.rest) or os.path.lexists(wall.path)

    def _was_put_back(self, wall: KeptWall) -> bool:
        with suppress(OSError):
            self.times_put_back += KeptLink(wall.path, wall.rest).was_undone()
            return self.times_put_back <= TIMES_PUT_BACK
        return False

    def _wait_for_what_comes_back(self, fallen: list[int]) -> None:
        """Who replaces something in two steps, as git and editors do, must not find a stand-in at the second."""
        walls = [self._walls[number] for number in fallen]
        real = [wall.path for wall in walls if wall.kind == READ_ONLY and wall.source == wall.path]
        for _ in range(TIMES_LOOKED_FOR):
            if all(map(os.path.lexists, real)):
                return
            time.sleep(SECONDS_BETWEEN_ATTEMPTS)

    def _is_ready(self, wall: KeptWall) -> bool:
        """Whether it can be walled off again, for which something must be there."""
        stand_in = unpacked(wall.rest + b"\0" + wall.path)
        if wall.kind == WAY or not isinstance(stand_in, StandIn) or os.path.lexists(wall.path):
            return wall.kind != WAY
        with suppress(OSError), only_one(self._folder):
            self._records.take(stand_in, anew=True)
            return True
        return False


def _inside(bubblewrap: int) -> int:
    """A process in its sandbox: the first one there, or where that may not be looked at, one that it has started."""
    first = child_of(bubblewrap)
    return first if os.access(f"/proc/{first}/ns/mnt", os.R_OK) else child_of(first)
