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

from code_assistant.workspace.commands.sandbox.mount_records import drop_after_death
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
from code_assistant.workspace.commands.supervision.wire import (
    EXITED,
    FAILED,
    FORSAKEN,
    GONE,
    LEFT_RUNNING,
    LENGTH,
    LIFE_LINE,
    NO_FOLDER,
    STARTED,
    Request,
    unpacked,
)

SECONDS_TO_OBEY = 0.4
# What a shell does not wait for, such as >(tee log), is given the time to write its last words.
SECONDS_TO_FINISH = 0.2


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

    def run(self) -> None:
        os.setsid()
        body = self._received()
        if body is None:
            return
        request = unpacked(body)
        if not self._did(NO_FOLDER, lambda: _enter(request.folder)):
            return
        if self._is_called_off() or not self._did(FAILED, lambda: self._start(request)):
            return
        self._keep_until_all_is_gone()
        if self._was_hung_up and request.records:
            drop_after_death(request.records)

    def _keep_until_all_is_gone(self) -> None:
        self._report(STARTED, self._shell)
        self._wait(None, lambda: self._shell_ended)
        self._dismiss_guard()
        if not self._told_to_end and not self._wait(SECONDS_TO_FINISH, self._is_over) and not self._told_to_end:
            self._report(LEFT_RUNNING)
        self._end_all()
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
        guarded = self._guard() if request.has_guard else ()
        self._shell = os.posix_spawn(
            request.program,
            request.arguments,
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, self._output, 1),
                (os.POSIX_SPAWN_DUP2, self._output, 2),
                *((os.POSIX_SPAWN_DUP2, each, LIFE_LINE) for each in guarded),
            ],
            setsid=True,
            setsigmask=(),
            setsigdef=RESTORED_SIGNALS,
        )
        for each in (self._output, *guarded):
            os.close(each)
        os.chdir("/")

    def _guard(self) -> tuple[int]:
        """Where a guard is to read, which must be open nowhere else."""
        reader, self._life_line = os.pipe()
        return (reader,)

    def _dismiss_guard(self) -> None:
        """From here on the rest is asked to end, and told of; it would leave no time for that."""
        if self._life_line is not None:
            # A command can have killed it, or have stopped it and filled the pipe.
            os.set_blocking(self._life_line, False)
            with suppress(BrokenPipeError, BlockingIOError):
                os.write(self._life_line, b"\n")
            os.close(self._life_line)
            self._life_line = None

    def _wait(self, seconds: float | None, is_done: Callable[[], bool]) -> bool:
        """Until it is done, the time is over, or we are told to end, if we were not told before."""
        deadline = None if seconds is None else time.monotonic() + seconds
        was_told = self._told_to_end
        poll = select.poll()
        poll.register(self._wakeups.descriptor, select.POLLIN)
        if not was_told:
            poll.register(self._control, select.POLLIN)
            poll.register(self._supervisor_life, select.POLLIN)
        while True:
            self._reap()
            if is_done():
                return True
            rest = None if deadline is None else deadline - time.monotonic()
            if rest is not None and rest <= 0:
                return False
            for descriptor, _ in poll.poll(None if rest is None else rest * 1000):
                self._hear(descriptor)
            if self._told_to_end and not was_told:
                return is_done()

    def _hear(self, descriptor: int) -> None:
        if descriptor == self._wakeups.descriptor:
            self._wakeups.drain()
            return
        # The program sends nothing after its request: it has closed its end, on purpose or by dying.
        self._told_to_end = True
        if descriptor == self._supervisor_life:
            self._report(FORSAKEN)
        else:
            self._was_hung_up = True

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
