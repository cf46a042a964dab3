"""Git for commands of the model's that nobody was asked about: what they look at must lie in the repository itself.

More is looked at than for a question of our own, as it is not us who say which command it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from code_assistant.workspace.git_configuration import ConfigEntry
from code_assistant.workspace.git_folders import leads_elsewhere
from code_assistant.workspace.git_probe import Git, probed_git

# The modes of all that is in the index. Git before 2.38 knows no formats, and tells everything.
LIST_MODES = ("ls-files", "--format=%(objectmode)")
LIST_INDEX = ("ls-files", "--stage")
SUBMODULE_MODE = b"160000"
# Whether what is looked at in submodules is declared, be it that the file is gone from the folder.
DECLARED_IN = (("ls-files", "--", ".gitmodules"), ("ls-tree", "HEAD", "--", ".gitmodules"))
# The person's own, but the files of a repository choose what they are started for.
CHOSEN_BY_FILES = frozenset({"external", "textconv", "command", "cachetextconv"})
# How merges are shown: perhaps merged again, by the programs that are named for files.
MERGES_SHOWN = "log.diffmerges"
WITHOUT_MERGING = frozenset(
    {*("off", "none", "first-parent", "1", "separate"), *("combined", "c", "dense-combined", "cc")}
)


async def git_for_reading(root: Path, environ: Mapping[str, str], untrusted: Sequence[Path]) -> Git | None:
    """None where some command that only reads might start a program or show what lies elsewhere."""
    if await asyncio.to_thread(leads_elsewhere, root / ".git"):
        return None
    git = await probed_git(root, environ, untrusted)
    if git is None or any(_is_followed(entry) for entry in git.configuration) or await _has_submodules(git):
        return None
    return git


async def declares_submodules(git: Git) -> bool:
    """Whether a folder that is added to the index could become a submodule that git is told to look into."""
    return any([await git.output(*words) != b"" for words in DECLARED_IN])


def _is_followed(entry: ConfigEntry) -> bool:
    is_ours = entry.scope == "command"
    if entry.section == "diff" and entry.word in CHOSEN_BY_FILES:
        return not is_ours
    if entry.key.lower() == MERGES_SHOWN:
        return not is_ours and (entry.value or "").lower() not in WITHOUT_MERGING
    return entry.section == "submodule" and not entry.is_own and not is_ours


async def _has_submodules(git: Git) -> bool:
    """Git starts itself in each that the index knows, whatever files there are, with a configuration of its own."""
    modes = await git.output(*LIST_MODES)
    if modes is None:
        modes = await git.output(*LIST_INDEX)
    return modes is None or any(line.startswith(SUBMODULE_MODE) for line in modes.splitlines())
