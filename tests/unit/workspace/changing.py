"""What the tests of changing files share: making a change as a tool does, and what the machine can do."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from code_assistant.workspace.changes import ContentChange, apply_content
from code_assistant.workspace.ledger import FileLedger
from code_assistant.workspace.proposals import carry_out, proposed_edits
from code_assistant.workspace.text_edits import TextEdit
from code_assistant.workspace.threads import StopFlag
from code_assistant.workspace.workspace import Workspace


def marks(path: Path) -> tuple[int, ...]:
    """All that tells whether a file was changed or replaced; reading it changes none of these."""
    status = path.stat()
    return (status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def replace(path: Path, after: bytes, before: bytes | None = None) -> None:
    """Put another content into a file that is there."""
    known = path.read_bytes() if before is None else before
    apply_content(ContentChange(path, path.name, known, after), StopFlag())


def create(path: Path, content: bytes) -> None:
    apply_content(ContentChange(path, path.name, None, content), StopFlag())


def edit(path: Path, old: str, new: str, ledger: FileLedger | None = None) -> None:
    """An edit from the first look at the file to the last, without anybody being asked."""
    ledger = ledger or FileLedger()
    proposal = proposed_edits(Workspace(path.parent).resolve(path.name), [TextEdit(old, new)], ledger)
    carry_out(proposal, ledger, StopFlag())


def require_extended_attributes(folder: Path) -> None:
    try:
        os.setxattr(folder, "user.test", b"")
    except (AttributeError, OSError) as error:
        pytest.skip(f"no extended attributes on this file system: {error}")


@contextmanager
def protected(path: Path) -> Generator[None]:
    """A file or folder in which nothing can be changed, for root neither."""
    if os.geteuid():
        mode = path.stat().st_mode
        path.chmod(mode & ~0o222)
        try:
            yield
        finally:
            path.chmod(mode)
        return
    program = shutil.which("chattr")
    if program is None or subprocess.run([program, "+i", str(path)], capture_output=True, check=False).returncode:
        pytest.skip("root cannot be kept from writing here: chattr +i does not work")
    try:
        yield
    finally:
        subprocess.run([program, "-i", str(path)], check=True)
