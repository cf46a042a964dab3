"""Which paths of the journal count: it is a file that anybody can have written, and must not lead anywhere else."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from code_assistant.checkpoints.states import Nothing
from code_assistant.checkpoints.turns import Entry

OUTSIDE = "lies outside of the folders that are open"

# Whether a path that is absolute and normalised lies in one of the folders that are open.
IsInside: TypeAlias = Callable[[Path], bool]


def counts(path: Path, entries: Sequence[Entry], is_inside: IsInside) -> bool:
    """Inside of what is open now, or changed by this very process: then the person has allowed it."""
    return all(entry.is_of_this_process for entry in entries) or (_is_plain(path) and is_inside(path))


def made_folders(path: Path, entry: Entry, is_inside: IsInside) -> set[Path]:
    """The folders that are there only because of a path that counts."""
    if not isinstance(entry.before, Nothing):
        return set()
    above = {Path(folder) for folder in entry.before.folders} & set(path.parents)
    if entry.is_of_this_process:
        return above
    # Not a folder that is open itself.
    return {folder for folder in above if is_inside(folder) and is_inside(folder.parent)}


def can_be_name(text: str) -> bool:
    """Whether the system takes a text for a path at all."""
    return "\0" not in text


def _is_plain(path: Path) -> bool:
    text = str(path)
    return path.is_absolute() and os.path.normpath(text) == text and can_be_name(text)
