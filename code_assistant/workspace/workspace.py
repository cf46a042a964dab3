"""Path containment: which file a text names, and whether it lies inside the folders the person opened."""

from __future__ import annotations

import os
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.link_names import names_on_the_way

MAXIMUM_PATH_CHARACTERS = 4096


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A path as the kernel resolves it, and where it lies.

    `shown` is how people and models name it. `written` is what was asked for: of a path outside, a model is told no
    more than that before somebody has said yes. `named` is the same, absolute, with its links unresolved; `others` are
    the names that it has between the two.
    """

    path: Path
    shown: str
    inside: bool
    written: str
    named: Path
    others: tuple[Path, ...] = ()


class Workspace:
    """The folders the assistant works in. Containment is decided on resolved paths only."""

    def __init__(
        self,
        root: Path,
        extra: tuple[Path, ...] = (),
        project: Path | None = None,
        writable: tuple[Path, ...] = (),
    ) -> None:
        """`writable` are folders that are not opened, but which commands may write."""
        self.root = Path(os.path.realpath(root))
        self.folders = (self.root, *(Path(os.path.realpath(folder)) for folder in extra))
        self.writable = tuple(Path(os.path.realpath(folder)) for folder in writable)
        self._project = Path(os.path.realpath(project)) if project is not None else self.root

    def moved_to(self, folder: Path) -> Workspace:
        """The same folders, seen from a resolved one of those inside them."""
        moved = copy(self)
        moved.root = folder
        return moved

    @property
    def surroundings(self) -> tuple[Path, ...]:
        """What is opened, and the whole project around it."""
        return (*self.folders, self._project)

    @property
    def untrusted(self) -> tuple[Path, ...]:
        """Where no program is taken from: these, and wherever else a command may have put one."""
        return (*self.surroundings, *self.writable)

    def resolve(self, text: str) -> ResolvedPath:
        """Resolve a path relative to the root; raises WorkspaceError for text that cannot be a path."""
        if not text or "\0" in text or len(text) > MAXIMUM_PATH_CHARACTERS:
            raise WorkspaceError("That is not a path: it is empty, too long, or holds a NUL character.")
        try:
            expanded = _expanded(text)
            expanded.encode("utf-8", "surrogateescape")
            real = Path(os.path.realpath(self.root / expanded))
        except (OSError, ValueError, RuntimeError) as error:
            raise WorkspaceError(f"{text!r} cannot be resolved.") from error
        # Two slashes at the beginning are kept by normpath, and one for the kernel.
        written = f"/{str(self.root / expanded).lstrip('/')}"
        named = Path(os.path.normpath(written))
        others = () if named == real else names_on_the_way(written)
        return ResolvedPath(real, self.show(real), self.contains(real), text, named, others)

    def resolve_entry(self, text: str) -> ResolvedPath:
        """The same for the name itself: where that is a link, the link and not what it leads to."""
        folder, name = os.path.split(_expanded(text))
        if name in ("", ".", ".."):
            raise WorkspaceError(f"{text!r} names a folder by the way it ends, not a file or a link.")
        whole = self.resolve(text)
        above = self.resolve(folder or ".")
        real = above.path / name
        others = tuple(each / name for each in above.others)
        return replace(whole, path=real, shown=self.show(real), inside=self.contains(real), others=others)

    def contains(self, real: Path) -> bool:
        """Whether an already resolved path lies in one of the folders."""
        return self.folder_of(real) is not None

    def folder_of(self, real: Path) -> Path | None:
        """The opened folder that an already resolved path lies in."""
        return next((folder for folder in self.folders if real.is_relative_to(folder)), None)

    def show(self, real: Path) -> str:
        """The path relative to the root where it lies below it, else absolute."""
        try:
            return str(real.relative_to(self.root))
        except ValueError:
            return str(real)


def _expanded(text: str) -> str:
    # Only one's own home: other names would tell which accounts there are.
    return os.path.expanduser(text) if text == "~" or text.startswith("~/") else text  # noqa: PTH111
