"""The words that stand before a command, so that bubblewrap runs it between walls."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from code_assistant.workspace.commands.sandbox.policy import Confinement
from code_assistant.workspace.commands.sandbox.protection import Protection
from code_assistant.workspace.commands.supervision.wire import LIFE_LINE

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
NAMESPACES = ("--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
# Runs the words after it, beside a process that is no child of theirs and ends all there is in the sandbox.
GUARD = (
    *("/bin/sh", "-c"),
    f"((trap '' TERM HUP INT; read -r _ <&{LIFE_LINE} || kill -KILL -1) </dev/null >/dev/null 2>&1 &); "
    f'exec {LIFE_LINE}<&-; exec "$@"',
    "sh",
)


def bubblewrap_words(
    program: str, confinement: Confinement, protection: Protection, empty: Path, folder: Path
) -> tuple[str, ...]:
    """Later mounts lie over earlier ones. `empty` is an empty folder, `folder` is where the command runs."""
    words = [program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    words += _kernel_settings()
    words += _services()
    if TEMPORARY not in confinement.folders:
        words += ("--bind", str(confinement.temporary), str(TEMPORARY))
    seen = () if confinement.is_read_only else (*protection.writable, *confinement.others)
    words += _below_a_cover((*confinement.folders, folder))
    words += _binds("--bind", seen)
    words += _binds("--ro-bind", protection.read_only)
    words += _stand_ins(protection, empty)
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


def _binds(option: str, places: Iterable[Path]) -> Iterator[str]:
    for place in dict.fromkeys(places):
        if os.path.lexists(place):
            yield from (option, str(place), str(place))


def _stand_ins(protection: Protection, empty: Path) -> Iterator[str]:
    for stand_in in protection.stand_ins:
        path = os.fsdecode(stand_in.path)
        # Where none could be made, nothing can be.
        if os.path.lexists(path):
            yield from ("--ro-bind", path if stand_in.content is not None else str(empty), path)


def _hidden(places: Iterable[Path], empty: Path) -> Iterator[str]:
    for place in places:
        # Not /dev/null: a device that may not be opened breaks programs which would do without the file.
        yield from ("--ro-bind", str(empty if place.is_dir() else empty.with_name(NOTHING)), str(place))
