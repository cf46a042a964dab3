"""The commands of one agent, those in the background included."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from code_assistant.errors import ToolError
from code_assistant.workspace.commands.background import BackgroundCommand
from code_assistant.workspace.commands.ending import Ending
from code_assistant.workspace.commands.names import short_command
from code_assistant.workspace.commands.output import KeptOutput
from code_assistant.workspace.commands.running import Command, RunningCommand, end_all
from code_assistant.workspace.commands.supervisor import Supervisor
from code_assistant.workspace.spill import SpillFolder

MAXIMUM_IN_BACKGROUND = 16
# Of those that ended and were told of, so many are still known by their id.
MAXIMUM_REMEMBERED = 32


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that is over; `timed_out` when it was ended because it took too long."""

    output: KeptOutput
    ending: Ending
    timed_out: bool


class Commands:
    """One per agent, and owned by it: closing it ends everything it started. The supervisor is the session's."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor
        self._unfinished: set[RunningCommand] = set()
        self._starting: set[BackgroundCommand] = set()
        self._background: dict[str, BackgroundCommand] = {}
        self._count = 0
        self._is_closed = False

    async def run(
        self,
        command: Command,
        spill: SpillFolder,
        listener: Callable[[str], None],
        seconds: float,
        when_cut: Callable[[], None] = lambda: None,
    ) -> Finished:
        """Run it to its end; cancelled, all of it is gone before the cancellation goes on.

        `when_cut` is called when it has to be ended, before that takes its time.
        """
        self._require_open()
        running = RunningCommand(command, self.supervisor, KeptOutput(spill, listener))
        self._note(running)
        try:
            timed_out = not await running.wait(seconds)
        finally:
            if running.is_running:
                when_cut()
            await running.end()
        return Finished(running.output, running.ending, timed_out)

    async def start_in_background(self, command: Command, spill: SpillFolder) -> BackgroundCommand:
        """Returns when it runs; raises ToolError when there are too many, WorkspaceError if it cannot be started."""
        self._require_open()
        self._require_room()
        self._count += 1
        started = BackgroundCommand(f"command-{self._count}", command, self.supervisor, spill)
        self._note(started.running)
        self._starting.add(started)
        try:
            await started.running.has_started()
        except BaseException:
            await started.running.end()
            raise
        finally:
            self._starting.discard(started)
        self._background[started.name] = started
        self._forget_old()
        return started

    def find(self, name: str) -> BackgroundCommand:
        found = self._background.get(name)
        if found is None:
            known = _listed(list(self._background.values()))
            raise ToolError(
                f"There is no command {name!r} in the background. "
                + (f"Known are: {known}." if known else "None was started with background=true.")
            )
        return found

    def news(self) -> tuple[str, ...]:
        """A line for each command in the background that has ended and of which nobody has been told yet."""
        ended = [each for each in self._background.values() if not each.running.is_running and not each.end_was_told]
        for each in ended:
            each.end_was_told = True
        return tuple(each.news for each in ended)

    async def close(self) -> None:
        """End all commands that still run, and wait until none of their processes is left."""
        self._is_closed = True
        await end_all(tuple(self._unfinished))

    def _require_open(self) -> None:
        if self._is_closed:
            raise ToolError("The session is ending; no command can be started any more.")

    def _require_room(self) -> None:
        running = [*(each for each in self._background.values() if each.running.is_running), *self._starting]
        if len(running) >= MAXIMUM_IN_BACKGROUND:
            raise ToolError(
                f"{MAXIMUM_IN_BACKGROUND} commands run in the background already, which is the most there can be; "
                f"end one with stop_command: {_listed(running)}."
            )

    def _note(self, running: RunningCommand) -> None:
        self._unfinished.add(running)
        running.when_ended(lambda: self._unfinished.discard(running))

    def _forget_old(self) -> None:
        told = [name for name, each in self._background.items() if each.end_was_told]
        for name in told[:-MAXIMUM_REMEMBERED]:
            del self._background[name]


def _listed(commands: list[BackgroundCommand]) -> str:
    return ", ".join(f"{each.name} ({short_command(each.command.text)})" for each in commands)
