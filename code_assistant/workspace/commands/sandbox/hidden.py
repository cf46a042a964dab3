"""Places whose content no command has any business with: keys, tokens, and what this program keeps of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from code_assistant.protected_names import SECRET_PLACES


def hidden_places(home: Path, own_folders: Iterable[Path], folders: Iterable[Path]) -> tuple[Path, ...]:
    """Those that are there, resolved; without one in which the person works."""
    opened = tuple(folders)
    wanted = (*(home / place for place in SECRET_PLACES), *own_folders)
    found = dict.fromkeys(Path(os.path.realpath(place)) for place in wanted if not _is_link_into(place, opened))
    return tuple(
        place
        for place in found
        if (place.is_dir() or place.is_file()) and not any(folder.is_relative_to(place) for folder in opened)
    )


def _is_link_into(place: Path, folders: tuple[Path, ...]) -> bool:
    """Whether it is a file of an opened folder under another name: covered, it would look changed there."""
    real = Path(os.path.realpath(place))
    return any(real.is_relative_to(folder) and not place.is_relative_to(folder) for folder in folders)
