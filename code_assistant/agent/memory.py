"""Memory files: AGENTS.md, else CLAUDE.md, of the person and of each folder, with imports and a size limit."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from code_assistant.agent.at_words import at_words
from code_assistant.agent.memory_guard import MemoryGuard
from code_assistant.config.project_files import ProjectFiles, find_project_root
from code_assistant.config.text_files import read_user_file
from code_assistant.errors import WorkspaceError

_USER_NAME = "AGENTS.md"
_PROJECT_NAMES = ("AGENTS.md", "CLAUDE.md")
_MAX_DEPTH = 5
_MAX_IMPORTS = 50
_MAX_WORDS = 1_000
_MAX_NOTICES = 20
_PUNCTUATION = ".,;:!?)]}>'\"*_"


@dataclass(frozen=True, slots=True)
class Memory:
    """The text for the model, the files it comes from, and what the person should know about it."""

    text: str
    files: tuple[Path, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _File:
    """One file's text. `own` is true for the person's files, which may import from anywhere."""

    path: Path
    label: str
    text: str
    own: bool


def load_memory(guard: MemoryGuard, project: ProjectFiles, max_bytes: int) -> Memory:
    """Read the person's own file, then those from the repository's root down to the working folder.

    A file that cannot or may not be used is left out with a notice. What does not fit is cut: the person's own file is
    kept first, so that no project can push it out, then the folders from the working folder upwards.
    """
    working_folder = guard.workspace.root
    collector = _Collector(find_project_root(working_folder), guard, project)
    groups = [collector.user_files()]
    groups += [collector.folder_files(folder) for folder in _folders(collector.root, working_folder)]
    fitted = _fit([*groups[0], *(file for group in reversed(groups[1:]) for file in group)], max_bytes)
    ordered = [file for group in groups for file in group]
    used = [file for file in ordered if fitted[file.path]]
    text = "".join(_heading(file) + fitted[file.path] + "\n\n" for file in used).rstrip()
    cuts = [_cut_notice(file, fitted[file.path]) for file in ordered if fitted[file.path] != file.text]
    return Memory(text, tuple(file.path for file in used), _bounded([*collector.notices, *cuts]))


class _Collector:
    """Reads files with their imports, each file once."""

    def __init__(self, root: Path, guard: MemoryGuard, project: ProjectFiles) -> None:
        self.root = root
        self.notices: list[str] = []
        self._guard = guard
        self._project = project
        self._seen: set[Path] = set()
        self._imports = 0

    def user_files(self) -> list[_File]:
        """The person's own file and what it imports."""
        file = self._load(self._guard.config_folder / _USER_NAME, own=True)
        return list(self._with_imports(file, ())) if file else []

    def folder_files(self, folder: Path) -> list[_File]:
        """The memory file of one folder of the project and what it imports."""
        for name in _PROJECT_NAMES:
            file = self._load(folder / name, own=False)
            if file:
                return [] if file.path in self._seen else list(self._with_imports(file, ()))
        return []

    def _load(self, path: Path, *, own: bool) -> _File | None:
        label = self._label(path, own)
        try:
            text = self._read(path, own)
        except WorkspaceError as error:
            self.notices.append(f"{label} is not used: {error}")
            return None
        if text is None or not text.strip():
            return None
        if "\0" in text:
            self.notices.append(f"{label} is not used: it is not text.")
            return None
        return _File(path.resolve(), label, self._guard.masker.mask(text).strip(), own)

    def _read(self, path: Path, own: bool) -> str | None:
        real = _existing(path) if own else self._project.resolve(path)
        if real is None:
            return None
        objection = None if real in self._seen else self._guard.objection(path, real, by=path, own=own)
        if objection:
            raise WorkspaceError(objection)
        return read_user_file(real) if own else self._project.read_resolved(real)

    def _with_imports(self, file: _File, chain: tuple[Path, ...]) -> Iterator[_File]:
        self._seen.add(file.path)
        yield file
        chain = (*chain, file.path)
        words = at_words(file.text)
        if len(words) > _MAX_WORDS:
            self.notices.append(f"{file.label}: only its first {_MAX_WORDS} @ words are tried as imports.")
        for word in words[:_MAX_WORDS]:
            imported = self._import(word, file, chain)
            if imported:
                yield from self._with_imports(imported, chain)

    def _import(self, word: str, file: _File, chain: tuple[Path, ...]) -> _File | None:
        named = _named_file(word, file.path.parent)
        if named is None:
            return None
        target = named.resolve()
        # A file of the project stays one when the person's own file imports it: trust and limits are the project's.
        own = file.own and not target.is_relative_to(self._project.root)
        obstacle = self._obstacle(word, target, file, chain)
        if obstacle is None and target not in self._seen:
            obstacle = self._guard.objection(named, target, by=file.path, own=own)
        if obstacle:
            self.notices.append(f"{file.label}: @{_one_line(word)} is not imported: {obstacle}")
        if obstacle or target in self._seen:
            return None
        self._imports += 1
        return self._load(target, own=own)

    def _obstacle(self, word: str, target: Path, file: _File, chain: tuple[Path, ...]) -> str | None:
        if not file.own and word.startswith("~/"):
            return "only your own AGENTS.md may import from the home folder."
        if not file.own and not target.is_relative_to(self._project.root):
            return "it lies outside the project."
        if target.is_relative_to(self._project.root) and self._project.is_of_another(target):
            return "it belongs to another repository."
        if target in chain:
            return "it imports itself, directly or through other files."
        if target in self._seen:
            return None
        if len(chain) > _MAX_DEPTH:
            return f"imports may be nested {_MAX_DEPTH} deep."
        if self._imports >= _MAX_IMPORTS:
            return f"there are more than {_MAX_IMPORTS} imports."
        return None

    def _label(self, path: Path, own: bool) -> str:
        base = self._guard.config_folder if own else self.root
        name = _one_line(str(path.relative_to(base) if path.is_relative_to(base) else path))
        return f"the user's own {name}" if own else name


def _folders(root: Path, working_folder: Path) -> list[Path]:
    between = [folder for folder in (working_folder, *working_folder.parents) if folder.is_relative_to(root)]
    return between[::-1]


def _named_file(word: str, folder: Path) -> Path | None:
    """The existing file that a word names, absolute, with or without the punctuation behind it."""
    for name in dict.fromkeys((word, word.rstrip(_PUNCTUATION))):
        try:
            path = folder / (Path(name).expanduser() if name.startswith("~/") else name)
            if name and path.is_file():
                return path
        except (OSError, RuntimeError):
            # No path at all: too long, a loop of symlinks, no home folder. It stays the text that it is.
            continue
    return None


def _existing(path: Path) -> Path | None:
    """The real path of one of the person's own files; None where there is none. Symlinks are theirs to make."""
    real = Path(os.path.realpath(path))
    return real if os.path.lexists(real) else None


def _fit(files: Sequence[_File], max_bytes: int) -> dict[Path, str]:
    """The text of each file as far as there is room, the first ones first; cut at the end of a line."""
    fitted: dict[Path, str] = {}
    room = max_bytes
    for file in files:
        frame = len(_heading(file).encode()) + len("\n\n")
        content = file.text.encode()
        space = max(room - frame, 0)
        if len(content) > space:
            content = content[: max(content.rfind(b"\n", 0, space + 1), 0)].rstrip()
        fitted[file.path] = content.decode()
        room -= frame + len(content) if content else 0
    return fitted


def _heading(file: _File) -> str:
    return f"# From {file.label}\n\n"


def _cut_notice(file: _File, kept: str) -> str:
    used, size = (f"{len(text.encode()):,}" for text in (kept, file.text))
    return f"{file.label} was cut: {used} of {size} bytes are used; raise context.max_memory_bytes or shorten it"


def _bounded(notices: Sequence[str]) -> tuple[str, ...]:
    if len(notices) <= _MAX_NOTICES:
        return tuple(notices)
    return (*notices[:_MAX_NOTICES], f"{len(notices) - _MAX_NOTICES} more problems with memory files are not shown.")


def _one_line(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)
