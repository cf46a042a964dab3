"""What is opened is what was checked: folders and files swapped for links in between lead nowhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.opening import FileMissing, is_folder, regular_file, require_folder
from code_assistant.workspace.workspace import Workspace


@pytest.fixture
def places(tmp_path: Path) -> Path:
    (tmp_path / "workspace" / "folder").mkdir(parents=True)
    (tmp_path / "workspace" / "folder" / "a.txt").write_text("inside\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.txt").write_text("secret\n")
    return tmp_path


def test_a_regular_file_is_opened(places: Path) -> None:
    with regular_file(places / "workspace" / "folder" / "a.txt", "a.txt") as file:
        assert os.read(file.descriptor, 100) == b"inside\n"
        assert file.size == 7


def test_safe_p2_a_file_swapped_for_a_link_after_the_check_is_not_followed(places: Path) -> None:
    resolved = Workspace(places / "workspace").resolve("folder/a.txt")
    assert resolved.inside
    resolved.path.unlink()
    resolved.path.symlink_to(places / "outside" / "a.txt")
    with pytest.raises(WorkspaceError, match="symbolic link that changed"), regular_file(resolved.path, "a.txt"):
        pytest.fail("it was opened")


def test_safe_p2_a_folder_swapped_for_a_link_after_the_check_is_not_followed(places: Path) -> None:
    resolved = Workspace(places / "workspace").resolve("folder/a.txt")
    assert resolved.inside
    resolved.path.unlink()
    resolved.path.parent.rmdir()
    resolved.path.parent.symlink_to(places / "outside")
    with pytest.raises(WorkspaceError), regular_file(resolved.path, "a.txt"):
        pytest.fail("it was opened")


def test_folders_and_files_are_told_apart(places: Path) -> None:
    folder = places / "workspace" / "folder"
    assert is_folder(folder, "folder")
    assert not is_folder(folder / "a.txt", "a.txt")
    with pytest.raises(FileMissing, match=r"gone does not exist\."):
        is_folder(folder / "gone", "gone")
    with pytest.raises(WorkspaceError, match=r"a\.txt is a file, not a folder; use read_files"):
        require_folder(folder / "a.txt", "a.txt")
    os.mkfifo(folder / "fifo")
    with pytest.raises(WorkspaceError, match="fifo is a named pipe"):
        is_folder(folder / "fifo", "fifo")
