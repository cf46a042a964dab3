"""How the person left the look of a session: the last word on a thing counts, and nothing of it is worth an error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from code_assistant.events import MAIN, PromptStarted
from code_assistant.messages import Message, Text
from code_assistant.session.lock import is_locked
from code_assistant.session.view_state import BlockFolded, SessionRenamed, ViewFile, read_view
from tests.unit.session.runs import a_store

EVENTS = [
    BlockFolded("b1", True),
    BlockFolded("b2", True, "c1"),
    BlockFolded("b1", False),
    SessionRenamed("Tax \ud800"),
]


def view_file(path: Path, told: list[str]) -> ViewFile:
    return ViewFile(path, lambda: True, lambda: None, told.append)


def test_what_was_done_comes_back_over_two_programs(tmp_path: Path) -> None:
    told: list[str] = []
    for event in EVENTS:
        file = view_file(tmp_path / "view.jsonl", told)
        file.write(event)
        file.close()
    state = read_view(tmp_path / "view.jsonl")
    assert state.title == "Tax \ud800"
    assert state.folds == {("b1", ""): False, ("b2", "c1"): True}
    assert (tmp_path / "view.jsonl").stat().st_mode & 0o777 == 0o600
    assert told == []


def test_without_a_file_there_is_nothing(tmp_path: Path) -> None:
    state = read_view(tmp_path / "view.jsonl")
    assert (state.title, state.folds) == ("", {})


@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_what_is_no_file_of_ours_says_nothing(tmp_path: Path, kind: str) -> None:
    path, other = tmp_path / "view.jsonl", tmp_path / "other"
    file = view_file(other, [])
    file.write(EVENTS[0])
    file.close()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(other)
    assert read_view(path).folds == {}


def test_a_torn_or_foreign_line_costs_itself_only(tmp_path: Path) -> None:
    path = tmp_path / "view.jsonl"
    file = view_file(path, [])
    file.write(EVENTS[0])
    file.close()
    path.write_bytes(b'\xff\n[]\n{"type":"Later"}\n' + path.read_bytes() + b'{"type":"Session')
    assert read_view(path).folds == {("b1", ""): True}


def test_a_full_disk_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    told: list[str] = []
    file = view_file(tmp_path / "view.jsonl", told)
    monkeypatch.setattr(os, "write", full)
    file.write(EVENTS[0])
    file.write(EVENTS[1])
    file.close()
    assert len(told) == 1
    assert told[0] == "No space left on device"


def test_a_short_write_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, told = os.write, list[str]()
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, bytes(data[:7])))
    file = view_file(tmp_path / "view.jsonl", told)
    file.write(EVENTS[0])
    file.close()
    assert told == []
    assert read_view(tmp_path / "view.jsonl").folds == {("b1", ""): True}


def test_what_is_done_before_anything_was_said_waits(tmp_path: Path) -> None:
    files = a_store(tmp_path).new(tmp_path, None)
    files.view.write(EVENTS[0])
    assert not (tmp_path / "state").exists()
    files.main.write(PromptStarted(MAIN, "p", Message("user", (Text("hi"),))))
    files.close()
    files.view.write(EVENTS[1])
    assert read_view(files.folder.view_file).folds == {("b1", ""): True}
    assert not is_locked(files.folder.lock_file)
    unsaid = a_store(tmp_path / "other").new(tmp_path, None)
    unsaid.view.write(EVENTS[0])
    unsaid.close()
    assert not (tmp_path / "other").exists()
