"""Programs that the screen finds for the person: on PATH, but never where the workspace or a command could put them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path


def find_program(name: str, environ: Mapping[str, str], untrusted: Sequence[Path]) -> str | None:
    for folder in trusted_folders(environ, untrusted):
        program = folder / name
        if program.is_file() and os.access(program, os.X_OK) and not _is_in(program, untrusted):
            return str(program)
    return None


def trusted_folders(environ: Mapping[str, str], untrusted: Sequence[Path]) -> Iterator[Path]:
    """Those of PATH; none that depends on where we are."""
    for entry in environ.get("PATH", "").split(os.pathsep):
        folder = Path(entry)
        if folder.is_absolute() and not _is_in(folder, untrusted):
            yield folder


def _is_in(path: Path, folders: Sequence[Path]) -> bool:
    """By its name or by where it really is."""
    return any(path.is_relative_to(each) or path.resolve().is_relative_to(each.resolve()) for each in folders)
