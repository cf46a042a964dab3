"""Path containment: which file a text names, and whether it lies inside the folders the person opened."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from code_assistant.errors import WorkspaceError


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A path as the kernel resolves it, and where it lies. `shown` is how people and models name it."""

    path: Path
    shown: str
    inside: bool


class Workspace:
    """The folders the assistant works in. Containment is decided on resolved paths only."""

    def __init__(self, root: Path, extra: tuple[Path, ...] = ()) -> None:
        self.root = Path(os.path.realpath(root))
        self.folders = (self.root, *(Path(os.path.realpath(folder)) for folder in extra))

    def resolve(self, text: str) -> ResolvedPath:
        """Resolve a path relative to the root; raises WorkspaceError for text that cannot be a path."""
        if not text or "\0" in text:
            raise WorkspaceError("That is not a path: it is empty or holds a NUL character.")
        try:
            # Not Path.expanduser, which refuses names such as `~backup` when there is no such user.
            expanded = os.path.expanduser(text)  # noqa: PTH111
            expanded.encode("utf-8", "surrogateescape")
            real = Path(os.path.realpath(self.root / expanded))
        except (OSError, ValueError, RuntimeError) as error:
            raise WorkspaceError(f"{text!r} cannot be resolved: {error}") from error
        return ResolvedPath(real, self.show(real), self.contains(real))

    def contains(self, real: Path) -> bool:
        """Whether an already resolved path lies in one of the folders."""
        return any(real == folder or folder in real.parents for folder in self.folders)

    def show(self, real: Path) -> str:
        """The path relative to the root where it lies below it, else absolute."""
        try:
            return str(real.relative_to(self.root))
        except ValueError:
            return str(real)
