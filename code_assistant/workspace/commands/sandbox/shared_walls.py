"""What is kept from the commands of a session: one plan for all of them that run at the same time.

Made anew while another command runs, it would be made of what that one has done to links and folders meanwhile, and
nothing would keep that one from changing places which are walls only for the next.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from code_assistant.private_files import make_private_folder
from code_assistant.workspace.commands.sandbox.held_records import (
    HeldRecords,
    drop_unused,
    keep_promises,
    only_one,
    recorded,
)
from code_assistant.workspace.commands.sandbox.mount_plan import MountPlan
from code_assistant.workspace.commands.sandbox.mount_records import NoRepository, Promise, StandIn, is_git_folder
from code_assistant.workspace.commands.sandbox.policy import Confinement
from code_assistant.workspace.commands.sandbox.protection import Protecting


@dataclass(frozen=True, slots=True)
class Undone:
    """What a command had done that was undone after it, and what could not be."""

    undone: tuple[Promise, ...] = ()
    failed: tuple[Promise, ...] = ()


class SharedWalls:
    """`records` is where all programs of one person keep theirs. All of it waits, so use it in a thread."""

    def __init__(self, records: Path) -> None:
        self.records = records
        self._lock = Lock()
        self._commands = 0
        self._plan = MountPlan()
        self._held = HeldRecords(os.fsencode(records))

    def enter(self, confinement: Confinement) -> MountPlan:
        """For one more command, which `leave`s when none of its processes is left. Raises OSError, WorkspaceError.

        Also for one that is begun again because its walls fell while they were set up. Alone it gets a plan of what is
        there now; beside others the same one, which names the same places: what was replaced there by its like is
        walled off as it is, and for anything else it is better that this one does not run.
        """
        with self._lock:
            if self._commands == 0:
                self._make(confinement)
            else:
                self._make_good()
            self._commands += 1
            return self._plan.as_it_is()

    def undo(self) -> Undone:
        with self._lock:
            undone, failed = self._held.undo()
            return Undone(tuple(undone), tuple(failed))

    def leave(self) -> None:
        """Raises OSError, and then the next command, or the next program, removes what is left."""
        with self._lock:
            self._commands -= 1
            if self._commands == 0:
                self._held.release()

    def _make(self, confinement: Confinement) -> None:
        make_private_folder(self.records)
        folder = os.fsencode(self.records)
        held = HeldRecords(folder)
        try:
            with only_one(folder):
                drop_unused(folder)
                keep_promises(folder)
                standing = (each for each in recorded(folder) if isinstance(each, StandIn))
                plan = Protecting(confinement, frozenset(each.path for each in standing if each.is_there())).plan()
                for record in (*plan.stand_ins, *plan.links.values(), *_no_repositories(confinement.folders)):
                    held.take(record)
        except BaseException:
            held.release()
            raise
        self._plan, self._held = plan, held

    def _make_good(self) -> None:
        """What somebody has removed since, and nobody is to make."""
        missing = [each for each in (*self._plan.stand_ins, *self._plan.when_gone.values()) if not _is_something(each)]
        if missing:
            with only_one(os.fsencode(self.records)):
                for each in missing:
                    self._held.take(each, anew=True)


def _is_something(stand_in: StandIn) -> bool:
    return os.path.lexists(stand_in.path)


def _no_repositories(folders: Iterable[Path]) -> list[NoRepository]:
    return [NoRepository(path) for path in map(os.fsencode, folders) if not is_git_folder(path)]
