"""What a path was at one moment: nothing, a regular file by the digest of its content, or a link."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.opening import file_in, opened_folder
from code_assistant.workspace.snapshots import content_up_to_limit


@dataclass(frozen=True, slots=True)
class Nothing:
    """No file; `folders` are those above it that were missing, too, the outermost first."""

    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RegularFile:
    """`unkept` says why its content is not kept, empty where it is. Without a digest nobody has read the content."""

    digest: str
    mode: int
    size: int
    unkept: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    target: str


@dataclass(frozen=True, slots=True)
class Strange:
    """Something that no agent's tool leaves at a path, in words that go on after its name."""

    words: str


FileState: TypeAlias = Nothing | RegularFile | Link


def digest_of(data: bytes) -> str:
    # Imported when it is first needed, like in the ledger: the start of the program does without.
    from hashlib import sha256

    return sha256(data).hexdigest()


def is_same(first: FileState | Strange | None, second: FileState | Strange | None) -> bool:
    """Whether two states are one for whoever looks at the content; modes do not count."""
    if isinstance(first, RegularFile) and isinstance(second, RegularFile):
        return bool(first.digest) and first.digest == second.digest
    if isinstance(first, Nothing):
        return isinstance(second, Nothing)
    return isinstance(first, Link) and first == second


def state_at(path: Path) -> FileState | Strange:
    """What is at a resolved path now. Folders are not entered through links, so this looks at nothing else."""
    try:
        with opened_folder(path.parent) as folder:
            return _state_in(folder, path.name)
    except FileNotFoundError:
        return Nothing()
    except NotADirectoryError:
        return Strange("lies below something that is no folder any more")
    except OSError as error:
        return Strange(f"cannot be looked at: {error.strerror or error}")
    except WorkspaceError:
        return Strange("is no regular file any more")


def missing_folders(path: Path) -> tuple[str, ...]:
    """Those above a path that are not there, the outermost first."""
    missing: list[str] = []
    for folder in path.parents:
        if os.path.lexists(folder):
            break
        missing.append(str(folder))
    return tuple(reversed(missing))


def _state_in(folder: int, name: str) -> FileState | Strange:
    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        return Link(os.readlink(name, dir_fd=folder))
    if stat.S_ISDIR(mode):
        return Strange("is a folder now")
    with file_in(folder, name, name) as file:
        data = content_up_to_limit(file)
        mode = stat.S_IMODE(file.status.st_mode)
        if data is None:
            # Larger than anything that is written here, so it cannot be the same.
            return RegularFile("", mode, file.size)
        return RegularFile(digest_of(data), mode, len(data))
