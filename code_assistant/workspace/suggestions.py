"""Paths that may have been meant by one that does not exist."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

from code_assistant.workspace.ignore import IgnoreRules
from code_assistant.workspace.names import plain_name
from code_assistant.workspace.threads import StopFlag
from code_assistant.workspace.walk import Walk
from code_assistant.workspace.walked_folder import WalkedFolder
from code_assistant.workspace.workspace import ResolvedPath, Workspace

MAXIMUM_SUGGESTIONS = 3
MAXIMUM_FILES_LOOKED_AT = 20_000


def similar_paths(
    missing: ResolvedPath, workspace: Workspace, flag: StopFlag, is_hidden: Callable[[Path], bool] | None = None
) -> list[str]:
    """Near names in the same folder, else the same name elsewhere; only inside the workspace, and none hidden."""
    if not missing.inside or missing.path == workspace.root:
        return []
    walk = Walk(flag, include_ignored=True, is_hidden=is_hidden)
    found = _near_names(missing.path.parent, missing.path.name, walk)
    if not found:
        walk = Walk(flag, is_hidden=is_hidden)
        files = islice(walk.files(workspace.root), MAXIMUM_FILES_LOOKED_AT)
        same_name = (Path(entry.path) for entry in files if entry.name == missing.path.name)
        found = list(islice(same_name, MAXIMUM_SUGGESTIONS))
    return [plain_name(workspace.show(path)) for path in found]


def _near_names(folder: Path, name: str, walk: Walk) -> list[Path]:
    with WalkedFolder(str(folder)) as opened:
        entries, _ = walk.entries(opened, IgnoreRules())
    if not entries:
        return []
    from difflib import get_close_matches

    names = {entry.name.casefold(): Path(entry.path) for entry in entries}
    return [names[near] for near in get_close_matches(name.casefold(), names, MAXIMUM_SUGGESTIONS)]
