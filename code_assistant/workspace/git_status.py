"""How many paths of a repository differ from its last commit, without changing anything or starting what it names."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.secrets import Masker
from code_assistant.workspace.git_probe import ALWAYS, Git, checked, probed_git
from code_assistant.workspace.git_stand_in import fill_stand_in
from code_assistant.workspace.spill import SpillFolder
from code_assistant.workspace.threads import in_thread_to_its_end

MOST_SECONDS = 3.0
STATUS = (
    "status",
    *("--porcelain=v1", "-z", "--untracked-files=all", "--renames"),
    # Git would start itself in each submodule, with a configuration that nobody has looked at.
    "--ignore-submodules=all",
)


async def changed_paths(
    root: Path,
    environ: Mapping[str, str],
    untrusted: Sequence[Path],
    private: Path,
    most_seconds: float = MOST_SECONDS,
) -> int | None:
    """Modified, added, deleted and renamed paths, and new ones that are not ignored. None where that is not known:

    no repository, no git, one that could start programs, one that takes too long, or nothing can be written in
    `private`, a folder that no command may write in.
    """
    try:
        async with asyncio.timeout(most_seconds):
            git = await probed_git(root, environ, untrusted)
            output = await _status(git, private) if git is not None else None
    except (TimeoutError, OSError, WorkspaceError):
        return None
    return counted_paths(output) if output is not None else None


async def _status(git: Git, private: Path) -> bytes | None:
    """Of all that we ask git, this alone starts what a configuration names, filters: so not with the repository's."""
    place = SpillFolder.of_this_process(private, Masker(()))
    try:
        await in_thread_to_its_end(lambda _: _fill(place, git))
        environment = {**git.environment, "GIT_DIR": str(place.path), "GIT_WORK_TREE": str(git.root)}
        # The person's own configuration may say something else about a repository that lies here.
        safe = await checked(replace(git, environment=environment, overrides=ALWAYS))
        return await safe.output(*STATUS) if safe is not None else None
    finally:
        await in_thread_to_its_end(lambda _: place.remove())


def _fill(place: SpillFolder, git: Git) -> None:
    place.make()
    fill_stand_in(place.path, git.root / ".git", git.of_repository)


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
