"""Taking file changes back by the person's wish: off the event loop, and told to the model with the next prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from code_assistant.agent.agent import Agent
from code_assistant.checkpoints.checkpoints import Checkpoints, Restoration
from code_assistant.errors import AssistantError
from code_assistant.events import FilesRestored
from code_assistant.tools.services import ToolServices
from code_assistant.workspace.names import counted, plain_name
from code_assistant.workspace.threads import in_thread, in_thread_to_its_end

if TYPE_CHECKING:
    from code_assistant.checkpoints.differences import SessionChanges

TAKEN_BACK_LINE = (
    "[The person took back file changes: these files are what they were before. Read them again before you rely on "
    "what is in them.]"
)
COMMANDS_WORDS = "What commands changed is not taken back."
MIXED_WORDS = "changed by somebody else in between, which is taken back, too"
NAMED_PATHS = 50


class CannotTakeBack(AssistantError):
    """File changes cannot be taken back at this moment, or in this session."""

    kind = "undo"


class TakingBack:
    """The session's way to its checkpoints; used only while nothing is being worked on."""

    def __init__(self, agent: Agent, services: ToolServices) -> None:
        self._agent = agent
        self._services = services

    async def undo(self, *, leaving: bool) -> Restoration:
        checkpoints = self._checkpoints()
        return await self._restored(lambda: checkpoints.undo(leaving=leaving))

    async def rewind(self, prompt_id: str, *, leaving: bool) -> Restoration:
        checkpoints = self._checkpoints()
        return await self._restored(lambda: checkpoints.rewind(prompt_id, leaving=leaving))

    async def changes(self) -> SessionChanges:
        checkpoints = self._checkpoints()
        return await in_thread(lambda _: checkpoints.changes())

    def _checkpoints(self) -> Checkpoints:
        if self._services.checkpoints is None:
            raise CannotTakeBack("This session keeps no checkpoints, so its file changes cannot be taken back.")
        return self._services.checkpoints

    async def _restored(self, work: Callable[[], Restoration]) -> Restoration:
        done: list[Restoration] = []
        try:
            await in_thread_to_its_end(lambda _: done.append(self._worded(work())))
        finally:
            # Whoever asked may be gone by now; the files are what they are, and the model has to know.
            for restoration in done:
                self._tell(restoration)
        return done[0]

    def _worded(self, restoration: Restoration) -> Restoration:
        return replace(restoration, words=restored_words(restoration, self._shown))

    def _tell(self, restoration: Restoration) -> None:
        for path in restoration.changed:
            self._services.ledger.outdate(path)
        paths = tuple(self._shown(path) for path in restoration.changed)
        if paths:
            self._agent.add_note("\n".join((TAKEN_BACK_LINE, *_listed(paths))))
        self._services.publish(FilesRestored(self._agent.origin, restoration.turns, paths, restoration.words))

    def _shown(self, path: Path) -> str:
        return plain_name(self._services.workspace.show(path))


def restored_words(restoration: Restoration, show: Callable[[Path], str]) -> str:
    """All that came of it, for people."""
    changed = [show(path) for path in restoration.changed]
    head = f"Took back the changes to {counted(len(changed), 'file')}:" if changed else "No file had to be changed."
    lines = [head, *(f"  {name}" for name in _listed(changed))]
    lines += [f"  {plain_name(show(path))}: {MIXED_WORDS}" for path in restoration.mixed]
    if restoration.left:
        lines += ["Left as it is:", *(f"  {problem.told(show)}" for problem in restoration.left)]
    if restoration.failed:
        lines += ["Not taken back; try again:", *(f"  {problem.told(show)}" for problem in restoration.failed)]
    if restoration.ran_commands:
        lines.append(COMMANDS_WORDS)
    return "\n".join(lines)


def _listed(names: Sequence[str]) -> list[str]:
    more = len(names) - NAMED_PATHS
    return [*names[:NAMED_PATHS], *([f"and {more} more"] if more > 0 else [])]
