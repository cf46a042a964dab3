"""Opening regular files so that what was checked is what is read, and nothing can make us wait."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.openat2 import open_in_one_step

FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
LIST_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

KINDS = (
    (stat.S_ISDIR, "a folder; use list_files to see what is in it"),
    (stat.S_ISFIFO, "a named pipe, not a file that can be read"),
    (stat.S_ISSOCK, "a socket, not a file that can be read"),
    (stat.S_ISCHR, "a device, not a file that can be read"),
    (stat.S_ISBLK, "a device, not a file that can be read"),
    (stat.S_ISLNK, "a symbolic link that changed while it was opened; try again"),
)


class FileMissing(WorkspaceError):
    """There is no such file; the caller may know similar names."""


@dataclass(frozen=True, slots=True)
class OpenFile:
    descriptor: int
    status: os.stat_result

    @property
    def size(self) -> int:
        return self.status.st_size


@contextmanager
def regular_file(real: Path, shown: str) -> Generator[OpenFile]:
    """Open an already resolved path for reading; raises WorkspaceError for all but regular files."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(opened_folder(real.parent))
            file = stack.enter_context(file_in(folder, real.name or ".", shown))
        except OSError as error:
            raise explained(error, shown) from error
        yield file


@contextmanager
def opened_folder(real: Path, *, making: bool = False) -> Generator[int]:
    """A descriptor of an already resolved folder, for names in it; raises OSError. `making` adds missing folders.

    No part of it may be a link, so that no folder swapped for one after the check can lead elsewhere. Folders that
    were made are removed again when what they were made for fails.
    """
    if making:
        with _made_folder(real) as folder:
            yield folder
        return
    folder = open_unlinked(str(real), FOLDER_FLAGS)
    try:
        yield folder
    finally:
        os.close(folder)


@contextmanager
def _made_folder(real: Path) -> Generator[int]:
    made: list[tuple[int, str]] = []
    folder = os.open(real.anchor, FOLDER_FLAGS)
    try:
        for part in real.parts[1:]:
            inner, is_new = _entered(folder, part)
            if is_new:
                made.append((folder, part))
            else:
                os.close(folder)
            folder = inner
        yield folder
    except BaseException:
        for above, name in reversed(made):
            with suppress(OSError):
                os.rmdir(name, dir_fd=above)
        raise
    finally:
        for descriptor in (folder, *(above for above, _ in made)):
            os.close(descriptor)


def open_unlinked(path: str, flags: int) -> int:
    """A descriptor of what has this resolved path; raises OSError where any part of it has become a link."""
    descriptor = open_in_one_step(path, flags | os.O_NOFOLLOW)
    return descriptor if descriptor is not None else open_part_by_part(path, flags | os.O_NOFOLLOW)


def open_part_by_part(path: str, flags: int) -> int:
    """The same for kernels that cannot do it in one step."""
    *folders, name = [part for part in path.split("/") if part] or ["."]
    folder = os.open("/", FOLDER_FLAGS)
    try:
        for part in folders:
            inner = os.open(part, FOLDER_FLAGS, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(name, flags, dir_fd=folder)
    finally:
        os.close(folder)


def descriptor_path(descriptor: int) -> str | None:
    """A path by which a child of ours finds just what is open here, whatever its names are by then; None without /proc.

    It holds until the child runs its program, and beyond that for a descriptor that is passed on to it.
    """
    path = f"/proc/self/fd/{descriptor}"
    return path if os.path.lexists(path) else None


@contextmanager
def file_in(folder: int, name: str, shown: str) -> Generator[OpenFile]:
    """The same for a name in an opened folder; raises OSError where there is no such file."""
    # Opening some devices has effects of its own, so the kind is looked at before.
    _require_regular(os.stat(name, dir_fd=folder, follow_symlinks=False), shown)
    descriptor = os.open(name, FILE_FLAGS, dir_fd=folder)
    try:
        status = os.fstat(descriptor)
        _require_regular(status, shown)
        yield OpenFile(descriptor, status)
    finally:
        os.close(descriptor)


def is_folder(real: Path, shown: str) -> bool:
    """Whether a resolved path is a folder rather than a regular file; raises for all else."""
    try:
        with opened_folder(real.parent) as folder:
            status = os.stat(real.name or ".", dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        raise explained(error, shown) from error
    if stat.S_ISDIR(status.st_mode):
        return True
    _require_regular(status, shown)
    return False


def require_folder(real: Path, shown: str) -> None:
    if not is_folder(real, shown):
        raise WorkspaceError(f"{shown} is a file, not a folder; use read_files to read it.")


def _entered(folder: int, name: str) -> tuple[int, bool]:
    """A descriptor of a folder in a folder, and whether it had to be made."""
    with suppress(FileNotFoundError):
        return os.open(name, FOLDER_FLAGS, dir_fd=folder), False
    is_new = True
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:
        is_new = False
    return os.open(name, FOLDER_FLAGS, dir_fd=folder), is_new


def _require_regular(status: os.stat_result, shown: str) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    for is_kind, words in KINDS:
        if is_kind(status.st_mode):
            raise WorkspaceError(f"{shown} is {words}.")
    raise WorkspaceError(f"{shown} is not a regular file.")


def explained(error: OSError, shown: str) -> WorkspaceError:
    if error.errno == errno.ENOENT:
        return FileMissing(f"{shown} does not exist.")
    if error.errno == errno.ENOTDIR:
        return WorkspaceError(f"{shown} does not exist: a part of the path is not a folder.")
    if error.errno == errno.ELOOP:
        return WorkspaceError(f"{shown} changed while it was opened; try again.")
    return WorkspaceError(f"{shown} cannot be read: {error.strerror or error}.")
