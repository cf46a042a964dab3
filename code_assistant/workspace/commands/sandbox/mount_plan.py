"""What is mounted over the system that commands see read-only, and in which order."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from pathlib import Path

from code_assistant.workspace.commands.sandbox.mount_records import KeptLink, StandIn


class Mount(IntEnum):
    """The stronger one counts where two are wanted for one place.

    WRITABLE is as it is, but a mount of its own, which cannot be renamed or replaced. In a FIXED folder nothing can be
    made or renamed, what is in it can be mounted writable. READ_ONLY and COVERED go for all that is below, but for
    roots.
    """

    WRITABLE = 1
    FIXED = 2
    READ_ONLY = 3
    COVERED = 4


@dataclass(slots=True)
class MountPlan:
    """`roots` are the folders that the person named, `stand_ins` what is not there yet and must not be made.

    `links` cannot be mounted upon: a command can replace them, and they are put back. `when_gone` is what has to stand
    in for a place that somebody removes while the command runs.
    """

    mounts: dict[Path, Mount] = field(default_factory=dict[Path, Mount])
    roots: set[Path] = field(default_factory=set[Path])
    stand_ins: list[StandIn] = field(default_factory=list[StandIn])
    links: dict[Path, KeptLink] = field(default_factory=dict[Path, KeptLink])
    when_gone: dict[Path, StandIn] = field(default_factory=dict[Path, StandIn])

    def add(self, path: Path, mount: Mount) -> None:
        self.mounts[path] = max(mount, self.mounts.get(path, mount))

    def add_root(self, path: Path, mount: Mount) -> None:
        self.roots.add(path)
        self.add(path, mount)

    def add_stand_in(self, path: Path, content: bytes | None = None) -> None:
        stand_in = StandIn(os.fsencode(path), content)
        # Of folders inside of each other both can want it.
        if stand_in not in self.stand_ins:
            self.stand_ins.append(stand_in)

    def kind_of_stand_in(self, place: Path) -> bytes:
        stand_in = self.when_gone.get(place)
        return b"" if stand_in is None else stand_in.kind

    def keep_link(self, path: Path) -> None:
        # Not by pathlib, which would spell it differently.
        self.links[path] = KeptLink(os.fsencode(path), os.readlink(os.fsencode(path)))  # noqa: PTH115

    def covering(self, hidden: Iterable[Path]) -> MountPlan:
        """With this in addition, which nobody is to read."""
        plan = replace(self, mounts=dict(self.mounts))
        for place in hidden:
            plan.hold_in_place(place)
            plan.add(place, Mount.COVERED)
        return plan

    def as_it_is(self) -> MountPlan:
        """Without places that are gone since it was made, unless something has to stand in for them."""
        kept = {
            place: mount for place, mount in self.mounts.items() if place in self.when_gone or os.path.lexists(place)
        }
        return replace(self, mounts=kept)

    def hold_in_place(self, place: Path) -> None:
        """A folder above could be renamed and another one put in its place, were it not a mount."""
        between: list[Path] = []
        for folder in place.parents:
            if folder in self.mounts:
                if self.mounts[folder] is Mount.WRITABLE:
                    self.mounts |= dict.fromkeys(between, Mount.WRITABLE)
                return
            between.append(folder)

    def is_writable(self, place: Path) -> bool:
        nearest = next((each for each in (place, *place.parents) if each in self.mounts), None)
        return nearest is not None and self.mounts[nearest] is Mount.WRITABLE

    def in_order(self) -> Iterator[tuple[Path, Mount]]:
        """Outer ones first, as later mounts lie over earlier ones."""
        for place in sorted(self.mounts, key=lambda each: len(each.parts)):
            mount = self.mounts[place]
            around = Mount.WRITABLE if place in self.roots else self._around(place)
            if around < Mount.READ_ONLY or around < mount:
                yield place, mount

    def holds_a_root(self, place: Path) -> bool:
        return any(place in root.parents for root in self.roots)

    def _around(self, place: Path) -> Mount:
        """What counts for this place because of something above it."""
        for folder in place.parents:
            if self.mounts.get(folder, Mount.WRITABLE) >= Mount.READ_ONLY:
                return self.mounts[folder]
            if folder in self.roots:
                break
        return Mount.WRITABLE
