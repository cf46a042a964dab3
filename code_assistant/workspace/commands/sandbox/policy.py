"""What a command may do at most, as data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Confinement:
    """`folders` are what the person opened, `others` what else the person lets be written; all of these are resolved.

    With `is_read_only` nothing can be written but `temporary`, which is the command's /tmp. `hidden` cannot be read,
    `own` are the program's own folders, under the names that it knows them by.
    """

    folders: tuple[Path, ...]
    temporary: Path
    home: Path
    is_read_only: bool = False
    others: tuple[Path, ...] = ()
    own: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    has_network: bool = True
