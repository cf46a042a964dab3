"""What of a folder becomes active once it is trusted: which files those are, and what they were when it was."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from code_assistant.config.key_variables import MODELS_FILE
from code_assistant.config.load import SETTINGS_FILE
from code_assistant.config.project_files import HOLDS_REPOSITORY, PROJECT_FOLDER, ProjectFiles, trusted
from code_assistant.errors import WorkspaceError
from code_assistant.sanitize import sanitize_line

# What there is, by kind, or what stands in it, by heading.
Parts: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
FOREIGN_FOLDER = ".claude"
FOREIGN_SETTINGS = (f"{FOREIGN_FOLDER}/settings.json", f"{FOREIGN_FOLDER}/settings.local.json")
SERVERS_FILE = ".mcp.json"
INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md")
MAX_ENTRIES = 1_000
MAX_BYTES = 8_000_000
MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Kind:
    """Files and folders that do something alike. What `acts` runs programs or loosens something by itself.

    Only that is compared with what it was: instructions are words, and change every day.
    """

    words: str
    names: tuple[str, ...]
    acts: bool = True


KINDS = (
    Kind("allow rules, hooks (not run by this version)", FOREIGN_SETTINGS),
    Kind("MCP servers (not started by this version)", (SERVERS_FILE,)),
    Kind("hook programs (not run by this version)", (f"{PROJECT_FOLDER}/hooks", f"{FOREIGN_FOLDER}/hooks")),
    Kind("settings, allow rules, models", (f"{PROJECT_FOLDER}/{SETTINGS_FILE}", f"{PROJECT_FOLDER}/{MODELS_FILE}")),
    Kind("agents (not used by this version)", (f"{PROJECT_FOLDER}/agents", f"{FOREIGN_FOLDER}/agents")),
    Kind("commands (not used by this version)", (f"{PROJECT_FOLDER}/commands", f"{FOREIGN_FOLDER}/commands")),
    Kind("instructions for the model", INSTRUCTIONS, acts=False),
    Kind("git, asked for the branch and what changed", (HOLDS_REPOSITORY,), acts=False),
)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Digests of all that acts, by name. With `problems` it is none that anything could be trusted by."""

    digests: Mapping[str, str]
    problems: tuple[str, ...] = ()

    def changes(self, before: Mapping[str, str]) -> tuple[str, ...]:
        """The names of what is new, different or gone."""
        names = self.digests.keys() | before.keys()
        return tuple(sorted(name for name in names if self.digests.get(name) != before.get(name)))


def present_parts(root: Path, folder: Path) -> Parts:
    """What is there, by kind and name. Nothing is opened: it is asked before anything may be.

    `folder` is where the work is done: instructions of the folders from the root down to it count, too.
    """
    between = [each for each in (folder, *folder.parents) if each.is_relative_to(root) and each != root][::-1]
    below = tuple(str(each.relative_to(root) / name) for each in between for name in INSTRUCTIONS)
    found: list[tuple[str, tuple[str, ...]]] = []
    for kind in KINDS:
        names = kind.names + (below if kind.names == INSTRUCTIONS else ())
        there = tuple(name for name in names if os.path.lexists(root / name))
        if there:
            found.append((kind.words, there))
    return tuple(found)


def fingerprint(root: Path) -> Fingerprint:
    """Reads all that acts, as data."""
    project = ProjectFiles(root, trusted)
    gathered = _Gathered(project, PartsWalk(project))
    for kind in KINDS:
        for name in kind.names if kind.acts else ():
            gathered.add(Path(name))
    return Fingerprint(gathered.digests, tuple(gathered.problems))


class PartsWalk:
    """Finds the files of parts that are folders. Bounded: nobody could look through more, and nobody may have to wait.

    Raises WorkspaceError for what is too much, leads out of the project, or cannot be read.
    """

    def __init__(self, project: ProjectFiles) -> None:
        self._project = project
        self._left = MAX_ENTRIES

    def files(self, path: Path, depth: int = 0) -> Iterator[Path]:
        """A file, or all that are in a folder, by names relative to the root."""
        real = self._project.resolve(path)
        if real is None or self._project.is_of_another(real / HOLDS_REPOSITORY):
            return
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            raise WorkspaceError(f"{sanitize_line(str(path))}: there is more here than anybody could look through.")
        try:
            names = sorted(each.name for each in real.iterdir())
        except NotADirectoryError:
            yield path
            return
        except OSError as error:
            raise WorkspaceError(f"{sanitize_line(str(path))} cannot be read: {error.strerror or error}.") from error
        if depth and (self._project.root / path).is_symlink():
            raise WorkspaceError(f"{sanitize_line(str(path))} is a symlink to a folder. Replace or remove it.")
        for name in names:
            yield from self.files(path / name, depth + 1)


@dataclass(slots=True)
class _Gathered:
    project: ProjectFiles
    walk: PartsWalk
    digests: dict[str, str] = field(default_factory=dict[str, str])
    problems: list[str] = field(default_factory=list[str])
    size: int = 0

    def add(self, path: Path) -> None:
        if not os.path.lexists(self.project.root / path):
            return
        try:
            for file in self.walk.files(path):
                self._add_file(file)
        except WorkspaceError as error:
            self.problems.append(str(error))

    def _add_file(self, file: Path) -> None:
        content = self.project.content(file)
        if content is None:
            return
        # Most folders have nothing of this, and do without what computes it.
        from hashlib import sha256

        self.size += len(content)
        if self.size > MAX_BYTES:
            raise WorkspaceError(f"{sanitize_line(str(file))}: there is more here than anybody could look through.")
        self.digests[str(file)] = sha256(content).hexdigest()
