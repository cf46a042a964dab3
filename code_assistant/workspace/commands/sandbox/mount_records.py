"""What is made before a command, only to be walled off, and what is undone after it.

Something can be mounted only where there is something. What must not be created therefore gets a stand-in: an empty
folder, which git does not see and whose removal can cost nobody a file, or in a git folder a file that means nothing.
Commands can change what these paths lead through, so nothing here follows a link. Imported by keepers, so no more than
plain modules.
"""
# Paths are bytes as they came, and pathlib takes long to import.
# ruff: noqa: PTH101, PTH115, PTH208

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import NamedTuple

# More than two of the longest paths, of which a record may be made.
MAXIMUM_BYTES = 16384
# Of a name that something else is added to.
NAME_BYTES = 200


class StandIn(NamedTuple):
    """An empty folder where `content` is None, else a file with exactly this content."""

    path: bytes
    content: bytes | None = None

    @property
    def kind(self) -> bytes:
        return b"folder" if self.content is None else b"file " + self.content

    def make(self) -> None:
        """Raises FileExistsError where something is there."""
        with _folder_and_name(self.path) as (folder, name):
            if self.content is None:
                os.mkdir(name, 0o755, dir_fd=folder)
                return
            _make_file(folder, name, self.content)

    def is_there(self) -> bool:
        """Whether what is there can still be what we made."""
        try:
            with _folder_and_name(self.path) as (folder, name):
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
                descriptor = os.open(name, flags, dir_fd=folder)
        except OSError:
            return False
        try:
            if self.content is None:
                return not os.listdir(descriptor)
            return os.read(descriptor, MAXIMUM_BYTES) == self.content
        except OSError:
            return False
        finally:
            os.close(descriptor)

    def remove(self) -> None:
        """Unless somebody has made something of it since, or it cannot be removed any more."""
        with suppress(OSError), _folder_and_name(self.path) as (folder, name), _made_writable(folder):
            if not self.is_there():
                return
            if self.content is None:
                os.rmdir(name, dir_fd=folder)
            else:
                os.unlink(name, dir_fd=folder)

    def is_out_of_reach(self) -> bool:
        """Whether a folder above is closed to us; the one that it lies in is opened for it."""
        try:
            with _folder_and_name(self.path) as (folder, name), _made_writable(folder):
                _is_there(folder, name)
        except PermissionError:
            return True
        except OSError:
            # Gone, with whatever it lay in.
            return False
        return False


def _make_file(folder: int, name: bytes, content: bytes) -> None:
    """In one step: the person's git may look just then, and half of it would be an error to it."""
    try:
        descriptor = os.open(b".", os.O_WRONLY | os.O_TMPFILE | os.O_CLOEXEC, 0o644, dir_fd=folder)
    except OSError:
        # Not every file system knows files without a name.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor, has_name = os.open(name, flags, 0o644, dir_fd=folder), True
    else:
        has_name = False
    try:
        os.write(descriptor, content)
        if not has_name:
            os.link(b"/proc/self/fd/%d" % descriptor, name, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(descriptor)


class KeptLink(NamedTuple):
    """A link that must lead where it leads."""

    path: bytes
    target: bytes

    @property
    def kind(self) -> bytes:
        return b"link " + self.target

    def is_there(self) -> bool:
        try:
            with _folder_and_name(self.path) as (folder, name):
                return _link_target(folder, name) == self.target
        except OSError:
            return False

    def was_undone(self) -> bool:
        """Whether it had been changed, and was put back; raises OSError where it cannot be."""
        with _folder_and_name(self.path) as (folder, name):
            if _link_target(folder, name) == self.target:
                return False
            with _made_writable(folder):
                if _link_target(folder, name) is not None:
                    os.unlink(name, dir_fd=folder)
                elif _is_there(folder, name):
                    _move_aside(folder, name)
                os.symlink(self.target, name, dir_fd=folder)
        return True


class NoRepository(NamedTuple):
    """A folder that must not become a repository, by HEAD, objects and refs right in it.

    Nothing can stand in for these names, which everybody would see. Whoever used git in the folder would run what its
    configuration names.
    """

    path: bytes

    @property
    def kind(self) -> bytes:
        return b"no-repository"

    def was_undone(self) -> bool:
        """Whether it had become one; raises OSError where that cannot be undone."""
        if not is_git_folder(self.path):
            return False
        with _folder_and_name(self.path + b"/HEAD") as (folder, name), _made_writable(folder):
            _move_aside(folder, name)
        return True


# What is undone after a command.
Promise = KeptLink | NoRepository
Record = StandIn | Promise


def is_git_folder(path: bytes) -> bool:
    """Whether git could take this folder itself for a repository; what it looks at it need not look into."""
    names = [name for name in (b"HEAD", b"commondir", b"objects", b"refs") if os.path.lexists(path + b"/" + name)]
    return names[:1] == [b"HEAD"] and (b"commondir" in names or len(names) == 3)


@contextmanager
def _folder_and_name(path: bytes) -> Generator[tuple[int, bytes]]:
    """The folder opened; raises OSError where it is not what had this path when it was looked at."""
    folder, name = os.path.split(path)
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if os.readlink(b"/proc/self/fd/%d" % descriptor) != folder:
            raise OSError(errno.ELOOP, "A folder on the way was replaced", os.fsdecode(path))
        yield descriptor, name
    finally:
        os.close(descriptor)


@contextmanager
def _made_writable(folder: int) -> Generator[None]:
    """A command can take from the person the right to change what is in a folder."""
    mode = stat.S_IMODE(os.fstat(folder).st_mode)
    is_closed = mode & 0o300 != 0o300
    if is_closed:
        os.chmod(b"/proc/self/fd/%d" % folder, mode | 0o300)
    try:
        yield
    finally:
        if is_closed:
            os.chmod(b"/proc/self/fd/%d" % folder, mode)


def _link_target(folder: int, name: bytes) -> bytes | None:
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError:
        return None


def _is_there(folder: int, name: bytes) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _move_aside(folder: int, name: bytes) -> None:
    """To a name that nobody can have taken before."""
    aside = b"%b.made-by-a-command-%b" % (name[:NAME_BYTES], os.urandom(4).hex().encode())
    os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)


def unpacked(body: bytes) -> Record | None:
    kind, separator, path = body.partition(b"\0")
    if not separator or not path.startswith(b"/"):
        return None
    if kind.startswith(b"link "):
        return KeptLink(path, kind[5:])
    if kind.startswith(b"file "):
        return StandIn(path, kind[5:])
    return {b"folder": StandIn(path), b"no-repository": NoRepository(path)}.get(kind)
