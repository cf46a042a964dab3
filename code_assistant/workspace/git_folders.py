"""Whether all that git reads of a repository lies in its own folder, and is only read."""

from __future__ import annotations

import os
from pathlib import Path

# Where these exist, objects come from other repositories.
ELSEWHERE = ("objects/info/alternates", "objects/info/http-alternates")
# Whose links git follows, however deep they are: to objects and names of another repository.
FOLLOWED = ("objects", "refs", "logs", "info", "worktrees")
# Git looks at these only when it is told to, and proved commands never do.
NEVER_READ = frozenset({"hooks"})
# With a split index, whoever reads it renews the time of the shared part.
SHARED_INDEX = "sharedindex."
MOST_ENTRIES = 20_000


def leads_elsewhere(git_folder: Path, most_entries: int = MOST_ENTRIES) -> bool:
    """Whether something in it lies elsewhere or would be changed; also where there is too much to be looked at."""
    if any(os.path.lexists(git_folder / name) for name in ELSEWHERE):
        return True
    try:
        with os.scandir(git_folder) as entries:
            if any(_is_link(entry) or entry.name.startswith(SHARED_INDEX) for entry in entries):
                return True
        return _holds_links([str(git_folder / name) for name in FOLLOWED], most_entries)
    except OSError:
        # What cannot be looked at may be anything.
        return True


def _is_link(entry: os.DirEntry[str]) -> bool:
    return entry.is_symlink() and entry.name not in NEVER_READ


def _holds_links(folders: list[str], left: int) -> bool:
    waiting = [folder for folder in folders if os.path.lexists(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                left -= 1
                if left < 0 or entry.is_symlink():
                    return True
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return False
