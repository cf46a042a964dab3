"""What must not be written or created inside of folders that commands may write: where it makes programs run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from code_assistant.workspace.commands.sandbox.git_places import common_folder, named_git_folder
from code_assistant.workspace.commands.sandbox.mount_records import StandIn

GIT = ".git"
# Not even created: programs take orders from these as soon as they are there.
NEVER_CREATED = (GIT, ".code-assistant", ".claude", ".agents", ".mcp.json", ".vscode", ".idea")
# Not changed where they are.
NEVER_CHANGED = (".gitmodules", ".husky", ".githooks", ".envrc", ".devcontainer", ".cursor")
NAMES = (*NEVER_CREATED, *NEVER_CHANGED)
# In a git folder, with what stands in for those that are not there: git must read it as if nothing were.
GIT_PLACES: dict[str, bytes | None] = {"config": b"", "config.worktree": b"", "hooks": None, "commondir": b".\n"}
# What other work trees and submodules take their configuration from.
GIT_NEIGHBOURS = ("modules", "worktrees")
MAXIMUM_ENTRIES = 200


@dataclass(slots=True)
class Protection:
    """The mounts inside of the folders, each list in its order.

    `writable` are bound as they are, `read_only` so that nothing in them changes; of `stand_ins`, which are not there
    yet, nothing can be written either. `fixed` are folders right in which nothing can be made or renamed.
    """

    fixed: list[Path] = field(default_factory=list[Path])
    writable: list[Path] = field(default_factory=list[Path])
    read_only: list[Path] = field(default_factory=list[Path])
    stand_ins: list[StandIn] = field(default_factory=list[StandIn])

    def add_stand_in(self, path: Path, content: bytes | None = None) -> None:
        self.stand_ins.append(StandIn(os.fsencode(path), content))


class Protecting:
    """Looks at folders as they are now; `standing` are places that only stand in for what is not there."""

    def __init__(self, folders: tuple[Path, ...], home: Path, standing: frozenset[bytes]) -> None:
        self._folders = folders
        self._home = home
        self._standing = standing
        self._found = Protection()

    def protection(self) -> Protection:
        for folder in self._folders:
            if self._home != folder and self._home.is_relative_to(folder):
                # Whoever can write all of a home folder, or of everybody's, can do anything.
                self._found.fixed.append(folder)
            elif folder.is_dir():
                self._protect(folder)
        return self._found

    def _protect(self, folder: Path) -> None:
        # A link cannot be mounted upon, so that it could be replaced; and what a shell reads at its start comes in too
        # many names. There the folder itself stays as it is.
        is_fixed = folder == self._home or any((folder / name).is_symlink() for name in NAMES)
        if is_fixed:
            self._found.fixed.append(folder)
            self._found.writable += _entries(folder, with_hidden=folder != self._home)
        else:
            self._found.writable.append(folder)
        for name in NAMES:
            place = folder / name
            if place.is_symlink():
                self._protect_target(Path(os.path.realpath(place)))
            elif self._is_there(place):
                self._protect_present(place)
            elif name in NEVER_CREATED and not is_fixed:
                self._found.add_stand_in(place)

    def _protect_present(self, place: Path) -> None:
        if place.name != GIT:
            self._found.read_only.append(place)
        elif place.is_dir():
            self._protect_git(place)
        else:
            self._found.read_only.append(place)
            self._protect_named_git(place)

    def _protect_named_git(self, file: Path) -> None:
        """A work tree or a submodule: its git folder may lie where it could be written."""
        folder = named_git_folder(file)
        if folder is None or not self._is_writable(folder):
            return
        if not self._is_there(folder):
            self._protect_target(folder)
            return
        common = common_folder(folder)
        if common != folder and self._is_writable(common) and common.is_dir():
            self._protect_git(common)
            self._found.read_only.append(folder)
        else:
            self._protect_git(folder)

    def _protect_git(self, folder: Path) -> None:
        if any((folder / name).is_symlink() for name in (*GIT_PLACES, *GIT_NEIGHBOURS)):
            self._found.read_only.append(folder)
            for name in (*GIT_PLACES, *GIT_NEIGHBOURS):
                if (folder / name).is_symlink():
                    self._protect_target(Path(os.path.realpath(folder / name)))
            return
        # A mount of its own, or it could be renamed and another one put in its place.
        self._found.writable.append(folder)
        for name, content in GIT_PLACES.items():
            if self._is_there(folder / name):
                self._found.read_only.append(folder / name)
            else:
                self._found.add_stand_in(folder / name, content)
        self._found.read_only += [folder / name for name in GIT_NEIGHBOURS if (folder / name).is_dir()]

    def _protect_target(self, target: Path) -> None:
        """Where a link leads to, if that could be written; also where there is nothing yet."""
        if not self._is_writable(target):
            return
        if self._is_there(target):
            self._found.read_only.append(target)
            return
        missing = target
        while not missing.parent.exists():
            missing = missing.parent
        self._found.add_stand_in(missing)

    def _is_there(self, place: Path) -> bool:
        return os.path.lexists(place) and os.fsencode(place) not in self._standing

    def _is_writable(self, place: Path) -> bool:
        return any(place != folder and place.is_relative_to(folder) for folder in self._folders)


def _entries(folder: Path, *, with_hidden: bool) -> Iterator[Path]:
    """What stays writable in a folder that is fixed; nothing where there is too much of it."""
    entries = sorted(
        each for each in folder.iterdir() if not each.is_symlink() and (with_hidden or not each.name.startswith("."))
    )
    return iter(entries if len(entries) <= MAXIMUM_ENTRIES else ())
