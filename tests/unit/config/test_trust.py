"""Which folders are trusted: by their real root, as they were, kept outside of them."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from code_assistant.config.folder_trust import FolderTrust
from code_assistant.config.project_files import ProjectFiles, trusted
from code_assistant.config.trust_contents import contents_of
from code_assistant.config.trust_store import TrustStore
from code_assistant.config.trusted_parts import KINDS, fingerprint, present_parts
from code_assistant.errors import WorkspaceError
from tests.repositories import make_repository_mark


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_repository_mark(tmp_path / "work")
    return tmp_path / "work"


def write(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def is_trusted(folder: Path, environ: dict[str, str]) -> bool:
    return FolderTrust(folder, environ).is_trusted


def test_safe_t2_trust_is_for_one_real_root_and_nothing_below_or_above(root: Path, environ: dict[str, str]) -> None:
    (root / "src").mkdir()
    write(root / "module" / ".git", "gitdir: ../.git/modules/module")
    make_repository_mark(root / "vendor" / "lib")
    write(root.parent / "tree" / ".git", f"gitdir: {root}/.git/worktrees/tree")
    plain = root.parent / "plain"
    (plain / "below").mkdir(parents=True)
    (root.parent / "link").symlink_to(root)
    FolderTrust(root, environ).decide("keep")
    FolderTrust(plain, environ).decide("keep")
    assert all(is_trusted(each, environ) for each in (root, root / "src", root.parent / "link", plain))
    others = (root / "module", root / "vendor" / "lib", root.parent / "tree", root.parent, plain / "below", Path("/"))
    assert not any(is_trusted(each, environ) for each in others)


def test_safe_t2_of_files_of_a_repository_inside_nothing_is_read(root: Path) -> None:
    write(root / ".claude" / "settings.json", '{"hooks": {}}')
    make_repository_mark(root / ".claude")
    write(root / "module" / ".git", "gitdir: elsewhere")
    write(root / "module" / "AGENTS.md")
    project = ProjectFiles(root, trusted)
    assert project.read(Path("module/AGENTS.md")) is None
    assert project.read_limits(Path(".claude/settings.json")) is None
    assert fingerprint(root).digests == {}


def changes() -> list[tuple[str, Callable[[Path], object]]]:
    """Each kind of thing that acts: new, different, or gone."""
    table: list[tuple[str, Callable[[Path], object]]] = [
        (".mcp.json", lambda root: (root / ".mcp.json").write_text("{} ")),
        (".claude/agents/a.md", lambda root: (root / ".claude/agents/a.md").unlink()),
        (".claude/hooks/h.sh", lambda root: (root / ".claude/hooks/h.sh").write_bytes(b"\xfe")),
    ]
    for name in (name for kind in KINDS if kind.acts for name in kind.names):
        below = f"{name}/deep/new.md" if "." not in name.rpartition("/")[2] else name
        table.append((below, lambda root, below=below: write(root / below, f"new {below}")))
    return table


def test_safe_t2_a_change_of_what_acts_asks_again(root: Path, environ: dict[str, str]) -> None:
    for name, change in changes():
        write(root / ".mcp.json", "{}")
        write(root / ".claude" / "agents" / "a.md")
        write(root / ".claude" / "hooks" / "h.sh").write_bytes(b"\xff")
        FolderTrust(root, environ).decide("keep")
        assert is_trusted(root, environ)
        change(root)
        standing = FolderTrust(root, environ).standing
        assert (standing.is_trusted, standing.changed) == (False, (name,)), name
    FolderTrust(root, environ).decide("keep")
    # Words for the model change every day, and so does what git knows.
    write(root / "AGENTS.md", "other")
    write(root / ".git" / "config", "other")
    assert is_trusted(root, environ)


def test_safe_t2_what_cannot_be_looked_through_cannot_be_trusted(root: Path, environ: dict[str, str]) -> None:
    def loop(path: Path) -> None:
        path.mkdir(parents=True)
        for number in range(20):
            (path / f"again{number}").symlink_to(path)

    def many(path: Path) -> None:
        for number in range(1_001):
            write(path / f"{number}.md", "")

    outside = write(root.parent / "outside.json")
    obstacles: dict[str, Callable[[Path], object]] = {
        ".mcp.json": os.mkfifo,
        ".claude/settings.json": lambda path: path.symlink_to(outside),
        ".claude/settings.local.json": lambda path: path.write_bytes(b"x" * 1_000_001),
        ".claude/agents": loop,
        ".claude/commands": many,
        ".code-assistant/hooks": lambda path: path.symlink_to(root.parent),
    }
    (root / ".claude").mkdir()
    (root / ".code-assistant").mkdir()
    for name, make in obstacles.items():
        make(root / name)
        with pytest.raises(WorkspaceError, match="This folder cannot be trusted"):
            FolderTrust(root, environ).decide("keep")
        assert contents_of(root, present_parts(root, root), lambda _: True), name
        (root / name).rename(root.parent / f"away-{name.replace('/', '-')}")
    FolderTrust(root, environ).decide("keep")


def test_safe_t1_asking_opens_nothing(root: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    write(root / ".mcp.json")
    write(root / "src" / "CLAUDE.md")

    def no_open(*arguments: object, **options: object) -> int:
        raise AssertionError("opened before the answer")

    monkeypatch.setattr(os, "open", lambda path, *rest: no_open() if str(root) in str(path) else os.dup(0))
    trust = FolderTrust(root / "src", environ)
    monkeypatch.setattr(TrustStore, "_folders", lambda _: {})
    assert trust.state == "unknown"
    assert trust.parts() == (
        ("MCP servers (not started by this version)", (".mcp.json",)),
        ("instructions for the model", ("src/CLAUDE.md",)),
        ("git, asked for the branch and what changed", (".git",)),
    )
    assert trust.project.branch() is None
    assert trust.project.read(Path(".mcp.json")) is None


def test_safe_k2_the_store_is_private_outside_and_shared(tmp_path: Path, environ: dict[str, str]) -> None:
    roots = [tmp_path / f"folder {number}\n\x1b[2J\udcff" for number in range(20)]
    for each in roots:
        each.mkdir()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda each: FolderTrust(each, environ).decide("keep"), roots))
    assert all(is_trusted(each, environ) for each in roots)
    state = tmp_path / "home" / ".local/state/code-assistant"
    file = state / "trust.json"
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(state.stat().st_mode)) == (0o600, 0o700)
    assert not any(list(each.iterdir()) for each in roots)
    store = TrustStore(state)
    assert len(store.roots()) == 20
    assert store.remove(roots[0].resolve())
    assert not store.remove(roots[0].resolve())
    assert not is_trusted(roots[0], environ)


@pytest.mark.parametrize("damage", ["{", "[]", '{"folders": 1}', '{"folders": {"/": 1}}', "[" * 100_000])
def test_a_damaged_store_trusts_nobody_and_says_so(root: Path, environ: dict[str, str], damage: str) -> None:
    trust = FolderTrust(root, environ)
    trust.decide("keep")
    file = Path(environ["HOME"]) / ".local/state/code-assistant" / "trust.json"
    file.write_text(damage)
    standing = FolderTrust(root, environ).standing
    assert not standing.is_trusted
    assert standing.notices[0].startswith(f"{file} is damaged, so no folder counts as trusted.")
    assert FolderTrust(root, environ).decide("keep") == ""
    assert is_trusted(root, environ)
    assert json.loads(file.read_text())["folders"] == {str(root): {}}


def test_safe_t2_a_store_that_cannot_be_read_trusts_nobody(root: Path, environ: dict[str, str]) -> None:
    (Path(environ["HOME"]) / ".local/state/code-assistant" / "trust.json").mkdir(parents=True)
    trust = FolderTrust(root, environ)
    assert not trust.is_trusted
    assert "cannot be told" in trust.standing.notices[0]
    assert "in this run only" in trust.decide("keep")
    assert trust.is_trusted


def test_for_this_run_nothing_is_stored(root: Path, environ: dict[str, str]) -> None:
    assert FolderTrust(root, environ, is_given=True).is_trusted
    trust = FolderTrust(root, environ)
    trust.decide("once")
    assert trust.is_trusted
    trust.decide("without")
    assert trust.state == "declined"
    assert not Path(environ["HOME"]).exists()


def test_a_folder_that_vanishes_is_no_fault(root: Path, environ: dict[str, str]) -> None:
    trust = FolderTrust(root, environ)
    shutil.rmtree(root)
    assert trust.parts() == ()
    assert trust.project.branch() is None
    assert trust.decide("once") == ""


def test_safe_t4_what_came_since_the_question_is_not_trusted_unseen(root: Path, environ: dict[str, str]) -> None:
    trust = FolderTrust(root, environ)
    assert [names for _, names in trust.parts()] == [(".git",)]
    write(root / ".mcp.json", "{}")
    with pytest.raises(WorkspaceError, match=r"\.mcp\.json"):
        trust.decide("keep")
    assert not trust.is_trusted
    trust.parts()
    trust.decide("keep")
    assert trust.is_trusted


def test_safe_t2_a_change_while_the_program_runs_ends_the_trust(root: Path, environ: dict[str, str]) -> None:
    trust = FolderTrust(root, environ)
    trust.decide("keep")
    assert trust.look_for_changes() == ()
    later, given = FolderTrust(root, environ), FolderTrust(root, environ, is_given=True)
    assert later.look_for_changes() == given.look_for_changes() == ()
    write(root / ".claude/settings.json", "{}")
    for each in (trust, later):
        assert each.look_for_changes() == (".claude/settings.json",)
        assert not each.is_trusted
    assert given.look_for_changes() == ()
    assert given.is_trusted
