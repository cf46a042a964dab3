"""Places where a changed file makes programs run or rules change: asked about even where edits are accepted."""

from __future__ import annotations

import os
from pathlib import Path, PurePath

from code_assistant.permissions.access import Place
from code_assistant.protected_names import HOME_PLACES, PROTECTED_NAMES

# Some file systems do not tell upper from lower case.
_HOME_PLACES = tuple((PurePath(each.lower()), PurePath(each).name) for each in HOME_PLACES)


def protections_of(place: Place, own_folders: tuple[Path, ...] = (), home: Path | None = None) -> frozenset[str]:
    """The names that make a place protected, none for an ordinary one. `own_folders` are the program's own."""
    paths = place.names
    own = {folder.name for folder in own_folders for path in paths if path.is_relative_to(folder)}
    return frozenset(own).union(
        (part for path in paths for part in _parts_below(path, place.folder) if part.lower() in PROTECTED_NAMES),
        _protections_at_home(place, home) if home is not None else (),
    )


def _parts_below(path: Path, folder: Path | None) -> tuple[str, ...]:
    if folder is not None and path.is_relative_to(folder):
        # The opened folder may itself be such a place.
        return (folder.name, *path.relative_to(folder).parts)
    return path.parts


def _protections_at_home(place: Place, home: Path) -> set[str]:
    found: set[str] = set()
    for base in {home, Path(os.path.realpath(home))}:
        for below in (path.relative_to(base) for path in place.names if path.is_relative_to(base)):
            lowered = PurePath(str(below).lower())
            found |= {name for each, name in _HOME_PLACES if lowered.is_relative_to(each)}
            is_home_opened = place.folder is not None and base.is_relative_to(place.folder)
            if is_home_opened and below.parts and below.parts[0].startswith("."):
                found.add(below.parts[0])
    return found
