"""What the tests of checkpoints share: changing files as the tools do, with a witness, and looking at a folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from code_assistant.checkpoints.checkpoints import Checkpoints
from code_assistant.workspace.changes import ContentChange, apply_content, apply_removal, removal_of
from code_assistant.workspace.threads import StopFlag


def anywhere(_: Path) -> bool:
    """All folders are open."""
    return True


def write(checkpoints: Checkpoints | None, path: Path, content: bytes) -> None:
    """A new file, or another content for one that is there."""
    before = path.read_bytes() if path.exists() else None
    apply_content(ContentChange(path, path.name, before, content), StopFlag(), checkpoints)


def delete(checkpoints: Checkpoints | None, path: Path) -> None:
    apply_removal(removal_of(path, path.name), StopFlag(), checkpoints)


def everything(folder: Path) -> dict[str, object]:
    """All that is below a folder: kinds, modes, contents, where links lead."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        mode = stat.S_IMODE(status.st_mode)
        name = str(path.relative_to(folder))
        if stat.S_ISLNK(status.st_mode):
            found[name] = ("link", os.readlink(path))
        elif stat.S_ISDIR(status.st_mode):
            found[name] = ("folder", mode)
        else:
            found[name] = (mode, path.read_bytes())
    return found
