"""Places whose content no command has any business with: keys, tokens, and what this program keeps of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from code_assistant.protected_names import KEYS_FILE, SECRET_PLACES

CONFIG = ".config/"
# Variables that name another place, or several.
MOVED_BY = (
    *("GNUPGHOME", "DOCKER_CONFIG", "KUBECONFIG", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "NETRC"),
    *("AZURE_CONFIG_DIR", "CLOUDSDK_CONFIG", "GH_CONFIG_DIR", "NPM_CONFIG_USERCONFIG", "PASSWORD_STORE_DIR"),
    "PGPASSFILE",
    *("GOOGLE_APPLICATION_CREDENTIALS", "CLAUDE_CONFIG_DIR", "CODEX_HOME"),
)


def hidden_places(
    home: Path, own: Iterable[Path], folders: Iterable[Path], moved: Iterable[Path] = ()
) -> tuple[Path, ...]:
    """Those that are there, resolved; `own` are the program's. Without one that the person has opened as it is."""
    opened = tuple(folders)
    # Few of them are there, and all are looked for before each command.
    wanted = [Path(place) for name in SECRET_PLACES if os.path.lexists(place := f"{home}/{name}")]
    for place in own:
        # Singly, too, by its real name, for a person who has opened all of it or keeps it there.
        wanted += (place, Path(os.path.realpath(place / KEYS_FILE)))
    # Files of a project that a variable names would look changed to git.
    wanted += (place for place in moved if not any(place.is_relative_to(folder) for folder in opened))
    found = dict.fromkeys(Path(os.path.realpath(place)) for place in wanted if not _is_link_into(place, opened))
    return tuple(place for place in found if _can_be_read(place) and place not in opened)


def moved_places(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Where a person's environment says that such places are instead."""
    named = (each for name in MOVED_BY for each in environ.get(name, "").split(os.pathsep))
    settings = environ.get("XDG_CONFIG_HOME", "")
    below = [place.removeprefix(CONFIG) for place in SECRET_PLACES if place.startswith(CONFIG)]
    return tuple(
        Path(each)
        for each in (*named, *(f"{settings}/{place}" for place in below if settings))
        if Path(each).is_absolute()
    )


def _can_be_read(place: Path) -> bool:
    try:
        return place.is_dir() or place.is_file()
    except OSError:
        # By nobody who is not root.
        return False


def _is_link_into(place: Path, folders: tuple[Path, ...]) -> bool:
    """Whether it is a file of an opened folder under another name: covered, it would look changed there."""
    real = Path(os.path.realpath(place))
    return any(real.is_relative_to(folder) and not place.is_relative_to(folder) for folder in folders)
