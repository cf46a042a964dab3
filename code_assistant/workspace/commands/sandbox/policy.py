"""What a command may do at most, as data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Confinement:
    """All paths are resolved. `folders` are what the person opened, `others` what else the person lets be written.

    With `is_read_only` nothing can be written but `temporary`, which is the command's /tmp. `hidden` cannot be read.
    """

    folders: tuple[Path, ...]
    temporary: Path
    home: Path
    is_read_only: bool = False
    others: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    has_network: bool = True
