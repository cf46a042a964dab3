"""Folders that are taken for repositories, without git."""

from __future__ import annotations

from pathlib import Path


def make_repository_mark(folder: Path) -> None:
    """As little as it takes: git itself would want more."""
    git = folder / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
