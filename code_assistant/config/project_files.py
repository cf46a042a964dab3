"""The one way to read a project's own files: settings, AGENTS.md, CLAUDE.md and what is to come."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from code_assistant.config.text_files import READ_FLAGS, decoded, read_content, unreadable
from code_assistant.errors import WorkspaceError
from code_assistant.sanitize import sanitize_line

PROJECT_FOLDER = ".code-assistant"
HOLDS_REPOSITORY = ".git"
BRANCH = re.compile(r"ref: refs/heads/([\w./+#@-]{1,200})")


def trusted(_: Path) -> bool:
    """For who has decided that already."""
    return True


def holds_repository(folder: Path) -> bool:
    """Whether there is a git folder, a link to one, or the file of a work tree.

    A folder without HEAD is none for git either; while a command runs, an empty one may stand where none must be made.
    """
    git = folder / HOLDS_REPOSITORY
    try:
        return os.path.lexists(git / "HEAD") or git.is_symlink() or git.is_file()
    except OSError:
        # A folder that may not be looked into cannot be the root of a repository we work in.
        return False


def find_project_root(working_folder: Path) -> Path:
    """The nearest ancestor that holds `.git` (a folder, or the file of a work tree), else the folder itself.

    A home folder kept in git is not the project of everything below it: its private files are nobody's to import.
    """
    start = working_folder.resolve()
    home = Path.home()
    candidates = (folder for folder in (start, *start.parents) if folder == start or not home.is_relative_to(folder))
    return next((folder for folder in candidates if holds_repository(folder)), start)


class ProjectFiles:
    """Reads files of the project below `root`, and nothing outside its real path or in a repository inside of it.

    Whether the person trusts the project is asked here, through `trusted`, before a file is opened.
    """

    def __init__(self, root: Path, trusted: Callable[[Path], bool]) -> None:
        self.root = root.resolve()
        self._trusted = trusted

    def read(self, path: Path) -> str | None:
        """The text of a file; None where there is none or where it is not trusted. Relative to the root.

        Raises WorkspaceError for what is there and cannot be used: a way out of the project, a pipe, a folder,
        a file that is too large or not readable.
        """
        content = self.content(path)
        return None if content is None else decoded(content)

    def read_resolved(self, real: Path) -> str | None:
        """The same for what `resolve` gave: a link that came in its place since is not followed."""
        content = self._content(real, real) if self._trusted(real) else None
        return None if content is None else decoded(content)

    def content(self, path: Path) -> bytes | None:
        """The same, as the bytes that they are."""
        real = self.resolve(path)
        if real is None or not self._trusted(real):
            return None
        return self._content(real, path)

    def read_limits(self, path: Path) -> str | None:
        """As `read`, but trusted or not: for those alone who take nothing from the file but what forbids more.

        Not before the person has said how to go on: until then nothing of a folder is read.
        """
        real = self.resolve(path)
        content = None if real is None else self._content(real, path)
        return None if content is None else decoded(content)

    def is_of_another(self, real: Path) -> bool:
        """Whether a file belongs to a repository inside of this one, which is trusted or not by itself."""
        above = real.relative_to(self.root).parents
        return any(holds_repository(self.root / folder) for folder in above if folder.parts)

    def _content(self, real: Path, path: Path) -> bytes | None:
        if self.is_of_another(real):
            return None
        try:
            descriptor = self._open(real)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise unreadable(path, error) from error
        return read_content(descriptor, path)

    def branch(self) -> str | None:
        """The branch that is checked out, without running git; None where it cannot be told."""
        try:
            head = self.read(self.root / HOLDS_REPOSITORY / "HEAD")
        except WorkspaceError:
            # A work tree keeps its HEAD elsewhere; the branch is a nicety, not worth a complaint.
            return None
        # Only a name may come from this file: whatever else it holds would speak to the model as our own words.
        found = BRANCH.fullmatch(head.partition("\n")[0]) if head else None
        return found[1] if found else None

    def resolve(self, path: Path) -> Path | None:
        """The real path of something that exists inside the project; None where there is nothing."""
        name = sanitize_line(str(path))
        try:
            real = (self.root / path).resolve(strict=True)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, RuntimeError, ValueError) as error:
            raise WorkspaceError(f"{name} cannot be resolved: {error}") from error
        if not real.is_relative_to(self.root):
            there, root = sanitize_line(str(real)), sanitize_line(str(self.root))
            raise WorkspaceError(f"{name} leads out of the project, to {there}. Only files inside {root} are read.")
        return real

    def _open(self, real: Path) -> int:
        """Open one component after the other, none of them a symlink, so that what was checked is what is read."""
        folder = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            parts = real.relative_to(self.root).parts or (".",)
            for part in parts[:-1]:
                below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
                os.close(folder)
                folder = below
            return os.open(parts[-1], READ_FLAGS | os.O_NOFOLLOW, dir_fd=folder)
        finally:
            os.close(folder)
