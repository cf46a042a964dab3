"""Containment on its own: which path a text names, and how little is said about one outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.workspace import Workspace


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", ["", "a\0b", "/a" * 300_000])
def test_what_is_no_path_is_refused_at_once(tmp_path: Path, text: str) -> None:
    with pytest.raises(WorkspaceError, match="not a path"):
        Workspace(tmp_path).resolve(text)


def test_only_ones_own_home_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere")
    workspace = Workspace(tmp_path)
    assert workspace.resolve("~/x").path == Path("/somewhere/x")
    assert workspace.resolve("~root/x").path == tmp_path / "~root" / "x"


def test_programs_are_not_taken_from_the_project_around_the_workspace(tmp_path: Path) -> None:
    inner = tmp_path / "sub"
    inner.mkdir()
    assert Workspace(inner, (), tmp_path).untrusted == (inner, tmp_path)


def test_a_neighbour_with_the_same_beginning_is_outside(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop-secret").mkdir()
    assert not Workspace(tmp_path / "shop").resolve("../shop-secret").inside
