"""The words that stand before a command, so that bubblewrap runs it between walls."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.commands.sandbox.mount_plan import Mount, MountPlan
from code_assistant.workspace.commands.sandbox.policy import Confinement
from code_assistant.workspace.commands.supervision.wire import (
    CLOSED,
    COVERED,
    KEPT_LINK,
    LIFE_LINE,
    READ_ONLY,
    STANDING,
    WALLS_STAND,
    WAY,
    WRITABLE,
    KeptWall,
)

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
# Should the keeper be killed with all that would do its work, the guard does.
NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
# The first that works. In mounts of a command's own making, walls that fall could not be put back.
USERS = (("--unshare-user", "--disable-userns"), ("--unshare-user-try",))
# Says that all walls stand and waits until that was looked at. Then it runs the words after it, beside a process that
# is no child of theirs and ends all there is in the sandbox.
GUARD = (
    *("/bin/sh", "-c"),
    f"echo >&{WALLS_STAND}; exec {WALLS_STAND}>&-; read -r _ <&{LIFE_LINE} || exit; "
    f"((trap '' TERM HUP INT; read -r _ <&{LIFE_LINE} || kill -KILL -1) </dev/null >/dev/null 2>&1 &); "
    f'exec {LIFE_LINE}<&-; exec "$@"',
    "sh",
)


def bubblewrap_words(
    start: Iterable[str], confinement: Confinement, plan: MountPlan, walls: Iterable[KeptWall], folder: Path
) -> tuple[str, ...]:
    """Later mounts lie over earlier ones. `walls` are those of the plan, `folder` is where the command runs; `start` is
    the program and which `USERS` it has.
    """
    words = [*start, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    words += _kernel_settings()
    words += _services()
    if TEMPORARY not in plan.roots:
        words += ("--bind", str(confinement.temporary), str(TEMPORARY))
        words += _ways_below_temporary((*sorted(plan.roots), folder), confinement.temporary)
    if _is_out_of_sight(folder, plan):
        words += ("--ro-bind", str(folder), str(folder))
    words += _mounted(walls)
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


def _ways_below_temporary(places: Iterable[Path], temporary: Path) -> Iterator[str]:
    """What lies between /tmp and an opened folder is made in the command's own /tmp, where the next command must find
    it as it was: as a mount it cannot be renamed. Raises WorkspaceError where something else is in its place.
    """
    between = (each for place in places for each in place.parents if TEMPORARY in each.parents)
    for way in sorted(set(between), key=lambda each: len(each.parts)):
        made = temporary / way.relative_to(TEMPORARY)
        with suppress(FileExistsError):
            made.mkdir(mode=0o700)
        if made.is_symlink() or not made.is_dir():
            raise WorkspaceError(f"a command has put something else in the place of {way}")
        yield from ("--bind", str(made), str(way))


def _is_out_of_sight(place: Path, plan: MountPlan) -> bool:
    """Whether another mount has covered it, and no folder that the person named brings it back."""
    is_covered = any(cover in place.parents and cover not in plan.roots for cover in (TEMPORARY, *SERVICES))
    return is_covered and plan.roots.isdisjoint((place, *place.parents))


def planned_walls(plan: MountPlan, empty: Path) -> Iterator[KeptWall]:
    """In the order in which they are mounted; what is not mounted at the end."""
    for place, mount in plan.in_order():
        path = os.fsencode(place)
        if mount is Mount.COVERED and plan.holds_a_root(place):
            yield KeptWall(STANDING, path)
        elif mount is Mount.COVERED:
            if not _is_out_of_sight(place, plan):
                # Not /dev/null: a device that may not be opened breaks programs which would do without the file.
                yield KeptWall(COVERED, path, source=_nothing(place, empty))
        else:
            access = WRITABLE if mount is Mount.WRITABLE else CLOSED
            yield KeptWall(_kind(place, plan), path, plan.kind_of_stand_in(place), path, access)
    for stand_in in plan.stand_ins:
        # Where none could be made, nothing can be; one that somebody has just removed bubblewrap makes again, or fails.
        if os.path.lexists(stand_in.path) or os.access(os.path.dirname(stand_in.path), os.W_OK):  # noqa: PTH120 - bytes
            source = os.fsencode(empty) if stand_in.content is None else stand_in.path
            yield KeptWall(READ_ONLY, stand_in.path, stand_in.kind, source)
    for link in plan.links.values():
        yield KeptWall(KEPT_LINK, link.path, link.target)


def _kind(place: Path, plan: MountPlan) -> bytes:
    """What would be open to a command should somebody replace it outside."""
    if place in plan.roots or not plan.is_writable(place.parent):
        return STANDING
    return READ_ONLY if plan.mounts[place] is Mount.READ_ONLY else WAY


def _nothing(place: Path, empty: Path) -> bytes:
    return os.fsencode(empty if place.is_dir() else empty.with_name(NOTHING))


def _mounted(walls: Iterable[KeptWall]) -> Iterator[str]:
    for wall in walls:
        if wall.kind == KEPT_LINK:
            continue
        if not wall.source:
            yield from ("--tmpfs", os.fsdecode(wall.path))
        else:
            option = "--bind" if wall.access == WRITABLE else "--ro-bind"
            yield from (option, os.fsdecode(wall.source), os.fsdecode(wall.path))
