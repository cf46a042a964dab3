"""Places where a changed file makes programs run or rules change: asked about even where edits are accepted."""

from __future__ import annotations

from pathlib import Path

from code_assistant.permissions.access import Place
from code_assistant.protected_names import PROTECTED_NAMES


def protections_of(place: Place, own_folders: tuple[Path, ...] = ()) -> frozenset[str]:
    """The names that make a place protected, none for an ordinary one. `own_folders` are the program's own."""
    paths = place.names
    own = {folder.name for folder in own_folders for path in paths if path.is_relative_to(folder)}
    # Some file systems do not tell upper from lower case.
    return frozenset(own).union(
        part for path in paths for part in _parts_below(path, place.folder) if part.lower() in PROTECTED_NAMES
    )


def _parts_below(path: Path, folder: Path | None) -> tuple[str, ...]:
    if folder is not None and path.is_relative_to(folder):
        # The opened folder may itself be such a place.
        return (folder.name, *path.relative_to(folder).parts)
    return path.parts
