"""One command from its start until none of its processes is left."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.commands.ending import Ending
from code_assistant.workspace.commands.last_resort import end_session
from code_assistant.workspace.commands.output import KeptOutput
from code_assistant.workspace.commands.pipe_reader import PipeReader
from code_assistant.workspace.commands.reports import Reports
from code_assistant.workspace.commands.sandbox.mount_records import KeptLink, NoRepository
from code_assistant.workspace.commands.sandbox.sandbox import Enclosure, Sandbox
from code_assistant.workspace.commands.shell import shell
from code_assistant.workspace.commands.supervision.wire import Request
from code_assistant.workspace.commands.supervisor import Care, Supervisor

SECONDS_TO_START = 15.0
# The keeper takes 0.4 for those who do not obey; after this much the supervisor does its work.
SECONDS_FOR_KEEPER = 0.65
SECONDS_FOR_SUPERVISOR = 4.0
REPORT_BYTES = 4096
# How often walls are set up for a command, as long as somebody replaces what they are made of in just that moment.
TIMES_TO_BEGIN = 5


@dataclass(frozen=True, slots=True)
class Command:
    """What to run, and in which folder, by its resolved path.

    Without a sandbox it runs as the person's own commands do; `is_read_only` when the sandbox is to let nothing be
    written and no connection be made. `variables` are set besides those that all commands have. `script` is what the
    shell is given in place of the text: the same, where a part of it is to have variables of its own. `remark` is for
    whoever reads what it has printed.
    """

    text: str
    folder: Path
    sandbox: Sandbox | None = None
    is_read_only: bool = False
    variables: tuple[tuple[str, str], ...] = ()
    script: str = ""
    remark: str = ""

    async def enclosure(self) -> Enclosure:
        """Raises WorkspaceError where the walls cannot be set up."""
        if self.sandbox is None:
            return Enclosure()
        return await self.sandbox.enclosure(self.folder, is_read_only=self.is_read_only)

    def request(self, environment: dict[str, str], enclosure: Enclosure) -> Request:
        known = {**environment, **enclosure.environment, **dict(self.variables)}
        entries = tuple(os.fsencode(f"{name}={value}") for name, value in known.items())
        chosen = shell()
        program, words = chosen.program, chosen.arguments(self.script or self.text)
        if enclosure.words:
            before = tuple(os.fsencode(word) for word in enclosure.words)
            program, words = enclosure.words[0], (*before, os.fsencode(chosen.program), *words[1:])
        return Request(
            os.fsencode(self.folder),
            os.fsencode(program),
            words,
            entries,
            enclosure.walls,
            enclosure.records,
            has_guard=bool(enclosure.words),
            kept=enclosure.kept,
        )


class RunningCommand:
    """Begins at once. Whoever makes one awaits `end`, however it went: only then is it certain that all is gone."""

    def __init__(self, command: Command, supervisor: Supervisor, output: KeptOutput) -> None:
        self.command = command
        self.output = output
        self._supervisor = supervisor
        self._began = time.monotonic()
        self._has_started = asyncio.Event()
        self._reports = Reports(self._has_started)
        self._care: Care | None = None
        self._enclosure = Enclosure()
        self._is_ending = False
        self._gave_up = False
        self._is_unsure = False
        self._life = asyncio.create_task(self._live(), name="life of a command")
        self._end_of_life: asyncio.Task[None] | None = None
        self.when_ended(self._has_started.set)

    @property
    def is_running(self) -> bool:
        return not self._life.done()

    @property
    def duration(self) -> float:
        """Until now, or until its shell ended."""
        return (self._reports.ended_at or time.monotonic()) - self._began

    @property
    def ending(self) -> Ending:
        """How it ended, once it has; raises WorkspaceError when it never began."""
        return self._life.result()

    async def has_started(self) -> None:
        """Raises WorkspaceError when it never began."""
        await self._has_started.wait()
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
        await end_all((self,))

    def begin_to_end(self) -> asyncio.Task[None]:
        """From now on it ends; what is returned has ended when nothing of it is left."""
        if self._end_of_life is None:
            self._is_ending = True
            self._hang_up()
            self._end_of_life = asyncio.create_task(self._end(), name="end of a command")
        return self._end_of_life

    async def _end(self) -> None:
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
        if self._care is not None:
            # Where the keeper has ended already, there is nobody to tell.
            with suppress(OSError):
                self._care.control.shutdown(socket.SHUT_WR)

    async def _live(self) -> Ending:
        try:
            # It may have been ended before its turn came.
            if not self._is_ending:
                await self._run()
        except asyncio.CancelledError:
            if not self._gave_up:
                raise
        ending = self._reports.ending(
            self._began, was_ended=self._is_ending, may_live_on=self._gave_up or self._is_unsure
        )
        walls, lost = self._enclosure, self._reports.lost_wall
        return replace(
            ending,
            made_repository=any(isinstance(each, NoRepository) for each in walls.undone.undone),
            changed_link=self._reports.changed_link or any(isinstance(each, KeptLink) for each in walls.undone.undone),
            not_undone=tuple(os.fsdecode(each.path) for each in walls.undone.failed),
            lost_wall=None if lost is None else os.fsdecode(walls.kept[lost].path),
        )

    async def _run(self) -> None:
        try:
            for times_left in reversed(range(TIMES_TO_BEGIN)):
                if not await self._was_in_vain(is_last=times_left == 0):
                    return
        finally:
            self.output.finish()

    async def _was_in_vain(self, *, is_last: bool) -> bool:
        """Set up walls and run it between them; True where nothing of it has run and it is to be begun again."""
        self._reports = reports = Reports(self._has_started)
        async with AsyncExitStack() as stack:
            self._enclosure = enclosure = await self.command.enclosure()
            stack.push_async_callback(self._leave, enclosure)
            if self._is_ending:
                return False
            self._care = care = self._supervisor.take()
            reader = PipeReader(care.output, self.output.add)
            stack.callback(reader.close)
            stack.callback(self._let_go, care)
            # What comes before is what bubblewrap complains of, and that counts only where it is not called again.
            reports.when_begun = reader.begin
            await self._follow(care.control, self.command.request(self._supervisor.environment, enclosure))
            is_in_vain = reports.never_had_walls and not is_last and not self._is_ending
            if is_in_vain:
                reader.discard()
            return is_in_vain

    async def _leave(self, enclosure: Enclosure) -> None:
        await enclosure.leave(never_ran=self._reports.never_ran)

    def _let_go(self, care: Care) -> None:
        self._care = None
        care.control.close()

    async def _follow(self, control: socket.socket, request: Request) -> None:
        """Hand over what to run, then listen until nothing of it is left."""
        try:
            async with asyncio.timeout(SECONDS_TO_START) as limit:
                # A connection that breaks: killed with our words unread.
                with suppress(ConnectionError):
                    await self._converse(control, request, limit)
        except TimeoutError as error:
            await self._end_unheard(control)
            raise WorkspaceError(
                f"The command did not start within {SECONDS_TO_START:g} seconds; try it again."
            ) from error
        if self._reports.status is None and self._reports.session is not None:
            await end_session(self._reports.session)
            # With both of those who would know gone, what has left the session may be anywhere.
            self._is_unsure = not self._supervisor.is_running

    async def _converse(self, control: socket.socket, request: Request, limit: asyncio.Timeout) -> None:
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(control, request.packed())
        while not self._reports.is_over and (data := await loop.sock_recv(control, REPORT_BYTES)):
            self._reports.add(data)
            if self._reports.was_started:
                limit.reschedule(None)

    async def _end_unheard(self, control: socket.socket) -> None:
        """Nobody says that it runs; it may all the same, and have stopped whoever would say so."""
        if self._care is not None:
            self._supervisor.kill_keeper(self._care)
        try:
            async with asyncio.timeout(SECONDS_FOR_SUPERVISOR):
                with suppress(ConnectionError):
                    while await asyncio.get_running_loop().sock_recv(control, REPORT_BYTES):
                        pass
        except TimeoutError:
            self._supervisor.kill()
        if self._reports.session is not None:
            await end_session(self._reports.session)


async def end_all(commands: Iterable[RunningCommand]) -> None:
    """Returns when nothing of them is left; a cancellation meanwhile takes effect only after that."""
    ends = [command.begin_to_end() for command in commands]
    cancellation: asyncio.CancelledError | None = None
    while unfinished := [end for end in ends if not end.done()]:
        try:
            await asyncio.wait(unfinished)
        except asyncio.CancelledError as error:
            cancellation = error
    for end in ends:
        end.result()
    if cancellation is not None:
        raise cancellation
