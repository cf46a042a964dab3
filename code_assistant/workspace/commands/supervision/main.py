"""The supervisor: forks a keeper for each command, and ends what a keeper that was killed has left behind."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from array import array
from contextlib import suppress
from typing import NamedTuple, NoReturn

from code_assistant.workspace.commands.supervision.descendants import (
    FIRST_PAUSE,
    Patience,
    Process,
    become_subreaper,
    descendants,
    signal_all,
)
from code_assistant.workspace.commands.supervision.keeper import Keeper
from code_assistant.workspace.commands.supervision.signals import Wakeups, ignore_requests_to_end
from code_assistant.workspace.commands.supervision.wire import FAILED, KILL_KEEPER, LAUNCH, ORDER

# Keepers end by themselves when the program does; one that was stopped cannot.
SECONDS_FOR_KEEPERS = 0.65
DESCRIPTORS_OF_LAUNCH = 2


class Charge(NamedTuple):
    """A command in our care. Its control socket stays open here, too, so that its end tells of the very last process,
    even where the keeper was killed."""

    number: int
    control: socket.socket


class Supervisor:
    def __init__(self, program: socket.socket) -> None:
        self._program = program
        self._wakeups = Wakeups()
        self._life, self._own_life = os.pipe()
        self._charges: dict[int, Charge] = {}
        self._fallen: list[Charge] = []
        self._patience = Patience()
        self._program_ended_at: float | None = None

    def serve(self) -> None:
        poll = select.poll()
        poll.register(self._program, select.POLLIN)
        poll.register(self._wakeups.descriptor, select.POLLIN)
        while self._program_ended_at is None or self._charges or self._fallen:
            for descriptor, _ in poll.poll(self._milliseconds()):
                if descriptor == self._wakeups.descriptor:
                    self._wakeups.drain()
                elif not self._obeyed():
                    poll.unregister(self._program)
                    self._program_ended_at = time.monotonic()
            self._reap()
            self._end_orphans()
            self._end_late_keepers()

    def _milliseconds(self) -> float | None:
        """How long to wait for something to happen."""
        if self._program_ended_at is not None and self._charges:
            return FIRST_PAUSE * 1000
        return self._patience.seconds * 1000 if self._fallen else None

    def _obeyed(self) -> bool:
        """Do what the program says next; False when it has ended."""
        try:
            data, descriptors = _received(self._program)
        except ConnectionError:
            return False
        if len(data) < ORDER.size:
            return False
        order, number = ORDER.unpack(data)
        if order == KILL_KEEPER:
            self._kill_keepers(number)
        elif order == LAUNCH and len(descriptors) == DESCRIPTORS_OF_LAUNCH:
            control, output = descriptors
            self._launch(number, socket.socket(fileno=control), output)
        else:
            # So many are open that not all of them came; with these closed, the program sees that it failed.
            for descriptor in descriptors:
                os.close(descriptor)
        return True

    def _launch(self, number: int, control: socket.socket, output: int) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            with suppress(OSError):
                control.sendall(b"%b %d\n" % (FAILED, error.errno))
            control.close()
            os.close(output)
            return
        if pid == 0:
            self._keep(control, output)
        os.close(output)
        self._charges[pid] = Charge(number, control)

    def _keep(self, control: socket.socket, output: int) -> NoReturn:
        """The new process: it must hold nothing open of what others wait to see closed."""
        status = 1
        try:
            self._program.close()
            self._wakeups.close()
            os.close(self._own_life)
            for charge in (*self._charges.values(), *self._fallen):
                charge.control.close()
            Keeper(control, output, self._life).run()
            status = 0
        finally:
            os._exit(status)

    def _kill_keepers(self, number: int | None = None) -> None:
        # Not reaped yet, so that the number of the process is still its own.
        for pid, charge in self._charges.items():
            if number is None or charge.number == number:
                os.kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                charge = self._charges.pop(pid, None)
                if charge is None:
                    continue
                if status == 0:
                    charge.control.close()
                else:
                    self._fallen.append(charge)

    def _end_orphans(self) -> None:
        if not self._fallen:
            return
        orphans = self._orphans()
        signal_all(orphans, signal.SIGKILL)
        self._patience.take(orphans)
        # Twice, because one that forks and ends while we look may be missed.
        if not orphans and not self._orphans():
            for charge in self._fallen:
                charge.control.close()
            self._fallen.clear()

    def _orphans(self) -> list[Process]:
        return descendants(os.getpid(), without=frozenset(self._charges))

    def _end_late_keepers(self) -> None:
        ended_at = self._program_ended_at
        if ended_at is not None and time.monotonic() - ended_at > SECONDS_FOR_KEEPERS:
            self._kill_keepers()


def _received(program: socket.socket) -> tuple[bytes, list[int]]:
    """One order, and the descriptors that came with it."""
    descriptors = array("i")
    data, ancillary, _, _ = program.recvmsg(ORDER.size, socket.CMSG_SPACE(DESCRIPTORS_OF_LAUNCH * descriptors.itemsize))
    for _, _, packed in ancillary:
        descriptors.frombytes(packed[: len(packed) - len(packed) % descriptors.itemsize])
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    return data, list(descriptors)


def main(descriptor: int) -> None:
    ignore_requests_to_end()
    become_subreaper(b"command-watch")
    os.set_inheritable(descriptor, False)
    Supervisor(socket.socket(fileno=descriptor)).serve()
