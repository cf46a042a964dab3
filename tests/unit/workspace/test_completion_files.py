"""The paths that can be mentioned."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from code_assistant.workspace import completion_files
from code_assistant.workspace.completion_files import workspace_files
from code_assistant.workspace.workspace import Workspace


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")


def test_files_and_folders_level_by_level_without_what_is_ignored(tmp_path: Path) -> None:
    make(tmp_path, "b.py", "a/deep/x.py", "a/y.py", "build/out.o", "keep.log", "drop.log", ".git/config", "sub/z.tmp")
    (tmp_path / ".gitignore").write_text("build/\n*.log\n!keep.log\n")
    (tmp_path / "sub" / ".gitignore").write_text("*.tmp\n")
    assert workspace_files(Workspace(tmp_path)) == [
        ".gitignore", "a/", "b.py", "keep.log", "sub/", "a/deep/", "a/y.py", "sub/.gitignore", "a/deep/x.py",
    ]  # fmt: skip


def test_hidden_paths_are_not_offered(tmp_path: Path) -> None:
    make(tmp_path, "secret/key", "open.py")
    assert workspace_files(Workspace(tmp_path), lambda path: "secret" in path.parts) == ["open.py"]


def test_links_are_neither_followed_nor_offered(tmp_path: Path) -> None:
    make(tmp_path, "inside/a.py", "outside/b.py")
    os.symlink(tmp_path / "outside", tmp_path / "inside" / "folder")
    os.symlink(tmp_path / "outside" / "b.py", tmp_path / "inside" / "file")
    assert workspace_files(Workspace(tmp_path / "inside")) == ["a.py"]


def test_other_opened_folders_have_absolute_paths(tmp_path: Path) -> None:
    make(tmp_path, "one/a.py", "two/b.py")
    assert workspace_files(Workspace(tmp_path / "one", (tmp_path / "two",))) == ["a.py", f"{tmp_path}/two/b.py"]


def test_the_number_and_the_time_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, *(f"{number}/x.py" for number in range(20)))
    monkeypatch.setattr(completion_files, "MAXIMUM_FILES", 25)
    assert len(workspace_files(Workspace(tmp_path))) == 25
    ticks = iter(range(1000))
    assert len(workspace_files(Workspace(tmp_path), None, lambda: float(next(ticks)))) < 25


def test_a_folder_that_is_gone_is_empty(tmp_path: Path) -> None:
    assert workspace_files(Workspace(tmp_path / "gone")) == []
