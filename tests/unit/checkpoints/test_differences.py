"""What a session has changed, file by file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from code_assistant.checkpoints import differences as module
from code_assistant.checkpoints.checkpoints import Checkpoints
from tests.unit.checkpoints.support import anywhere, delete, write


@pytest.fixture
def checkpoints(kept: Path, work: Path) -> Checkpoints:
    made = Checkpoints(kept, is_inside=anywhere, show=lambda path: str(path.relative_to(work)))
    made.begin("first")
    return made


def test_files_are_compared_with_what_they_were_before_the_first_turn(work: Path, checkpoints: Checkpoints) -> None:
    (work / "a").write_bytes(b"one\ntwo\nthree\n")
    (work / "gone").write_bytes(b"x\n")
    (work / "same").write_bytes(b"same\n")
    write(checkpoints, work / "a", b"one\nTWO\nthree\n")
    write(checkpoints, work / "same", b"other\n")
    checkpoints.begin("second")
    checkpoints.command_ran()
    write(checkpoints, work / "a", b"one\nZWEI\nthree\n")
    write(checkpoints, work / "new", b"n\n")
    write(checkpoints, work / "same", b"same\n")
    delete(checkpoints, work / "gone")
    changes = checkpoints.changes()
    assert [(each.shown, each.kind, each.added, each.removed, each.remark) for each in changes.files] == [
        ("a", "changed", 1, 1, ""),
        ("new", "created", 1, 0, ""),
        ("gone", "deleted", 0, 1, ""),
    ]
    assert changes.files[0].diff == "--- a\n+++ a\n@@ -1,3 +1,3 @@\n one\n-two\n+ZWEI\n three\n"
    assert changes.files[1].diff == "--- /dev/null\n+++ new\n@@ -0,0 +1,1 @@\n+n\n"
    assert changes.files[2].diff == "--- gone\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n"
    assert (changes.summary, changes.ran_commands) == ("3 files, +2 \N{MINUS SIGN}2", True)


def test_what_is_taken_back_is_no_change(work: Path, checkpoints: Checkpoints) -> None:
    write(checkpoints, work / "a", b"1\n")
    checkpoints.begin("second")
    write(checkpoints, work / "b", b"1\n")
    checkpoints.undo()
    assert [each.shown for each in checkpoints.changes().files] == ["a"]


def test_binary_files_links_and_strange_things_are_said_as_such(work: Path, checkpoints: Checkpoints) -> None:
    (work / "binary").write_bytes(b"\x00\x01")
    (work / "link").symlink_to("elsewhere")
    (work / "folder").write_bytes(b"x")
    delete(checkpoints, work / "binary")
    delete(checkpoints, work / "link")
    delete(checkpoints, work / "folder")
    (work / "folder").mkdir()
    write(checkpoints, work / os.fsdecode(b"odd \xff"), b"")
    assert [(each.shown, each.kind, each.diff, each.remark) for each in checkpoints.changes().files] == [
        ("binary", "deleted", "", "binary is a binary file; only text can be changed"),
        ("link", "deleted", "", "a link to elsewhere"),
        ("folder", "changed", "", "is a folder now"),
        ("odd \ufffd", "created", "", ""),
    ]


def test_changes_of_others_are_told(work: Path, checkpoints: Checkpoints) -> None:
    (work / "a").write_bytes(b"1\n")
    write(checkpoints, work / "a", b"2\n")
    (work / "a").write_bytes(b"3\n")
    (change,) = checkpoints.changes().files
    assert change.remark == "changed since by somebody else, too"
    assert change.diff.endswith("-1\n+3\n")


def test_long_changes_are_bounded(work: Path, checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAXIMUM_CHARACTERS", 30_000)
    for name in ("a", "b", "c"):
        write(checkpoints, work / name, b"line\n" * 10_000)
    first, second, third = checkpoints.changes().files
    assert len(first.diff) < 20_100
    assert len(second.diff) < 10_200
    assert first.diff.endswith("more lines of this diff not shown\n")
    assert (third.diff, third.added, third.remark) == ("", 10_000, module.TOO_MUCH)
