"""Running git where nobody was asked: a git of the system, an environment of ours, and only where nothing can happen.

A repository whose own configuration could start a program or lead elsewhere is left alone. What the person has set for
all repositories is theirs, and is turned off where the command would make use of it.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from code_assistant.workspace.commands.environment import SYSTEM_FOLDERS, command_environment
from code_assistant.workspace.git_configuration import ConfigEntry, parsed_configuration
from code_assistant.workspace.processes import PIPE_BYTES, killed, tied

MOST_BYTES = 8 << 20
# What `commondir` says where all of a repository is in one place.
HERE = b".\n"
LIST_CONFIGURATION = ("config", "--list", "--show-scope", "-z")
# Nothing is written, nothing is started, and nothing is fetched; whatever is configured.
ALWAYS = (
    "--no-optional-locks",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "diff.autoRefreshIndex=false"),
    *("-c", "safe.bareRepository=explicit"),
    *("-c", "submodule.recurse=false"),
    *("-c", "status.submoduleSummary=false"),
    *("-c", "diff.submodule=short"),
)
FIXED = {
    "PATH": os.pathsep.join(SYSTEM_FOLDERS),
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_REPLACE_OBJECTS": "1",
}


@dataclass(frozen=True, slots=True)
class Git:
    """A repository that git may be asked about; `overrides` come before the command, `configuration` is all of it."""

    program: Path
    root: Path
    environment: dict[str, str]
    overrides: tuple[str, ...] = ALWAYS
    configuration: tuple[ConfigEntry, ...] = ()

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The overrides as pairs, for whoever runs git in another way."""
        pairs = (pair.partition("=") for flag, pair in pairwise(self.overrides) if flag == "-c")
        return tuple((key, value) for key, _, value in pairs)

    @property
    def of_repository(self) -> tuple[ConfigEntry, ...]:
        """The configuration that came with the repository: that of the command is ours."""
        return tuple(entry for entry in self.configuration if not entry.is_own and entry.scope != "command")

    async def output(self, *arguments: str) -> bytes | None:
        """What it writes; None if it fails or writes too much."""
        executable, words = await tied("git", str(self.program), *self.overrides, *arguments)
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                executable=executable,
                cwd=self.root,
                env=self.environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
                limit=PIPE_BYTES,
            )
        except OSError:
            # Gone since it was found, or no folder any more: as good as no git.
            return None
        async with killed(process):
            written = await _bounded(process.stdout)
            return written if written is not None and await process.wait() == 0 else None


async def probed_git(root: Path, environ: Mapping[str, str], untrusted: Sequence[Path]) -> Git | None:
    """Git for the repository at `root`, None where it is better not asked. Never a git from an untrusted folder."""
    program = await asyncio.to_thread(find_git, untrusted)
    if program is None or not await asyncio.to_thread(_is_whole_repository, root):
        return None
    environment = {**command_environment(environ), **FIXED, "GIT_CEILING_DIRECTORIES": str(root.parent)}
    return await checked(Git(program, root, environment))


async def checked(git: Git) -> Git | None:
    """The same git with what its configuration asks for turned off; None where that is not for us to turn off."""
    listed = await git.output(*LIST_CONFIGURATION)
    if listed is None:
        return None
    looked_at = replace(git, configuration=tuple(parsed_configuration(listed)))
    if any(entry.is_dangerous for entry in looked_at.of_repository):
        return None
    return _without_filters(looked_at)


def find_repository(folder: Path, within: Sequence[Path]) -> Path | None:
    """The root of the repository that git would work with in a folder; None where that is not one of `within`.

    A folder that looks like a bare repository would be taken for one, with its own configuration. What is inside of
    another repository, git looks at, too: one with submodules is none that can be told about.
    """
    for candidate in (folder, *folder.parents):
        if not any(candidate.is_relative_to(each) for each in within):
            return None
        if os.path.lexists(candidate / ".git"):
            has_submodules = os.path.lexists(candidate / ".gitmodules") or os.path.lexists(candidate / ".git/modules")
            return None if has_submodules else candidate
        if os.path.lexists(candidate / "HEAD") and os.path.lexists(candidate / "objects"):
            return None
    return None


def find_git(untrusted: Sequence[Path], folders: Sequence[str] = SYSTEM_FOLDERS) -> Path | None:
    """The real path of git, from the folders of the system only, whatever PATH says."""
    others = [Path(os.path.realpath(folder)) for folder in untrusted]
    for folder in folders:
        candidate = Path(folder) / "git"
        real = Path(os.path.realpath(candidate))
        if os.access(candidate, os.X_OK) and not any(real.is_relative_to(other) for other in others):
            return real
    return None


def _is_whole_repository(root: Path) -> bool:
    """Whether all of it lies here. That of a work tree or a submodule is elsewhere, with a configuration of its own."""
    git_folder = root / ".git"
    try:
        is_folder = stat.S_ISDIR(git_folder.lstat().st_mode)
        elsewhere = git_folder / "commondir"
        # As it is while commands run, so that none of them can make another.
        return is_folder and (not os.path.lexists(elsewhere) or _is_here(elsewhere))
    except OSError:
        return False


def _is_here(file: Path) -> bool:
    status = file.lstat()
    return stat.S_ISREG(status.st_mode) and status.st_size == len(HERE) and file.read_bytes() == HERE


def _without_filters(git: Git) -> Git | None:
    """The person's own filters turned off: the files decide which of them is started, and they write, too."""
    names = dict.fromkeys(entry.middle for entry in git.configuration if entry.section == "filter")
    if any(not name.isprintable() or "=" in name for name in names):
        return None
    empty = ("clean=", "smudge=", "process=", "required=false")
    settings = [f"filter.{name}.{value}" for name in names if name for value in empty]
    return replace(git, overrides=(*ALWAYS, *(part for setting in settings for part in ("-c", setting))))


async def _bounded(stream: asyncio.StreamReader | None) -> bytes | None:
    pieces: list[bytes] = []
    size = 0
    while stream is not None and (piece := await stream.read(PIPE_BYTES)):
        pieces.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            return None
    return b"".join(pieces)
