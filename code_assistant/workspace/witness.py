"""Somebody who is told of every change to a file right before it is made, with what was there."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias


@dataclass(frozen=True, slots=True)
class Content:
    """A regular file: all of its bytes, and its mode."""

    data: bytes
    mode: int


@dataclass(frozen=True, slots=True)
class LeadsTo:
    """A symbolic link."""

    target: str


@dataclass(frozen=True, slots=True)
class Unread:
    """A regular file whose bytes could not be had, and why."""

    why: str
    mode: int


# What is at a path; None where there is nothing.
Found: TypeAlias = Content | LeadsTo | Unread | None


class Witness(Protocol):
    """Called in the thread that makes the change, while it holds the lock of the path. Nothing of it raises."""

    def before_change(self, path: Path, found: Found, after: bytes | None) -> None:
        """A resolved path is about to have this content, None when it will be gone."""
        ...

    def after_change(self, path: Path) -> None:
        """The change that was told last for this path is made."""
        ...

    def change_failed(self, path: Path, error: BaseException) -> None:
        """The change that was told last for this path ended in an error."""
        ...


@contextmanager
def witnessed(witness: Witness | None, path: Path, found: Found, after: bytes | None) -> Generator[None]:
    """Around the change itself, however it ends."""
    if witness is None:
        yield
        return
    witness.before_change(path, found, after)
    try:
        yield
    except BaseException as error:
        witness.change_failed(path, error)
        raise
    witness.after_change(path)
