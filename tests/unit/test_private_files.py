from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.private_files import make_private_folder, open_private_file


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_safe_k2_everything_created_is_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "state" / "code-assistant" / "sessions"
    make_private_folder(folder)
    with open_private_file(folder / "one.jsonl") as file:
        file.write("{}\n")
    created = [tmp_path / "state", *(tmp_path / "state").rglob("*")]
    assert len(created) == 4
    assert {path: mode(path) for path in created} == {path: 0o700 if path.is_dir() else 0o600 for path in created}


@pytest.mark.parametrize("must_be_new", [False, True])
def test_safe_k2_a_file_is_private_in_the_moment_it_is_made(
    tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch, must_be_new: bool
) -> None:
    opening = os.open
    modes: list[int] = []

    def watched(path: Path, flags: int, mode: int = 0o777) -> int:
        descriptor = opening(path, flags, mode)
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return descriptor

    monkeypatch.setattr(os, "open", watched)
    open_private_file(tmp_path / "log", must_be_new=must_be_new).close()
    assert modes == [0o600]


@pytest.mark.parametrize("must_be_new", [False, True])
def test_safe_k2_no_mode_has_to_be_repaired_afterwards(
    tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch, must_be_new: bool
) -> None:
    def no_change(descriptor: int, mode: int) -> None:
        raise AssertionError("the mode had to be repaired after the file was made")

    monkeypatch.setattr(os, "fchmod", no_change)
    make_private_folder(tmp_path / "ours")
    open_private_file(tmp_path / "ours" / "log", must_be_new=must_be_new).close()
    assert mode(tmp_path / "ours" / "log") == 0o600


def test_safe_k2_a_umask_that_takes_our_own_rights_is_repaired(tmp_path: Path) -> None:
    before = os.umask(0o777)
    try:
        open_private_file(tmp_path / "log").close()
    finally:
        os.umask(before)
    assert mode(tmp_path / "log") == 0o600


def test_safe_k2_wider_modes_of_our_own_things_are_tightened(tmp_path: Path) -> None:
    folder = tmp_path / "ours"
    folder.mkdir()
    folder.chmod(0o755)
    file = folder / "log"
    file.write_text("old\n")
    file.chmod(0o644)
    make_private_folder(folder)
    open_private_file(file).close()
    assert (mode(folder), mode(file)) == (0o700, 0o600)


def test_existing_parents_keep_their_modes(tmp_path: Path) -> None:
    parent = tmp_path / "home"
    parent.mkdir()
    parent.chmod(0o755)
    make_private_folder(parent / "ours")
    assert mode(parent) == 0o755


@pytest.mark.parametrize("target", ["elsewhere", "missing"])
def test_safe_k2_a_symlinked_folder_is_refused(tmp_path: Path, target: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "ours").symlink_to(tmp_path / target)
    with pytest.raises(WorkspaceError, match="is a symlink"):
        make_private_folder(tmp_path / "ours")
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("target", ["elsewhere", "missing"])
def test_safe_k2_a_symlinked_file_is_refused_and_its_target_untouched(tmp_path: Path, target: str) -> None:
    (tmp_path / "elsewhere").write_text("theirs")
    (tmp_path / "elsewhere").chmod(0o644)
    (tmp_path / "log").symlink_to(tmp_path / target)
    with pytest.raises(WorkspaceError, match="is a symlink"):
        open_private_file(tmp_path / "log")
    assert not (tmp_path / "missing").exists()
    assert mode(tmp_path / "elsewhere") == 0o644


def test_safe_k2_what_belongs_to_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log").write_text("")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(WorkspaceError, match="belongs to another user"):
        make_private_folder(tmp_path)
    with pytest.raises(WorkspaceError, match="belongs to another user"):
        open_private_file(tmp_path / "log")


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ours").write_text("")
    with pytest.raises(WorkspaceError, match="cannot be used as a folder"):
        make_private_folder(tmp_path / "ours")
    with pytest.raises(WorkspaceError, match="cannot be used as a folder"):
        make_private_folder(tmp_path / "ours" / "below")


def test_a_folder_a_pipe_and_a_missing_folder_are_refused_as_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder", "missing/log"):
        with pytest.raises(WorkspaceError, match="cannot be used as a file"):
            open_private_file(tmp_path / name)


def test_a_pipe_with_a_reader_is_refused_too(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(WorkspaceError, match="not a regular file"):
            open_private_file(tmp_path / "pipe")
    finally:
        os.close(reader)


def test_lines_are_appended_and_written_at_once(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with open_private_file(path) as file:
        file.write("one\n")
    with open_private_file(path) as file:
        file.write("two \ud800\n")
        assert path.read_text() == "one\ntwo \\ud800\n"
