"""What walls can be had here: looked for by trying, because what is installed may still be forbidden."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

from code_assistant.workspace.commands.environment import SYSTEM_FOLDERS
from code_assistant.workspace.commands.sandbox.bubblewrap import USERS, bubblewrap_words, planned_walls
from code_assistant.workspace.commands.sandbox.policy import Confinement
from code_assistant.workspace.commands.sandbox.protection import Protecting

SECONDS_TO_TRY = 5.0
NOTHING_TO_DO = "/bin/true"


def find_bubblewrap() -> str | None:
    """Only from where the system keeps its programs: never from a path that somebody else can have written."""
    for folder in SYSTEM_FOLDERS:
        program = Path(folder) / "bwrap"
        if program.is_file() and os.access(program, os.X_OK) and not _is_writable_by_others(program):
            return str(program)
    return None


def bubblewrap_works(program: str, confinement: Confinement, empty: Path) -> bool:
    """See `start_of_bubblewrap`."""
    return start_of_bubblewrap(program, confinement, empty) is not None


def start_of_bubblewrap(program: str, confinement: Confinement, empty: Path) -> tuple[str, ...] | None:
    """How it is called so that it works, with all that a command needs, in a sandbox without a network; None when it
    does not. Waits, so use it in a thread.
    """
    plan = Protecting(confinement).plan().covering(confinement.hidden)
    walls = tuple(planned_walls(plan, empty))
    starts = ((program, *users) for users in USERS)
    return next((each for each in starts if _runs(bubblewrap_words(each, confinement, plan, walls, Path("/")))), None)


def _runs(words: tuple[str, ...]) -> bool:
    try:
        tried = subprocess.run(
            [*words, NOTHING_TO_DO],
            cwd="/",
            env={},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS_TO_TRY,
            check=False,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0


def gains_rights(program: str) -> bool:
    """Whether it runs with more than its caller has, which the kernel's walls do not let happen."""
    is_setuid = bool(Path(program).stat().st_mode & stat.S_ISUID)
    return is_setuid or "security.capability" in os.listxattr(program)


def landlock_works() -> bool:
    from code_assistant.workspace.commands.supervision.landlock import version

    return version() > 0


def _is_writable_by_others(program: Path) -> bool:
    status = program.stat()
    return status.st_uid != 0 or bool(stat.S_IMODE(status.st_mode) & stat.S_IWOTH)
