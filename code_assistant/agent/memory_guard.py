"""What memory files may bring to the model: no more than a tool could read without asking, and no key of ours."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from code_assistant.events import MAIN
from code_assistant.permissions.access import Place, ReadAccess
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.permissions.gate import MAY_BE_SECRET, Gate
from code_assistant.protected_names import KEYS_FILE
from code_assistant.secrets import Masker
from code_assistant.workspace.link_names import names_on_the_way
from code_assistant.workspace.workspace import Workspace

OUTSIDE = "it lies outside of the opened folders."


@dataclass(frozen=True, slots=True)
class MemoryGuard:
    """Nobody is asked while a session starts: what would have to be asked is left out."""

    gate: Gate
    workspace: Workspace
    config_folder: Path
    masker: Masker

    def objection(self, named: Path, real: Path, *, by: Path, own: bool) -> str | None:
        """Why a file is not read, a sentence; None when it may be. `by` is the file that wants it.

        Both its names count, and those of the links between them. `own` is for what the person keeps for all projects.
        """
        normal = Path(os.path.normpath(named))
        place = Place(real, normal, self.workspace.folder_of(real), names_on_the_way(str(named)))
        request = PermissionRequest(MAIN, "", "read_files", ReadAccess(place), f"read {named}")
        decision = self.gate.settled(request)
        if decision is not None:
            return None if decision.allowed else f"{decision.reason}."
        why = self.gate.why_asked(request)
        if why and not (own and why == MAY_BE_SECRET and self._is_of_person(place)):
            return f"it would have to be asked about: {why}."
        return OUTSIDE if place.folder is None and self._may_be_written(by) else None

    def _may_be_written(self, file: Path) -> bool:
        """Whether an agent's commands can write it, so that what it wishes for may be an agent's wish."""
        folders = (*self.workspace.folders, *self.workspace.writable)
        return any(map(file.is_relative_to, folders)) and not self._is_beside_settings(file)

    def _is_of_person(self, place: Place) -> bool:
        """Whether it is one of the person's own files; keys are for nobody."""
        return any(map(self._is_beside_settings, place.names)) and place.path.name != KEYS_FILE

    def _is_beside_settings(self, path: Path) -> bool:
        """There nobody writes but the person, whatever is opened."""
        return any(path.is_relative_to(each) for each in (self.config_folder, os.path.realpath(self.config_folder)))
