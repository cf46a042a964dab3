"""Whether a name is a program of the system: never one of the workspace, of the home folder, or of another PATH."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class ProgramFinder(Protocol):
    def is_of_system(self, name: str) -> bool:
        """Whether `name`, a bare name or an absolute path, is a program in a folder of the system."""
        ...


class SystemPrograms:
    """Looks into fixed folders in their order; what lies, or really lies, in an untrusted folder does not count."""

    def __init__(self, folders: Sequence[str], untrusted: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._untrusted = [form for folder in untrusted for form in {folder, Path(os.path.realpath(folder))}]

    def is_of_system(self, name: str) -> bool:
        folder, slash, bare = name.rpartition("/")
        if slash:
            return folder in self._folders and bool(bare) and self._is_trusted(name)
        for each in self._folders:
            candidate = f"{each}/{name}"
            if name and Path(candidate).is_file() and os.access(candidate, os.X_OK):
                return self._is_trusted(candidate)
        return False

    def _is_trusted(self, path: str) -> bool:
        forms = (Path(path), Path(os.path.realpath(path)))
        is_program = Path(path).is_file() and os.access(path, os.X_OK)
        return is_program and not any(form.is_relative_to(folder) for form in forms for folder in self._untrusted)
