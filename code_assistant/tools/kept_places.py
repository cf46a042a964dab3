"""What rules keep of what lies below the folders that a command changes or reads as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from code_assistant.permissions.access import Place
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.hidden_paths import HiddenPaths
from code_assistant.tools.command_changes import Changes
from code_assistant.tools.command_places import CommandPlaces
from code_assistant.tools.kept_files import KeptFiles, resolved
from code_assistant.workspace.workspace import Workspace

# What lies in these was brought by a tool: a rule for a name that is meant for one's own files finds many there.
BROUGHT = frozenset({"node_modules", "bower_components", ".venv", "venv", ".tox", ".nox", "site-packages"})
NOT_REWORKED = BROUGHT | {".git"}


@dataclass(frozen=True, slots=True)
class KeptPlaces:
    """`doubtful` are those that could be changed; `is_cut` when more lies below what is changed than was looked at."""

    changed: tuple[Place, ...]
    doubtful: tuple[Place, ...]
    read: tuple[Place, ...]
    is_cut: bool


def kept_places(places: CommandPlaces, gate: Gate, workspace: Workspace) -> KeptPlaces:
    """For any thread."""
    unchangeable, hidden = gate.unchangeable(), gate.hidden()
    reading = KeptFiles()
    read: list[Path] = []
    if hidden is not None:
        for place, is_passed, excluded in places.walks:
            read += reading.below(place.path, hidden, passes_hidden=is_passed, without=excluded)
    if unchangeable is None:
        return KeptPlaces((), (), _places(read, workspace), is_cut=False)
    changing = _Changing(unchangeable, workspace)
    changing.look_at(places.changes)
    changed, doubtful = _places(changing.changed, workspace), _places(changing.doubtful, workspace)
    return KeptPlaces(changed, doubtful, _places(read, workspace), changing.files.is_cut)


class _Changing:
    """Looks for what is kept from being changed."""

    def __init__(self, is_kept: HiddenPaths, workspace: Workspace) -> None:
        self._is_kept = is_kept
        self._workspace = workspace
        self.files = KeptFiles()
        self.changed: list[Path] = []
        self.doubtful: list[Path] = []

    def look_at(self, changes: Changes) -> None:
        for place in changes.uprooted:
            self._note(self.files.below(place.path, self._is_kept))
        for place, only in changes.sifted:
            if only is not None and self._is_kept(place.path) and only.means(place.path, place.path):
                self._note([place.path])
            self._note(self.files.below(place.path, self._is_kept, only=only))
        for source, target in changes.merged:
            self._note(self.files.merged(source.path, target.path, self._is_kept_there))
        # Of what a tool changes only by certain names, what lies deep down is not worth a question.
        named = KeptFiles()
        for place, only in changes.reworked:
            files = self.files if only is None else named
            self.doubtful += files.below(place.path, self._is_kept, only=only, without=NOT_REWORKED)

    def _is_kept_there(self, path: Path) -> bool:
        """A rule for a name anywhere is not about a copy that does not replace anything."""
        return self._is_kept.is_anchored(path) or (self._is_kept(path) and os.path.lexists(path))

    def _note(self, paths: Iterable[Path]) -> None:
        for path in paths:
            (self.changed if self._is_meant(path) else self.doubtful).append(path)

    def _is_meant(self, path: Path) -> bool:
        """Whether it is one of the person's own files, or a rule says where it is."""
        folder = self._workspace.folder_of(path)
        own = folder is not None and BROUGHT.isdisjoint(path.parent.relative_to(folder).parts)
        return own or self._is_kept.is_anchored(path)


def _places(paths: Iterable[Path], workspace: Workspace) -> tuple[Place, ...]:
    return tuple(Place(resolved(path), path, workspace.folder_of(path)) for path in paths)
