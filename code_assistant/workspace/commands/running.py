"""One command from its start until none of its processes is left."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.commands.ending import Ending
from code_assistant.workspace.commands.last_resort import end_session
from code_assistant.workspace.commands.output import KeptOutput
from code_assistant.workspace.commands.pipe_reader import PipeReader
from code_assistant.workspace.commands.reports import Reports
from code_assistant.workspace.commands.shell import shell
from code_assistant.workspace.commands.supervision.wire import Request
from code_assistant.workspace.commands.supervisor import Care, Supervisor

SECONDS_TO_START = 15.0
# The keeper takes 0.4 for those who do not obey; after this much the supervisor does its work.
SECONDS_FOR_KEEPER = 0.65
SECONDS_FOR_SUPERVISOR = 4.0
REPORT_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Command:
    """What to run, and in which folder, by its resolved path."""

    text: str
    folder: Path

    def request(self, environment: dict[str, str]) -> Request:
        entries = tuple(os.fsencode(f"{name}={value}") for name, value in environment.items())
        chosen = shell()
        return Request(os.fsencode(self.folder), os.fsencode(chosen.program), chosen.arguments(self.text), entries)


class RunningCommand:
    """Begins at once. Whoever makes one awaits `end`, however it went: only then is it certain that all is gone."""

    def __init__(self, command: Command, supervisor: Supervisor, output: KeptOutput) -> None:
        self.command = command
        self.output = output
        self._supervisor = supervisor
        self._began = time.monotonic()
        self._reports = Reports()
        self._care: Care | None = None
        self._is_ending = False
        self._gave_up = False
        self._life = asyncio.create_task(self._live())
        self._end_of_life: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        return not self._life.done()

    @property
    def duration(self) -> float:
        """Until now, or until its shell ended."""
        return (self._reports.ended_at or time.monotonic()) - self._began

    @property
    def ending(self) -> Ending:
        """How it ended, once it has; raises WorkspaceError when it could not be started."""
        return self._life.result()

    async def has_started(self) -> None:
        """Raises WorkspaceError when it could not be."""
        started = asyncio.create_task(self._reports.has_started.wait())
        try:
            await asyncio.wait({started, self._life}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            started.cancel()
        if self._life.done():
            self._life.result()

    async def wait(self, seconds: float | None = None) -> bool:
        """Whether it has ended after this time at the latest."""
        await asyncio.wait({self._life}, timeout=seconds)
        return self._life.done()

    def when_ended(self, call: Callable[[], None]) -> None:
        self._life.add_done_callback(lambda _: call())

    async def end(self) -> None:
        """Returns when nothing of it is left; a cancellation meanwhile takes effect only after that."""
        if self._end_of_life is None:
            self._end_of_life = asyncio.create_task(self._end())
        cancellation: asyncio.CancelledError | None = None
        while not self._end_of_life.done():
            try:
                await asyncio.wait({self._end_of_life})
            except asyncio.CancelledError as error:
                cancellation = error
        self._end_of_life.result()
        if cancellation is not None:
            raise cancellation

    async def _end(self) -> None:
        self._is_ending = True
        self._hang_up()
        if not await self.wait(SECONDS_FOR_KEEPER):
            if self._care is not None:
                self._supervisor.kill_keeper(self._care)
            if not await self.wait(SECONDS_FOR_SUPERVISOR):
                self._gave_up = True
                self._life.cancel()
                await self.wait()
        # Looked at, because a failure that nobody asked for would be complained of.
        self._life.exception()

    def _hang_up(self) -> None:
        """The keeper takes it as the order to end, as it would take our death."""
        if self._care is None:
            return
        try:
            self._care.control.shutdown(socket.SHUT_WR)
        except OSError:
            # The keeper has ended already.
            return

    async def _live(self) -> Ending:
        reader, writer = os.pipe()
        pipe = PipeReader(reader, self.output.add)
        try:
            try:
                self._care = self._supervisor.take(writer)
            finally:
                os.close(writer)
            await self._follow(self._care.control)
        except asyncio.CancelledError:
            if not self._gave_up:
                raise
        finally:
            pipe.close()
            self.output.finish()
            if self._care is not None:
                self._care.control.close()
                self._care = None
        return self._reports.ending(self._began, was_ended=self._is_ending, may_live_on=self._gave_up)

    async def _follow(self, control: socket.socket) -> None:
        """Hand over what to run, then listen until nothing of it is left."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(SECONDS_TO_START) as limit:
                try:
                    await loop.sock_sendall(control, self.command.request(self._supervisor.environment).packed())
                    while data := await loop.sock_recv(control, REPORT_BYTES):
                        self._reports.add(data)
                        limit.reschedule(None)
                except ConnectionError:
                    # Killed with our words unread.
                    pass
        except TimeoutError as error:
            self._supervisor.kill()
            raise WorkspaceError(
                f"The command did not start within {SECONDS_TO_START:g} seconds; try it again."
            ) from error
        if self._reports.status is None and self._reports.shell is not None:
            await end_session(self._reports.shell)
