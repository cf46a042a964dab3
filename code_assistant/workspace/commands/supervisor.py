"""The program's side of the supervisor: starting it when it is first needed, handing commands over to it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from array import array
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.commands.reports import LOST_WORDS
from code_assistant.workspace.commands.supervision.wire import KILL_KEEPER, LAUNCH, ORDER
from code_assistant.workspace.processes import environment_with

if TYPE_CHECKING:
    from subprocess import Popen

logger = logging.getLogger(__name__)

SECONDS_TO_CLOSE = 3.0
# Isolated and without site packages: nothing in a folder or an environment decides what it imports.
PROGRAM = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from code_assistant.workspace.commands.supervision.main import main; main(int(sys.argv[2]))"
)


@dataclass(frozen=True, slots=True)
class Process:
    """A supervisor that was started, and the socket that keeps it alive."""

    popen: Popen[bytes]
    link: socket.socket

    def go_on(self) -> None:
        """A command may have stopped it."""
        self.popen.send_signal(signal.SIGCONT)


@dataclass(frozen=True, slots=True)
class Care:
    """A command's place with a keeper: what to close, and where to read.

    Closing the control socket ends the command with all of its processes; `output` is what it prints.
    """

    number: int
    control: socket.socket
    output: int


class Supervisor:
    """One for a whole session, whose agents share it; `environment` is that of every command.

    Its process is started for the first command, and anew should it be killed.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)
        self._process: Process | None = None
        self._count = 0
        self._is_closed = False

    def take(self) -> Care:
        """A new keeper, who waits to be told what to run; raises WorkspaceError where none can be had."""
        if self._is_closed:
            raise WorkspaceError("The session is ending; no command can be started any more.")
        self._count += 1
        try:
            with ExitStack() as ours, ExitStack() as theirs:
                control, given = socket.socketpair()
                ours.callback(control.close)
                theirs.callback(given.close)
                reader, writer = os.pipe()
                ours.callback(os.close, reader)
                theirs.callback(os.close, writer)
                control.setblocking(False)
                self._hand_over(self._count, given.fileno(), writer)
                ours.pop_all()
        except BrokenPipeError as error:
            # It ended a moment sooner than when it is missed for its silence.
            raise WorkspaceError(LOST_WORDS) from error
        except OSError as error:
            raise WorkspaceError(f"No command can be started: {error.strerror or error}.") from error
        return Care(self._count, control, reader)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.popen.poll() is None

    def kill_keeper(self, care: Care) -> None:
        """For a keeper that does not do its work: what it kept is ended by the supervisor itself."""
        if self._process is not None:
            with suppress(OSError):
                self._process.link.send(ORDER.pack(KILL_KEEPER, care.number))
            self._process.go_on()

    def kill(self) -> None:
        """For a supervisor that does not answer; the keepers notice, and the next command gets another one."""
        process, self._process = self._process, None
        if process is not None:
            process.link.close()
            process.popen.kill()
            process.popen.wait()

    async def close(self) -> None:
        """Let it go when the last command has ended; from now on there is none."""
        from subprocess import TimeoutExpired

        self._is_closed = True
        process, self._process = self._process, None
        if process is None:
            return
        process.link.close()
        process.go_on()
        try:
            await asyncio.to_thread(process.popen.wait, SECONDS_TO_CLOSE)
        except TimeoutExpired:
            logger.warning("the supervisor of commands did not end and is killed")
            process.popen.kill()
            await asyncio.to_thread(process.popen.wait)

    def _hand_over(self, number: int, control: int, output: int) -> None:
        try:
            self._send(number, control, output)
        except ConnectionError:
            # It was killed since it was last needed; nothing of this command has begun.
            self.kill()
            self._send(number, control, output)

    def _send(self, number: int, control: int, output: int) -> None:
        if self._process is None:
            self._process = _started()
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [control, output]))
        self._process.link.sendmsg([ORDER.pack(LAUNCH, number)], [rights])
        self._process.go_on()


def _started() -> Process:
    from subprocess import DEVNULL, Popen

    ours, theirs = socket.socketpair()
    try:
        popen = Popen(
            [sys.executable, "-I", "-S", "-c", PROGRAM, str(_import_folder()), str(theirs.fileno())],
            cwd="/",
            env=environment_with(),
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=DEVNULL,
            start_new_session=True,
            pass_fds=[theirs.fileno()],
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    ours.setblocking(False)
    return Process(popen, ours)


def _import_folder() -> Path:
    return Path(__file__).resolve().parents[3]
