"""Changing files: in the right order, and a failure leaves the old file and nothing else."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.changes import ContentChange, apply_content, apply_removal, content_to_change, removal_of
from code_assistant.workspace.opening import FileMissing
from code_assistant.workspace.replacing import FileChanged
from code_assistant.workspace.threads import StopFlag, StopRequested
from tests.unit.workspace.changing import create, marks, protected, replace


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old\n")
    return path


def test_safe_e2_a_file_is_replaced_by_another_one_and_never_written_to(file: Path) -> None:
    with open(file, "rb") as reader:
        replace(file, b"new\n")
        assert reader.read() == b"old\n"
    assert file.read_bytes() == b"new\n"


def test_safe_e2_content_and_folder_are_synchronised_in_order(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    fsync, rename = os.fsync, os.rename

    def recording_fsync(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        calls.append("fsync of the folder" if is_folder else f"fsync of {os.fstat(descriptor).st_size} bytes")
        fsync(descriptor)

    def recording_rename(*arguments: Any, **named: Any) -> None:
        calls.append("rename")
        rename(*arguments, **named)

    monkeypatch.setattr(os, "fsync", recording_fsync)
    monkeypatch.setattr(os, "rename", recording_rename)
    replace(file, b"new content\n")
    assert calls == ["fsync of 12 bytes", "rename", "fsync of the folder"]


# Every call by which a new content gets to its place; the folder's own synchronising comes when the change is made.
REPLACING_CALLS = ["write", "fchmod", "fsync", "rename"]
CREATING_CALLS = ["write", "fsync", "link"]


def fail_once(monkeypatch: pytest.MonkeyPatch, name: str, code: int = errno.ENOSPC) -> None:
    real = getattr(os, name)
    calls: list[str] = []

    def failing(*arguments: Any, **named: Any) -> Any:
        calls.append(name)
        if len(calls) == 1:
            raise OSError(code, os.strerror(code))
        return real(*arguments, **named)

    monkeypatch.setattr(os, name, failing)


@pytest.mark.parametrize("name", REPLACING_CALLS)
def test_safe_e2_a_failure_leaves_the_old_file_and_nothing_else(
    file: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = marks(file)
    fail_once(monkeypatch, name)
    with pytest.raises(WorkspaceError, match=r"a\.txt cannot be changed: No space left on device"):
        replace(file, b"new\n", b"old\n")
    assert (file.read_bytes(), marks(file)) == (b"old\n", before)
    assert os.listdir(file.parent) == ["a.txt"]


@pytest.mark.parametrize("name", CREATING_CALLS)
def test_safe_e2_a_file_that_cannot_be_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    fail_once(monkeypatch, name)
    with pytest.raises(WorkspaceError, match="No space left on device"):
        create(tmp_path / "new" / "folder" / "a.txt", b"new\n")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["write", "ftruncate", "fsync"])
def test_a_failure_in_a_file_with_two_names_is_taken_back(
    file: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    os.link(file, file.with_name("b.txt"))
    fail_once(monkeypatch, name)
    with pytest.raises(WorkspaceError, match="No space left on device"):
        replace(file, b"new and longer\n", b"old\n")
    assert file.read_bytes() == b"old\n"


def test_a_write_that_takes_only_a_part_goes_on(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    replace(file, b"new content\n")
    assert file.read_bytes() == b"new content\n"


def test_a_folder_that_cannot_be_synchronised_does_not_make_a_change_undone(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def failing(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", failing)
    replace(file, b"new\n")
    assert file.read_bytes() == b"new\n"


def test_a_file_system_without_hard_links_can_have_new_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    create(tmp_path / "a.txt", b"new\n")
    assert (tmp_path / "a.txt").read_bytes() == b"new\n"
    assert os.listdir(tmp_path) == ["a.txt"]
    with pytest.raises(FileChanged, match="has appeared in the meantime"):
        create(tmp_path / "a.txt", b"newer\n")
    assert (tmp_path / "a.txt").read_bytes() == b"new\n"


def test_a_file_without_a_write_bit_is_read_only_for_root_too(file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(WorkspaceError, match=r"a\.txt is read-only \(mode 0444\); it must be made writable"):
        content_to_change(file, "a.txt")
    with pytest.raises(WorkspaceError, match="is read-only"):
        replace(file, b"new\n")
    assert file.read_bytes() == b"old\n"


def test_a_protected_file_is_known_before_anybody_is_asked(file: Path) -> None:
    with protected(file), pytest.raises(WorkspaceError, match=r"a\.txt (cannot be changed|is read-only)"):
        content_to_change(file, "a.txt")


def test_in_a_protected_folder_nothing_changes_and_nothing_is_left(file: Path) -> None:
    changes: list[Callable[[], None]] = [
        lambda: replace(file, b"new\n"),
        lambda: create(file.with_name("new.txt"), b"new\n"),
        lambda: create(file.parent / "folder" / "new.txt", b"new\n"),
        lambda: apply_removal(removal_of(file, "a.txt"), StopFlag()),
    ]
    with protected(file.parent):
        for change in changes:
            with pytest.raises(WorkspaceError, match=r"cannot be changed: .* its folder may be write-protected"):
                change()
    assert file.read_bytes() == b"old\n"
    assert os.listdir(file.parent) == ["a.txt"]


def test_what_was_told_to_stop_does_not_begin(file: Path) -> None:
    flag = StopFlag()
    flag.stop()
    with pytest.raises(StopRequested):
        apply_content(ContentChange(file, "a.txt", b"old\n", b"new\n"), flag)
    with pytest.raises(StopRequested):
        apply_content(ContentChange(file.parent / "new" / "a.txt", "a.txt", None, b"new\n"), flag)
    with pytest.raises(StopRequested):
        apply_removal(removal_of(file, "a.txt"), flag)
    assert file.read_bytes() == b"old\n"
    assert os.listdir(file.parent) == ["a.txt"]


def test_safe_p2_a_folder_swapped_for_a_link_is_not_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "a.txt").write_bytes(b"old\n")
    removal = removal_of(inside / "a.txt", "a.txt")
    (inside / "a.txt").unlink()
    inside.rmdir()
    inside.symlink_to(outside)
    for change in (
        lambda: replace(inside / "a.txt", b"new\n", b"old\n"),
        lambda: create(inside / "b.txt", b"new\n"),
        lambda: create(inside / "new" / "b.txt", b"new\n"),
        lambda: apply_removal(removal, StopFlag()),
    ):
        with pytest.raises(WorkspaceError):
            change()
    assert os.listdir(outside) == ["a.txt"]
    assert (outside / "a.txt").read_bytes() == b"old\n"


def test_no_descriptor_is_left_open(file: Path) -> None:
    os.mkfifo(file.with_name("fifo"))
    before = len(os.listdir("/proc/self/fd"))
    replace(file, b"new\n")
    create(file.with_name("b.txt"), b"new\n")
    with pytest.raises(FileChanged):
        replace(file, b"x", b"y")
    with pytest.raises(FileChanged):
        create(file, b"x")
    with pytest.raises(FileMissing):
        content_to_change(file.with_name("missing"), "missing")
    with pytest.raises(WorkspaceError):
        content_to_change(file.with_name("fifo"), "fifo")
    apply_removal(removal_of(file, "a.txt"), StopFlag())
    assert len(os.listdir("/proc/self/fd")) == before
