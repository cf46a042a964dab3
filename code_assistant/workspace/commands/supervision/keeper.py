"""A keeper: starts one command, waits for it, and does not end before every process below it has."""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress

from code_assistant.workspace.commands.sandbox.held_records import drop_after_death
from code_assistant.workspace.commands.supervision.descendants import (
    Patience,
    Process,
    become_subreaper,
    descendants,
    signal_all,
    signal_group,
)
from code_assistant.workspace.commands.supervision.keyring import leave_session_keyring
from code_assistant.workspace.commands.supervision.landlock import restrict_self
from code_assistant.workspace.commands.supervision.signals import RESTORED_SIGNALS, Wakeups
from code_assistant.workspace.commands.supervision.wall_watch import WallWatch
from code_assistant.workspace.commands.supervision.wire import (
    BEGUN,
    EXITED,
    FAILED,
    FORSAKEN,
    GONE,
    LEFT_RUNNING,
    LENGTH,
    LIFE_LINE,
    LINK_CHANGED,
    NO_FOLDER,
    SESSION,
    STARTED,
    WALL_LOST,
    WALLS_STAND,
    Request,
    unpacked,
)

SECONDS_TO_OBEY = 0.4
# What a shell does not wait for, such as >(tee log), is given the time to write its last words.
SECONDS_TO_FINISH = 0.2
SECONDS_BETWEEN_LOOKS = 0.1


class Keeper:
    """`supervisor_life` reads nothing, ever; its end says that the supervisor is gone."""

    def __init__(self, control: socket.socket, output: int, supervisor_life: int) -> None:
        self._control = control
        self._output = output
        self._supervisor_life = supervisor_life
        self._sees_orphans = become_subreaper(b"command-keeper")
        self._wakeups = Wakeups()
        self._shell = 0
        self._shell_ended = False
        self._told_to_end = False
        self._was_hung_up = False
        self._nothing_left = False
        self._life_line: int | None = None
        # What the pipe is known by, also when our end is closed.
        self._life_line_number = 0
        self._watch: WallWatch | None = None
        # Where it is said that the walls stand, and after that what happens to them.
        self._word_of_walls: int | None = None
        self._walls_stand = False
        self._has_begun = False
        self._is_breached = False

    def run(self) -> None:
        os.setsid()
        body = self._received()
        if body is None:
            return
        request = unpacked(body)
        if not self._did(NO_FOLDER, lambda: _enter(request.folder)):
            return
        if self._is_called_off():
            return
        # While nothing runs yet that could kill us: should it, this is how what is left can be found.
        self._report(SESSION, os.getpid())
        if not self._did(FAILED, lambda: self._start(request)):
            return
        self._keep_until_all_is_gone()
        if self._was_hung_up and request.records:
            drop_after_death(request.records)

    def _keep_until_all_is_gone(self) -> None:
        self._report(STARTED)
        self._wait(None, lambda: self._shell_ended or self._walls_stand or self._word_of_walls is None)
        if not self._told_to_end:
            self._wait(None, lambda: self._shell_ended)
        self._dismiss_guard()
        if self._watch is not None and self._watch.has_unseen:
            self._cut_short(self._watch)
        if not self._told_to_end and (self._is_breached or not self._wait(SECONDS_TO_FINISH, self._is_over)):
            self._tell_of_what_is_left()
        self._end_all()
        if self._watch is not None:
            self._watch.leave()
        self._report(GONE)

    def _received(self) -> bytes | None:
        """The request; None when the program closed its end, or died, before it was whole."""
        header = self._read(LENGTH.size)
        return None if header is None else self._read(LENGTH.unpack(header)[0])

    def _read(self, size: int) -> bytes | None:
        data = bytearray()
        while len(data) < size:
            piece = self._control.recv(size - len(data))
            if not piece:
                return None
            data += piece
        return bytes(data)

    def _is_called_off(self) -> bool:
        try:
            return not self._control.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False

    def _did(self, failure: bytes, step: Callable[[], None]) -> bool:
        try:
            step()
        except OSError as error:
            self._report(failure, error.errno)
            return False
        return True

    def _start(self, request: Request) -> None:
        environment = dict(entry.split(b"=", 1) for entry in request.environment)
        leave_session_keyring()
        if request.walls is not None:
            # For us as well, which costs nothing: all that is left to do is to wait and to send signals downwards.
            restrict_self(request.walls)
        given = self._guard(request) if request.has_guard else {}
        if not request.has_guard:
            self._report(BEGUN)
        self._shell = os.posix_spawn(
            request.program,
            request.arguments,
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, self._output, 1),
                (os.POSIX_SPAWN_DUP2, self._output, 2),
                *((os.POSIX_SPAWN_DUP2, ours, theirs) for theirs, ours in given.items()),
            ],
            setpgroup=0,
            setsigmask=(),
            setsigdef=RESTORED_SIGNALS,
        )
        for each in (self._output, *given.values()):
            os.close(each)
        os.chdir("/")

    def _guard(self, request: Request) -> dict[int, int]:
        """Where a guard is to read and to write, which must be open nowhere else."""
        # Before there are any walls, so that nothing is missed that happens to them.
        self._watch = WallWatch(request.kept, request.records)
        life_line, self._life_line = os.pipe()
        self._life_line_number = os.fstat(life_line).st_ino
        self._word_of_walls, walls_stand = os.pipe()
        return {LIFE_LINE: life_line, WALLS_STAND: walls_stand}

    def _dismiss_guard(self) -> None:
        """From here on the rest is asked to end, and told of; it would leave no time for that."""
        if self._life_line is not None:
            # A command can have killed it, or have stopped it and filled the pipe.
            os.set_blocking(self._life_line, False)
            # One that still waits for our word takes any for a yes.
            with suppress(BrokenPipeError, BlockingIOError):
                if self._has_begun:
                    os.write(self._life_line, b"\n")
            os.close(self._life_line)
            self._life_line = None

    def _wait(self, seconds: float | None, is_done: Callable[[], bool]) -> bool:
        """Until it is done, the time is over, or we are told to end, if we were not told before."""
        deadline = None if seconds is None else time.monotonic() + seconds
        was_told, was_breached = self._told_to_end, self._is_breached
        poll = select.poll()
        poll.register(self._wakeups.descriptor, select.POLLIN)
        if not was_told:
            poll.register(self._control, select.POLLIN)
            poll.register(self._supervisor_life, select.POLLIN)
        if self._word_of_walls is not None and not self._is_breached:
            poll.register(self._word_of_walls, select.POLLIN)
        while True:
            self._reap()
            if is_done():
                return True
            rest = None if deadline is None else deadline - time.monotonic()
            if rest is not None and rest <= 0:
                return False
            for descriptor, _ in poll.poll(self._milliseconds(rest, was_told=was_told)):
                self._hear(descriptor)
            self._look_at_walls()
            if (self._told_to_end and not was_told) or (self._is_breached and not was_breached):
                return is_done()

    def _milliseconds(self, rest: float | None, *, was_told: bool) -> float | None:
        if self._looks_at_walls and not was_told:
            rest = SECONDS_BETWEEN_LOOKS if rest is None else min(rest, SECONDS_BETWEEN_LOOKS)
        return None if rest is None else rest * 1000

    @property
    def _looks_at_walls(self) -> bool:
        """Whether not everything that happens to walls would be heard."""
        return self._watch is not None and self._watch.is_deaf and self._has_begun and not self._shell_ended

    def _look_at_walls(self) -> None:
        if self._watch is not None and self._looks_at_walls and not self._told_to_end:
            self._see_to_walls(self._watch)

    def _hear(self, descriptor: int) -> None:
        if descriptor == self._wakeups.descriptor:
            self._wakeups.drain()
            return
        if descriptor == self._word_of_walls and self._watch is not None:
            if self._shell_ended or self._told_to_end:
                self._cut_short(self._watch)
            elif self._walls_stand:
                self._see_to_walls(self._watch)
            else:
                self._hear_that_walls_stand(descriptor, self._watch)
            return
        # The program sends nothing after its request: it has closed its end, on purpose or by dying.
        self._told_to_end = True
        if descriptor == self._supervisor_life:
            self._report(FORSAKEN)
        else:
            self._was_hung_up = True

    def _see_to_walls(self, watch: WallWatch) -> None:
        before = watch.times_put_back
        lost = watch.lost(self._shell)
        if watch.times_put_back > before:
            self._report(LINK_CHANGED)
        if lost is not None:
            self._end_for(lost)

    def _cut_short(self, watch: WallWatch) -> None:
        """What is left of the command gets no time to end by itself: with its shell the sandbox may be gone from where
        it could be found, and nobody would wall off again what somebody replaces now. It is not told of as ended by
        that: the command had ended, or was being ended, and whoever reads so would start it again.
        """
        self._is_breached = self._is_breached or not self._has_begun or bool(watch.touched())

    def _tell_of_what_is_left(self) -> None:
        if not self._told_to_end and (not self._is_breached or self._has_left_something()):
            self._report(LEFT_RUNNING)

    def _has_left_something(self) -> bool:
        """Besides what belongs to the sandbox: our own children, below which all of its processes are, and the guard.

        For what is told only: one that passes itself off for the guard is ended like all others.
        """
        below = (each for each in descendants(os.getpid()) if each.parent != os.getpid() and not each.has_ended)
        return any(not self._is_guard(each) for each in below)

    def _is_guard(self, process: Process) -> bool:
        try:
            descriptor = f"/proc/{process.pid}/fd/{LIFE_LINE}"
            return os.stat(descriptor).st_ino == self._life_line_number  # noqa: PTH116 - pathlib takes long to import
        except OSError:
            return False

    def _hear_that_walls_stand(self, descriptor: int, watch: WallWatch) -> None:
        # Without a word there is no sandbox: it could not be set up.
        self._walls_stand = os.read(descriptor, 1) != b""
        os.close(descriptor)
        self._word_of_walls = watch.descriptor if self._walls_stand else None
        if not self._walls_stand or self._life_line is None or self._told_to_end:
            return
        # Killed by somebody already.
        with suppress(FileNotFoundError, BrokenPipeError):
            misplaced = watch.misplaced(self._shell)
            if misplaced is not None:
                self._end_for(misplaced)
                return
            # Looking took its time.
            if self._is_called_off():
                return
            self._report(BEGUN)
            os.write(self._life_line, b"\n")
            self._has_begun = True

    def _end_for(self, wall: int) -> None:
        self._report(WALL_LOST, wall)
        self._told_to_end = self._is_breached = True

    def _reap(self) -> None:
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self._shell:
                    self._shell_ended = True
                    self._report(EXITED, status)
        except ChildProcessError:
            self._nothing_left = True

    def _is_over(self) -> bool:
        if self._sees_orphans or not self._shell_ended:
            return self._nothing_left
        try:
            os.killpg(self._shell, 0)
        except (ProcessLookupError, PermissionError):
            return True
        return False

    def _end_all(self) -> None:
        self._told_to_end = True
        if self._wait(0, self._is_over):
            return
        if not self._is_breached:
            # What is stopped could not hear otherwise.
            self._signal(signal.SIGTERM, signal.SIGCONT)
            if self._wait(SECONDS_TO_OBEY, self._is_over):
                return
        patience = Patience()
        while True:
            patience.take(self._signal(signal.SIGKILL))
            if self._wait(patience.seconds, self._is_over):
                return

    def _signal(self, *numbers: int) -> list[Process]:
        found = descendants(os.getpid())
        signal_all(found, *numbers)
        if not self._sees_orphans:
            for number in numbers:
                signal_group(self._shell, number)
        return found

    def _report(self, word: bytes, number: int | None = None) -> None:
        # The program may be gone; its command is ended all the same.
        with suppress(OSError):
            self._control.sendall(b"%b %d\n" % (word, number or 0))


def _enter(folder: bytes) -> None:
    os.chdir(folder)
    if os.getcwdb() != folder:  # noqa: PTH109 - bytes, as it came
        # A folder on the way was swapped for a link after somebody said yes to this path.
        raise FileNotFoundError(errno.ENOENT, "The folder is not where it was")
