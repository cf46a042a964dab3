"""The files and folders that can be mentioned: bounded, near ones first, without what is ignored or hidden."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from code_assistant.workspace.ignore import IgnoreRules
from code_assistant.workspace.threads import StopFlag
from code_assistant.workspace.walk import Walk
from code_assistant.workspace.walked_folder import WalkedFolder
from code_assistant.workspace.workspace import Workspace

MAXIMUM_FILES = 50_000
# Somebody waits for the list, and the program cannot end before a thread does.
MAXIMUM_SECONDS = 3.0


def workspace_files(
    workspace: Workspace,
    is_hidden: Callable[[Path], bool] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> list[str]:
    """Paths as they are mentioned: relative to the root, of other opened folders absolute; folders end in a slash."""
    until = clock() + MAXIMUM_SECONDS
    return list(islice(_paths(workspace, is_hidden, lambda: clock() > until), MAXIMUM_FILES))


def _paths(
    workspace: Workspace, is_hidden: Callable[[Path], bool] | None, is_over: Callable[[], bool]
) -> Iterator[str]:
    """Level by level, so that one enormous folder does not hide all the others."""
    walk = Walk(StopFlag(), is_hidden=is_hidden)
    waiting: deque[tuple[str, IgnoreRules, str]] = deque()
    for folder in workspace.folders:
        shown = "" if folder == workspace.root else f"{folder}/"
        waiting.append((str(folder), walk.rules_for(folder), shown))
    while waiting and not is_over():
        folder, rules, prefix = waiting.popleft()
        with WalkedFolder(folder) as opened:
            entries, inner = walk.entries(opened, rules)
        for entry in entries:
            if entry.is_folder:
                yield f"{prefix}{entry.name}/"
                waiting.append((entry.path, inner, f"{prefix}{entry.name}/"))
            elif entry.is_file:
                yield f"{prefix}{entry.name}"
