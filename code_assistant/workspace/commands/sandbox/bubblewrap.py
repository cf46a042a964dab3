"""The words that stand before a command, so that bubblewrap runs it between walls."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from code_assistant.workspace.commands.sandbox.mount_plan import MountPlan
from code_assistant.workspace.commands.sandbox.policy import Confinement

TEMPORARY = Path("/tmp")
# The name of an empty file, beside the empty folder.
NOTHING = "nothing"
# Where sockets of services live that do on demand what a command may not: start containers, start units, sign.
SERVICES = (Path("/run"), Path("/var/run"))
# Of these, what names are resolved with, and where some systems keep programs and disks.
KEPT_OF_SERVICES = ("systemd/resolve", "resolvconf", "NetworkManager", "media", "current-system", "opengl-driver")
# Of /proc: what is written there counts for the whole machine, and root may write it.
KERNEL_SETTINGS = ("sys", "sysrq-trigger", "irq", "bus", "fs")
# Not --die-with-parent: what a command leaves running would be gone with it, unsaid; the keeper ends all of it.
NAMESPACES = ("--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")


def bubblewrap_words(
    program: str, confinement: Confinement, plan: MountPlan, empty: Path, folder: Path
) -> tuple[str, ...]:
    """Later mounts lie over earlier ones. `empty` is an empty folder, `folder` is where the command runs."""
    words = [program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    words += _kernel_settings()
    words += _services()
    if TEMPORARY not in confinement.folders:
        words += ("--bind", str(confinement.temporary), str(TEMPORARY))
    words += _below_a_cover((*confinement.folders, folder))
    if not confinement.is_read_only:
        words += _planned(plan, confinement.others)
        words += _stand_ins(plan, empty)
    words += _hidden(confinement.hidden, empty)
    words += NAMESPACES
    if not confinement.has_network:
        words.append("--unshare-net")
    words += ("--cap-drop", "ALL", "--setenv", "TMPDIR", str(TEMPORARY), "--chdir", str(folder), "--")
    return tuple(words)


def _kernel_settings() -> Iterator[str]:
    for name in KERNEL_SETTINGS:
        place = Path("/proc") / name
        if place.exists():
            yield from ("--ro-bind", str(place), str(place))


def _services() -> Iterator[str]:
    for place in SERVICES:
        if place.is_dir() and not place.is_symlink():
            yield from ("--tmpfs", str(place))
            for name in KEPT_OF_SERVICES:
                yield from ("--ro-bind-try", str(place / name), str(place / name))


def _below_a_cover(folders: Iterable[Path]) -> Iterator[str]:
    """What another mount has covered is brought back, to be read."""
    covers = (TEMPORARY, *SERVICES)
    for folder in dict.fromkeys(folders):
        if any(folder.is_relative_to(cover) for cover in covers) and folder not in covers:
            yield from ("--ro-bind", str(folder), str(folder))


def _planned(plan: MountPlan, others: Iterable[Path]) -> Iterator[str]:
    for place, is_writable in plan.in_order(others):
        if os.path.lexists(place):
            yield from ("--bind" if is_writable else "--ro-bind", str(place), str(place))


def _stand_ins(plan: MountPlan, empty: Path) -> Iterator[str]:
    for stand_in in plan.stand_ins:
        path = os.fsdecode(stand_in.path)
        # Where none could be made, nothing can be.
        if os.path.lexists(path):
            yield from ("--ro-bind", path if stand_in.content is not None else str(empty), path)


def _hidden(places: Iterable[Path], empty: Path) -> Iterator[str]:
    for place in places:
        # Not /dev/null: a device that may not be opened breaks programs which would do without the file.
        yield from ("--ro-bind", str(empty if place.is_dir() else empty.with_name(NOTHING)), str(place))
