"""A command that runs while the conversation goes on, and what of it has been told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from code_assistant.workspace.commands.ending import Ending, plain_duration
from code_assistant.workspace.commands.head_tail import HeadTail
from code_assistant.workspace.commands.names import short_command
from code_assistant.workspace.commands.output import KeptOutput
from code_assistant.workspace.commands.result_text import result_text
from code_assistant.workspace.commands.running import Command, RunningCommand
from code_assistant.workspace.commands.supervisor import Supervisor
from code_assistant.workspace.names import counted
from code_assistant.workspace.spill import SpillFolder


@dataclass(frozen=True, slots=True)
class Look:
    """What is new, and how it stands; `ending` is None while it runs."""

    text: str
    state: str
    ending: Ending | None


class BackgroundCommand:
    def __init__(self, name: str, command: Command, supervisor: Supervisor, spill: SpillFolder) -> None:
        self.name = name
        self.command = command
        self.end_was_told = False
        self._fresh = HeadTail()
        self._changed = asyncio.Event()
        self.running = RunningCommand(command, supervisor, KeptOutput(spill, self._take))
        self.running.when_ended(self._changed.set)

    async def look(self, seconds: float = 0) -> Look:
        """What has come since the last look, after waiting for something to happen if nothing has."""
        if self.running.is_running and not self._changed.is_set() and seconds:
            try:
                async with asyncio.timeout(seconds):
                    await self._changed.wait()
            except TimeoutError:
                # Nothing new is an answer, too.
                pass
        self._changed.clear()
        fresh, self._fresh = self._fresh, HeadTail()
        text = result_text(fresh, self.running.output)
        ending = None if self.running.is_running else self.running.ending
        self.end_was_told = ending is not None
        return Look(text, self.state, ending)

    @property
    def state(self) -> str:
        duration = plain_duration(self.running.duration)
        return f"running for {duration}" if self.running.is_running else f"{self.running.ending.words} · {duration}"

    @property
    def news(self) -> str:
        """The line that tells of its end."""
        unseen = self._fresh.characters
        more = f" command_output has {counted(unseen, 'character')} that you have not seen." if unseen else ""
        return f"[Background command {self.name} ({short_command(self.command.text)}) ended: {self.state}.{more}]"

    def _take(self, text: str) -> None:
        self._fresh.add(text)
        self._changed.set()
