"""The program's side of the supervisor: starting it when it is first needed, handing commands over to it."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from array import array
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.commands.environment import command_environment
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


@dataclass(frozen=True, slots=True)
class Care:
    """A command's place with a keeper: closing the control socket ends it all, its end says that all is gone."""

    number: int
    control: socket.socket


class Supervisor:
    """One for a whole session; its process is started for the first command, and anew should it be killed.

    `environment` is that of every command.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self.environment = command_environment(os.environ) if environment is None else dict(environment)
        self._process: Process | None = None
        self._count = 0

    def take(self, output: int) -> Care:
        """A new keeper that will write to the descriptor; raises WorkspaceError where none can be had."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        self._count += 1
        try:
            self._hand_over(self._count, theirs.fileno(), output)
        except OSError as error:
            ours.close()
            raise WorkspaceError(f"No command can be started: {error.strerror or error}.") from error
        finally:
            theirs.close()
        return Care(self._count, ours)

    def kill_keeper(self, care: Care) -> None:
        """For a keeper that does not do its work: what it kept is ended by the supervisor itself."""
        if self._process is not None:
            with suppress(OSError):
                self._process.link.send(ORDER.pack(KILL_KEEPER, care.number))

    def kill(self) -> None:
        """For a supervisor that does not answer; the keepers notice, and the next command gets another one."""
        if self._process is not None:
            self._process.popen.kill()

    async def close(self) -> None:
        """Let it go when the last command has ended."""
        from subprocess import TimeoutExpired

        process, self._process = self._process, None
        if process is None:
            return
        process.link.close()
        try:
            await asyncio.to_thread(process.popen.wait, SECONDS_TO_CLOSE)
        except TimeoutExpired:
            logger.warning("the supervisor of commands did not end and is killed")
            process.popen.kill()
            await asyncio.to_thread(process.popen.wait)

    def _hand_over(self, number: int, control: int, output: int) -> None:
        if self._process is None:
            self._process = _started()
        try:
            _send(self._process, number, control, output)
        except ConnectionError:
            # It was killed since it was last needed; nothing of this command has begun.
            self._process.link.close()
            self._process.popen.wait()
            self._process = _started()
            _send(self._process, number, control, output)


def _send(process: Process, number: int, control: int, output: int) -> None:
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [control, output]))
    process.link.sendmsg([ORDER.pack(LAUNCH, number)], [rights])


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
