"""What is mounted inside of the folders that commands may write, and in which order."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from code_assistant.workspace.commands.sandbox.mount_records import StandIn


class Mount(IntEnum):
    """The stronger one counts where two are wanted for one place.

    WRITABLE is as it is, but a mount of its own, which cannot be renamed or replaced. In a FIXED folder nothing can be
    made or renamed, what is in it can be mounted writable. READ_ONLY goes for all that is below.
    """

    WRITABLE = 1
    FIXED = 2
    READ_ONLY = 3


@dataclass(slots=True)
class MountPlan:
    """`stand_ins` are not there yet; of them nothing can be written either."""

    mounts: dict[Path, Mount] = field(default_factory=dict[Path, Mount])
    stand_ins: list[StandIn] = field(default_factory=list[StandIn])

    def add(self, path: Path, mount: Mount) -> None:
        self.mounts[path] = max(mount, self.mounts.get(path, mount))

    def add_stand_in(self, path: Path, content: bytes | None = None) -> None:
        self.stand_ins.append(StandIn(os.fsencode(path), content))

    def ground_of(self, place: Path) -> Path | None:
        """The nearest mount that this place lies below, or is; None where it could not be written."""
        ground = next((each for each in (place, *place.parents) if each in self.mounts), None)
        return None if ground is None or self.mounts[ground] is not Mount.WRITABLE else ground

    def in_order(self, others: Iterable[Path] = ()) -> Iterator[tuple[Path, bool]]:
        """Each place, and whether it can be written: outer ones first, as later mounts lie over earlier ones."""
        wanted = {**dict.fromkeys(others, Mount.WRITABLE), **self.mounts}
        closed = {place for place, mount in wanted.items() if mount is Mount.READ_ONLY}
        for place in sorted(wanted, key=lambda each: len(each.parts)):
            if closed.isdisjoint(place.parents):
                yield place, wanted[place] is Mount.WRITABLE
