"""Commands run by the real supervisor, and what they print, for tests to wait for."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from code_assistant.workspace.commands import supervisor
from code_assistant.workspace.commands.background import BackgroundCommand
from code_assistant.workspace.commands.environment import command_environment
from code_assistant.workspace.commands.running import Command
from code_assistant.workspace.commands.supervisor import Supervisor
from code_assistant.workspace.commands.table import Commands, Finished
from code_assistant.workspace.spill import SpillFolder
from tests.hang_guard import HANG_GUARD
from tests.processes import children_of

SUPERVISOR_NAME = "command-watch"
# Prints the process that looks after the command's keeper.
SUPERVISOR_PID = "$(cut -d' ' -f4 /proc/$PPID/stat)"


def change_supervision(monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    """Let supervisors begin with a statement in which `keeper` and `supervision` are their modules."""
    modules = "from code_assistant.workspace.commands.supervision import keeper, main as supervision"
    begin, _, run = supervisor.PROGRAM.rpartition("; main(")
    monkeypatch.setattr(supervisor, "PROGRAM", f"{begin}; {modules}; {statement}; main({run}")


class Heard:
    """What a command has printed so far."""

    def __init__(self) -> None:
        self.text = ""
        self._more = asyncio.Event()

    def __call__(self, text: str) -> None:
        self.text += text
        self._more.set()

    async def until(self, words: str) -> None:
        async with asyncio.timeout(HANG_GUARD):
            while words not in self.text:
                self._more.clear()
                await self._more.wait()


class Engine:
    """The commands of an agent, in a folder."""

    def __init__(self, folder: Path, spill: SpillFolder) -> None:
        self.folder = folder
        self.spill = spill
        self.supervisor = Supervisor(command_environment(os.environ))
        self.commands = Commands(self.supervisor)

    def command(self, text: str) -> Command:
        return Command(text, self.folder)

    async def run(self, text: str, seconds: float = HANG_GUARD, heard: Heard | None = None) -> Finished:
        return await self.commands.run(self.command(text), self.spill, heard or Heard(), seconds)

    async def text(self, text: str) -> str:
        """What a command prints; there is not so much of it that something is left out."""
        parts = (await self.run(text)).output.parts
        assert not parts.left_out
        return parts.head + parts.tail

    @asynccontextmanager
    async def running(self, text: str, words: str = "up\n") -> AsyncIterator[asyncio.Task[Finished]]:
        """A command that has printed these words and runs on; it must have ended when the block does."""
        heard = Heard()
        task = asyncio.create_task(self.run(text, heard=heard))
        try:
            await heard.until(words)
            yield task
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    async def cancelled(self, text: str, words: str = "up\n") -> None:
        """Run a command until it has printed these words, then cancel it; returns when the call has."""
        async with self.running(text, words) as task:
            assert await cancel(task)

    async def background(self, text: str) -> BackgroundCommand:
        return await self.commands.start_in_background(self.command(text), self.spill)

    @property
    def supervisor_pid(self) -> int:
        (found,) = [each.pid for each in children_of(os.getpid()) if each.name == SUPERVISOR_NAME]
        return found

    async def close(self) -> None:
        await self.commands.close()
        await self.supervisor.close()


async def cancel(task: asyncio.Task[Finished]) -> bool:
    """Whether it ended as cancelled."""
    task.cancel()
    async with asyncio.timeout(HANG_GUARD):
        await asyncio.wait({task})
    return task.cancelled()
