"""Which walls commands of agents can have here."""

from __future__ import annotations

import tempfile
from pathlib import Path

from code_assistant.doctor.finding import Finding, note, ok
from code_assistant.workspace.commands.sandbox.detection import bubblewrap_works, find_bubblewrap, landlock_works
from code_assistant.workspace.commands.sandbox.policy import Confinement

INSTALL = "Install bubblewrap (bwrap) with your system's packages"
FORBIDDEN = "bubblewrap is there but may not be used: the system forbids user namespaces (AppArmor, a container?)"
LANDLOCK = (
    "Landlock keeps commands from writing outside of the workspace, but it hides no keys and leaves .git/config "
    "open, and read-only agents get no commands"
)
NONE = "commands of agents can do all that you can; every one that is not proved to only read asks"


def check_sandbox(*, turned_off_by: str = "") -> Finding:
    if turned_off_by:
        return note("sandbox", f"turned off by {turned_off_by}: {NONE}.")
    program = find_bubblewrap()
    if program is not None and _works(program):
        return ok("sandbox", program)
    lack = f"{FORBIDDEN}." if program is not None else f"{INSTALL}."
    return note("sandbox", f"{LANDLOCK if landlock_works() else NONE}. {lack}")


def _works(program: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        confinement = Confinement((), place, Path("/"), is_read_only=True, has_network=False)
        return bubblewrap_works(program, confinement, place)
