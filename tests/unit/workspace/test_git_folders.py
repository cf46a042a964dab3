"""What a repository's own folder must hold for git to read nothing else, and to change nothing."""

from __future__ import annotations

from pathlib import Path

from code_assistant.workspace.git_folders import leads_elsewhere
from tests.rows import each_row

FILES = (
    *("HEAD", "config", "index", "packed-refs", "hooks/pre-commit", "info/exclude"),
    *("objects/info/packs", "objects/pack/pack-1.pack", "objects/ab/cd", "refs/heads/main", "refs/remotes/origin/a/b"),
    *("logs/HEAD", "logs/refs/heads/main"),
)


def _git_folder(folder: Path) -> Path:
    git_folder = folder / ".git"
    for name in FILES:
        (git_folder / name).parent.mkdir(parents=True, exist_ok=True)
        (git_folder / name).write_text("")
    return git_folder


def test_an_ordinary_folder_leads_nowhere_else(tmp_path: Path) -> None:
    git_folder = _git_folder(tmp_path)
    assert not leads_elsewhere(git_folder)
    (git_folder / "hooks/post-commit").symlink_to(tmp_path)
    assert not leads_elsewhere(git_folder), "hooks are never read"


def test_safe_b5_no_link_in_it_is_followed(tmp_path: Path) -> None:
    @each_row("name", (name for name in (*FILES, "objects", "objects/pack", "objects/ab", "refs/heads", "logs/refs")))
    def followed(name: str) -> None:
        if name.startswith("hooks"):
            return
        folder = tmp_path / name.replace("/", "-")
        git_folder, elsewhere = _git_folder(folder), folder / "elsewhere"
        (git_folder / name).rename(elsewhere)
        (git_folder / name).symlink_to(elsewhere)
        assert leads_elsewhere(git_folder)

    followed()


def test_safe_b5_what_is_shared_or_cannot_be_looked_at_is_not_read(tmp_path: Path) -> None:
    @each_row("name", ["objects/info/alternates", "objects/info/http-alternates", "sharedindex.0123"])
    def shared(name: str) -> None:
        git_folder = _git_folder(tmp_path / name.replace("/", "-"))
        (git_folder / name).write_text("")
        assert leads_elsewhere(git_folder)

    shared()
    assert leads_elsewhere(tmp_path / "missing")
    assert leads_elsewhere(_git_folder(tmp_path), most_entries=5)
