"""How many paths of a repository differ from its last commit, without changing anything or starting what it names."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from code_assistant.workspace.git_probe import probed_git

MOST_SECONDS = 3.0
STATUS = (
    "status",
    *("--porcelain=v1", "-z", "--untracked-files=all", "--renames"),
    # Git would start itself in each submodule, with a configuration that nobody has looked at.
    "--ignore-submodules=all",
)


async def changed_paths(
    root: Path, environ: Mapping[str, str], untrusted: Sequence[Path], most_seconds: float = MOST_SECONDS
) -> int | None:
    """Modified, added, deleted and renamed paths, and new ones that are not ignored. None where that is not known:

    no repository, no git, one that could start programs, one that takes too long.
    """
    try:
        async with asyncio.timeout(most_seconds):
            git = await probed_git(root, environ, untrusted)
            output = await git.output(*STATUS) if git is not None else None
    except TimeoutError:
        return None
    return counted_paths(output) if output is not None else None


def counted_paths(output: bytes) -> int:
    """Each entry is two letters, a blank and a path; a renamed or copied one is followed by the path it had."""
    count = 0
    fields = iter(output.split(b"\0"))
    for field in fields:
        if field:
            count += 1
            if not {*b"RC"}.isdisjoint(field[:2]):
                next(fields, None)
    return count
