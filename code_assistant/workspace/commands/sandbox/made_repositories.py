"""A command can make a folder into a repository without a `.git`: with HEAD, objects and refs right in it.

Nothing can stand in for these names, which everybody would see. So it is looked for after the command, and undone:
whoever used git in the folder would run what its configuration names.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from code_assistant.workspace.commands.sandbox.git_places import is_git_folder
from code_assistant.workspace.commands.sandbox.mount_records import move_aside


def without_repository(folders: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(folder for folder in folders if not is_git_folder(folder))


def undo_repositories(folders: Iterable[Path]) -> bool:
    """Whether there was one in one of these folders; raises OSError where it cannot be undone."""
    made = [folder for folder in folders if is_git_folder(folder)]
    for folder in made:
        move_aside(os.fsencode(folder / "HEAD"))
    return bool(made)
