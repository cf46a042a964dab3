"""Paths that may have been meant by one that does not exist."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from code_assistant.workspace.names import plain_name
from code_assistant.workspace.threads import StopFlag
from code_assistant.workspace.walk import Walk
from code_assistant.workspace.workspace import ResolvedPath, Workspace

MAXIMUM_SUGGESTIONS = 3
MAXIMUM_FILES_LOOKED_AT = 20_000


def similar_paths(missing: ResolvedPath, workspace: Workspace, flag: StopFlag) -> list[str]:
    """Near names in the same folder, else the same name elsewhere; only inside the workspace."""
    if not missing.inside or missing.path == workspace.root:
        return []
    found = _near_names(missing.path.parent, missing.path.name)
    if not found:
        walk = Walk(flag)
        files = islice(walk.files(workspace.root), MAXIMUM_FILES_LOOKED_AT)
        same_name = (Path(entry.path) for entry in files if entry.name == missing.path.name)
        found = list(islice(same_name, MAXIMUM_SUGGESTIONS))
    return [plain_name(workspace.show(path)) for path in found]


def _near_names(folder: Path, name: str) -> list[Path]:
    if not folder.is_dir() or not os.access(folder, os.R_OK):
        return []
    from difflib import get_close_matches

    names = {entry.name.casefold(): entry for entry in folder.iterdir()}
    return [names[near] for near in get_close_matches(name.casefold(), names, MAXIMUM_SUGGESTIONS)]
