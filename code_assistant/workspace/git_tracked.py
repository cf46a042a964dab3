"""The files that git knows in the index and in the last commit: what `git diff` can show is in one of them."""

from __future__ import annotations

import os
from pathlib import Path

from code_assistant.workspace.git_probe import Git

LIST_INDEX = ("ls-files", "-z")
LIST_LAST_COMMIT = ("ls-tree", "-r", "-z", "--name-only", "HEAD")


async def tracked_files(git: Git) -> list[Path] | None:
    """None where it is not known; also before the first commit."""
    listed = [await git.output(*LIST_INDEX), await git.output(*LIST_LAST_COMMIT)]
    if None in listed:
        return None
    names = {name for output in listed if output is not None for name in output.split(b"\0") if name}
    return [git.root / os.fsdecode(name) for name in names]
