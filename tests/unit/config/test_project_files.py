from __future__ import annotations

import os
from pathlib import Path

import pytest

from code_assistant.config.project_files import ProjectFiles, find_project_root, trusted
from code_assistant.config.text_files import MAX_FILE_BYTES, read_user_file
from code_assistant.errors import WorkspaceError
from tests.repositories import make_repository_mark


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_a_file_is_read_by_relative_and_absolute_path(root: Path) -> None:
    (root / "docs").mkdir()
    (root / "docs" / "a.md").write_bytes(b"\xef\xbb\xbfhej \xff")
    project = ProjectFiles(root, trusted)
    assert project.read(Path("docs/a.md")) == "hej \ufffd"
    assert project.read(root / "docs" / "a.md") == "hej \ufffd"


def test_what_does_not_exist_is_none(root: Path) -> None:
    (root / "file").write_text("")
    (root / "dangling").symlink_to(root / "missing")
    project = ProjectFiles(root, trusted)
    for name in ("missing", "missing/below", "file/below", "dangling"):
        assert project.read(Path(name)) is None


def test_safe_t1_an_untrusted_file_is_not_opened(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "AGENTS.md").write_text("x")
    asked: list[Path] = []

    def refuse(path: Path) -> bool:
        asked.append(path)
        return False

    def no_open(*arguments: object, **options: object) -> int:
        raise AssertionError("opened before it was trusted")

    project = ProjectFiles(root, refuse)
    monkeypatch.setattr(os, "open", no_open)
    assert project.read(Path("AGENTS.md")) is None
    assert asked == [root.resolve() / "AGENTS.md"]


def test_safe_p1_ways_out_of_the_project_are_refused_by_name(root: Path) -> None:
    outside = root.parent / "outside.md"
    outside.write_text("secret")
    sibling = root.parent / "project-two"
    sibling.mkdir()
    (sibling / "a.md").write_text("secret")
    (root / "link.md").symlink_to(outside)
    (root / "folder").symlink_to(sibling)
    project = ProjectFiles(root, trusted)
    for name in ("link.md", "folder/a.md", "../outside.md", str(outside), str(sibling / "a.md")):
        with pytest.raises(WorkspaceError, match="leads out of the project") as caught:
            project.read(Path(name))
        assert name in str(caught.value)


def test_symlinks_inside_the_project_are_followed(root: Path) -> None:
    (root / "AGENTS.md").write_text("x")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    assert ProjectFiles(root, trusted).read(Path("CLAUDE.md")) == "x"


def test_a_symlinked_root_is_resolved_once(root: Path) -> None:
    (root / "a.md").write_text("x")
    (root.parent / "link").symlink_to(root)
    project = ProjectFiles(root.parent / "link", trusted)
    assert project.root == root.resolve()
    assert project.read(root.parent / "link" / "a.md") == "x"


def test_safe_p2_a_folder_swapped_for_a_symlink_after_the_check_is_not_followed(root: Path) -> None:
    (root / "docs").mkdir()
    (root / "docs" / "a.md").write_text("ours")
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("secret")

    def swap(path: Path) -> bool:
        (root / "docs").rename(root / "was")
        (root / "docs").symlink_to(outside)
        return True

    # Linux reports the symlink as "not a directory", which is the same as "nothing there".
    assert ProjectFiles(root, swap).read(Path("docs/a.md")) is None


@pytest.mark.timeout(60)
def test_safe_e4_pipes_folders_and_loops_are_errors_and_never_hang(root: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()
    (root / "loop").symlink_to("loop")
    project = ProjectFiles(root, trusted)
    for name in ("pipe", "folder", ".", "loop", "nul\0"):
        with pytest.raises(WorkspaceError):
            project.read(Path(name))
    with pytest.raises(WorkspaceError, match="not a regular file"):
        read_user_file(root / "pipe")


def test_files_up_to_the_limit_are_read_and_larger_ones_refused(root: Path) -> None:
    (root / "a.md").write_bytes(b"x" * MAX_FILE_BYTES)
    (root / "b.md").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    project = ProjectFiles(root, trusted)
    assert len(project.read(Path("a.md")) or "") == MAX_FILE_BYTES
    with pytest.raises(WorkspaceError, match="larger than 1000000 bytes"):
        project.read(Path("b.md"))


def test_no_descriptor_is_left_open(root: Path) -> None:
    (root / "docs").mkdir()
    (root / "docs" / "a.md").write_text("x")
    os.mkfifo(root / "docs" / "pipe")
    project = ProjectFiles(root, trusted)
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        project.read(Path("docs/a.md"))
        with pytest.raises(WorkspaceError):
            project.read(Path("docs/pipe"))
        with pytest.raises(WorkspaceError):
            project.read(Path("docs"))
    assert len(os.listdir("/dev/fd")) == before


def test_the_root_is_the_nearest_folder_with_git(root: Path) -> None:
    below = root / "a" / "b"
    below.mkdir(parents=True)
    assert find_project_root(below) == below.resolve()
    # It stands in for one while a command runs.
    (root / "a" / ".git").mkdir()
    assert find_project_root(below) == below.resolve()
    (root / "a" / ".git").rmdir()
    make_repository_mark(root)
    assert find_project_root(below) == root.resolve()
    (root / "a" / ".git").write_text("gitdir: elsewhere")
    assert find_project_root(below) == (root / "a").resolve()
