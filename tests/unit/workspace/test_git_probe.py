"""Which git is run, and what its configuration says."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.workspace.git_configuration import ConfigEntry, parsed_configuration
from code_assistant.workspace.git_probe import find_git
from tests.rows import each_row


def program(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "git"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_git_is_found_in_folders_of_the_system_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "own")
    monkeypatch.setenv("PATH", str(tmp_path / "own"))
    assert find_git((), [str(tmp_path / "nothing")]) is None
    there = program(tmp_path / "system")
    assert find_git((), [str(tmp_path / "nothing"), str(tmp_path / "system")]) == there


def test_safe_b4_a_git_of_the_workspace_or_of_the_home_is_none(tmp_path: Path) -> None:
    home = tmp_path / "home"
    folders = [str(home / "bin"), str(tmp_path / "linked"), str(tmp_path / "system")]
    program(home / "bin")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "git").symlink_to(home / "bin" / "git")
    assert find_git([home], folders) is None
    (tmp_path / "shortcut").symlink_to(home)
    assert find_git([tmp_path / "shortcut"], folders) is None
    there = program(tmp_path / "system")
    assert find_git([home], folders) == there


def test_reading_a_configuration() -> None:
    output = b"system\0credential.https://a.b.helper\nx y\0local\0core.bare\0worktree\0a.b\nc\nd\0"
    assert list(parsed_configuration(output)) == [
        ConfigEntry("system", "credential.https://a.b.helper", "x y"),
        ConfigEntry("local", "core.bare", None),
        ConfigEntry("worktree", "a.b", "c\nd"),
    ]


def test_parts_of_a_key() -> None:
    entry = ConfigEntry("local", 'filter.a."b.c.clean', "x")
    assert (entry.section, entry.middle, entry.word) == ("filter", 'a."b.c', "clean")
    assert ConfigEntry("local", "core.pager", "x").middle == ""


@each_row("value", ["false", "no", "off", "0", "", "FALSE"])
def test_a_monitor_that_is_off_is_none(value: str) -> None:
    assert not ConfigEntry("local", "core.fsmonitor", value).is_dangerous


@each_row(
    "key",
    [
        *("format.pretty", "pretty.x", "branch.sort", "tag.sort", "diff.submodule", "status.submoduleSummary"),
        *("blame.ignoreRevsFile", "core.attributesFile", "core.excludesFile", "mailmap.file", "diff.orderFile"),
    ],
)
def test_formats_orders_and_files_elsewhere_are_dangerous(key: str) -> None:
    assert ConfigEntry("local", key, "x").is_dangerous


@each_row("value", ["true", "1", None, "watchman", "/bin/false", " false"])
def test_every_other_is_one(value: str | None) -> None:
    assert ConfigEntry("local", "core.fsmonitor", value).is_dangerous
