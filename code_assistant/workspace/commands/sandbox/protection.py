"""What must not be written or created inside of folders that commands may write: where it makes programs run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.protected_names import GIT, HOME_PLACES, NEVER_CHANGED, NEVER_CREATED, STARTUP_FILES
from code_assistant.workspace.commands.sandbox.git_places import (
    Named,
    common_folder,
    named_by_person,
    named_by_repository,
    named_git_folder,
    repository_around,
)
from code_assistant.workspace.commands.sandbox.mount_plan import Mount, MountPlan
from code_assistant.workspace.commands.sandbox.mount_records import StandIn, is_git_folder
from code_assistant.workspace.commands.sandbox.policy import Confinement
from code_assistant.workspace.link_names import turns_on_the_way

NAMES = (*NEVER_CREATED, *NEVER_CHANGED)
# What the walls themselves are made of is never opened, whoever named it.
OUTERMOST = (Path("/"), Path("/run"), Path("/var/run"))
SHARED_MEMORY = Path("/dev/shm")
KERNEL_FOLDERS = (Path("/dev"), Path("/proc"), Path("/sys"))
# In a git folder, with what stands in for those that are not there: git must read it as if nothing were.
GIT_PLACES: dict[str, bytes | None] = {"config": b"", "config.worktree": b"", "hooks": None, "commondir": b".\n"}
# What other work trees and submodules take their configuration from.
GIT_NEIGHBOURS = ("modules", "worktrees")
# In these is much, and nothing that git acts upon.
GIT_STORES = frozenset({"objects", "refs", "logs"})
# Each takes its time, and bubblewrap takes a few thousand.
MAXIMUM_MOUNTS = 300
# With the folders above them; and how many links are followed, which takes time before each command.
MAXIMUM_PLACES = 2000
MAXIMUM_TURNS = 10_000
TOO_MUCH = "More places have to be protected because of {0} than can be; see what links and git's configuration name."
LONGEST_NAME = 255
# How many entries are looked at for links, and how many folders deep, in each protected place; one that lies where
# nothing can be written leads into what can be written at most by links of its own.
INSIDE, OUTSIDE = (3000, 30), (300, 2)


class Protecting:
    """Looks at folders as they are now; `standing` are places that only stand in for what is not there."""

    def __init__(self, confinement: Confinement, standing: frozenset[bytes] = frozenset()) -> None:
        self._confinement = confinement
        self._home = confinement.home
        self._standing = standing
        self._plan = MountPlan()
        self._seen: set[Path] = set()
        self._turns = 0

    def plan(self) -> MountPlan:
        named = (*self._confinement.folders, *self._confinement.others)
        for folder in sorted(set(named), key=lambda each: len(each.parts)):
            if _can_be_mounted(folder):
                self._add_root(folder)
        if self._home in self._plan.roots and self._plan.is_writable(self._home):
            # What a shell reads at its start comes in too many names, so that nothing new can be there.
            self._fix(self._home, lambda name: name == GIT or not name.startswith("."))
        if not self._confinement.is_read_only:
            self._protect_all()
        return self._plan

    def _add_root(self, folder: Path) -> None:
        """One inside of another must stay where it is, or the next command would find a link in its place."""
        if Path(os.path.realpath(folder)) != folder:
            if folder not in self._confinement.folders:
                # Made by somebody since; what lies below an opened folder can be written without being named.
                return
            raise WorkspaceError(f"{folder} is reached through a link now, which it was not before.")
        # Whoever can write all of a home folder, or of everybody's, can do anything.
        is_above_home = folder != self._home and self._home.is_relative_to(folder)
        is_own = any(folder.is_relative_to(os.path.realpath(own)) for own in self._confinement.own)
        self._plan.hold_in_place(folder)
        is_closed = self._confinement.is_read_only or is_above_home or is_own
        self._plan.add_root(folder, Mount.READ_ONLY if is_closed else Mount.WRITABLE)

    def _protect_all(self) -> None:
        for folder in self._confinement.folders:
            if self._plan.mounts.get(folder) in (Mount.WRITABLE, Mount.FIXED):
                self._protect_names(folder)
        for place in self._confinement.own:
            self._protect(place)
        # By texts, as there are many: all of it is looked at before each command.
        opened = tuple(f"{root}/" for root in self._plan.roots if self._plan.is_writable(root))
        for place in (f"{self._home}/{name}" for name in (*STARTUP_FILES, *HOME_PLACES)):
            if os.path.lexists(place) and os.fsencode(place) not in self._standing:
                # A person who keeps them in a repository has links to it.
                self._protect(Path(place))
            elif place.startswith(opened):
                self._keep_from_being_made(Path(place))

    def _protect_names(self, folder: Path) -> None:
        for name in NAMES:
            place = folder / name
            if name == GIT:
                self._protect_repository(place)
            elif self._is_there(place):
                self._protect(place, may_vanish=name not in NEVER_CREATED)
            elif name in NEVER_CREATED:
                self._keep_from_being_made(place)
        if is_git_folder(os.fsencode(folder)):
            self._protect_git_folder(folder, folder)
        tree, git_folder = repository_around(folder) or (folder, folder / GIT)
        if tree != folder:
            self._protect_git_folder(git_folder, tree)
        self._protect_named(named_by_person(git_folder, tree, self._home))

    def _protect_named(self, named: Iterable[Named]) -> None:
        for place, is_file in named:
            self._protect(place, b"" if is_file else None)

    def _protect(self, place: Path, content: bytes | None = None, *, may_vanish: bool = False) -> None:
        """It cannot be changed under this name, nor where it really is, nor can what links inside of it lead to.

        `content` is what stands in for a file; None for a folder. What `may_vanish` may be made by a command then.
        """
        real = self._kept_way_to(place)
        # A link that leads nowhere but to itself is kept as it is.
        if real in self._seen or real in self._plan.roots or os.path.islink(real):  # noqa: PTH114 - of any length
            return
        self._seen.add(real)
        if len(self._seen) > MAXIMUM_PLACES or len(self._plan.mounts) > MAXIMUM_PLACES:
            raise WorkspaceError(TOO_MUCH.format(place.parent))
        is_writable = self._plan.is_writable(real)
        if is_writable and not self._is_there(real):
            self._keep_from_being_made(real, content)
            return
        if is_writable:
            self._plan.hold_in_place(real)
            self._plan.add(walled := self._affordable(real), Mount.READ_ONLY)
            if not may_vanish:
                self._plan.when_gone[walled] = StandIn(os.fsencode(walled), self._content_when_gone(walled, content))
        for link in _links_below(real, *(INSIDE if is_writable else OUTSIDE)):
            # From outside only what leads back: the rest of the system is not looked through.
            if is_writable or self._plan.is_writable(self._kept_way_to(link)):
                self._protect(link)

    def _content_when_gone(self, place: Path, content: bytes | None) -> bytes | None:
        """Of the same kind: whoever replaces a file in two steps must find nothing else in its place. But git, for whom
        there is no empty folder, would take a file for the person's: commit it, or not switch branches because of it.
        """
        was_file = content is None and place.is_file() and repository_around(place.parent) is None
        return b"" if was_file else content

    def _affordable(self, real: Path) -> Path:
        """Beyond a number of mounts that each command can wait for, all of what lies in the opened folder."""
        if len(self._plan.mounts) < MAXIMUM_MOUNTS:
            return real
        root = next(each for each in real.parents if each in self._plan.roots)
        return root / real.relative_to(root).parts[0]

    def _kept_way_to(self, place: Path) -> Path:
        """Where a place really is, in whatever way it is reached, which stays as it is."""
        for turn, is_link in turns_on_the_way(str(place)):
            self._turns += 1
            if self._turns > MAXIMUM_TURNS:
                raise WorkspaceError(TOO_MUCH.format(place.parent))
            folder = turn.parent if is_link else turn
            if self._plan.is_writable(folder):
                self._plan.hold_in_place(folder)
                self._plan.add(folder, Mount.WRITABLE)
                if is_link:
                    self._plan.keep_link(turn)
        return Path(os.path.realpath(place))

    def _fix(self, folder: Path, stays_writable: Callable[[str], bool] = lambda name: True) -> None:
        self._plan.add(folder, Mount.FIXED)
        # What only stands in for something may have been left here by a command before.
        own = (each for each in folder.iterdir() if not each.is_symlink() and self._is_there(each))
        entries = sorted(each for each in own if stays_writable(each.name))
        for entry in entries if len(entries) <= MAXIMUM_MOUNTS else ():
            self._plan.add(entry, Mount.WRITABLE)

    def _keep_from_being_made(self, place: Path, content: bytes | None = None) -> None:
        missing = place
        while not os.path.lexists(missing.parent):
            missing = missing.parent
        if not self._plan.is_writable(missing) or len(os.fsencode(missing.name)) > LONGEST_NAME:
            return
        if not missing.parent.is_dir():
            # A file, below which nothing can be as long as it stays.
            self._plan.hold_in_place(missing.parent)
            self._plan.add(missing.parent, Mount.WRITABLE)
            return
        self._plan.hold_in_place(missing)
        if os.access(missing.parent, os.W_OK):
            self._plan.add_stand_in(missing, content if missing == place else None)
        else:
            # Nothing can stand in for it, but whoever owns the folder can give himself the right.
            self._fix(missing.parent)

    def _protect_repository(self, place: Path) -> None:
        if not place.is_symlink() and not self._is_there(place):
            self._keep_from_being_made(place)
            return
        if place.is_dir():
            self._protect_git_folder(place, place.parent)
            return
        self._protect(place)
        if (named := named_git_folder(place)) is not None:
            self._protect_git_folder(named, place.parent)

    def _protect_git_folder(self, place: Path, tree: Path) -> None:
        """That of a work tree or a submodule may lie where it could be written, and so may what it is a part of."""
        folder = self._kept_way_to(place)
        common = self._kept_way_to(common_folder(folder))
        if common != folder:
            self._protect(folder)
            self._protect_named(named_by_repository(folder, tree, self._home))
        if common.is_dir():
            self._protect_git(common, tree)
        else:
            self._protect(common)

    def _protect_git(self, folder: Path, tree: Path) -> None:
        self._protect_named(named_by_repository(folder, tree, self._home))
        is_writable = self._plan.is_writable(folder)
        if is_writable:
            # A mount of its own, or it could be renamed and another one put in its place.
            self._plan.hold_in_place(folder)
            self._plan.add(folder, Mount.WRITABLE)
        for name, content in GIT_PLACES.items():
            if self._is_there(folder / name):
                # Where it cannot be written itself, links may lead from it to where it can.
                self._protect(folder / name, content)
            elif is_writable:
                self._keep_from_being_made(folder / name, content)
        for name in GIT_NEIGHBOURS:
            if (folder / name).is_dir():
                self._protect(folder / name)

    def _is_there(self, place: Path) -> bool:
        if os.fsencode(place) in self._standing:
            return False
        # An empty one is no repository: it stands in for one, for a program that keeps its records elsewhere.
        return os.path.lexists(place) and not (place.name == GIT and _is_empty_folder(place))


def _links_below(place: Path, most: int, depth: int) -> Iterator[Path]:
    """The nearest first, and no more than can be looked at before each command."""
    waiting = [(place, depth)] if place.is_dir() else []
    for folder, levels in waiting:
        try:
            with os.scandir(folder) as entries:
                found = list(entries)
        except OSError:
            # Not to be looked into by a command either.
            continue
        most -= len(found)
        if most < 0:
            return
        for entry in found:
            if entry.is_symlink():
                yield Path(entry.path)
            elif levels > 1 and entry.is_dir(follow_symlinks=False) and entry.name not in GIT_STORES:
                waiting.append((Path(entry.path), levels - 1))


def _can_be_mounted(folder: Path) -> bool:
    is_of_kernel = any(folder.is_relative_to(each) for each in KERNEL_FOLDERS)
    return folder.is_dir() and folder not in OUTERMOST and (not is_of_kernel or SHARED_MEMORY in folder.parents)


def _is_empty_folder(place: Path) -> bool:
    return place.is_dir() and not place.is_symlink() and not any(place.iterdir())
