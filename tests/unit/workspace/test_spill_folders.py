"""Spill folders: bounded for a whole session, swept when their program is gone, without a key in them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from code_assistant.secrets import Masker
from code_assistant.workspace import spill
from code_assistant.workspace.spill import SpillFolder


def test_what_a_dead_program_left_is_removed_and_what_a_living_one_has_is_not(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead, living, other = (tmp_path / name for name in (f"{ended.pid}-ab", f"{os.getppid()}-ab", "notes"))
    for folder in (dead, living, other):
        folder.mkdir()
    SpillFolder.of_this_process(tmp_path, Masker(())).create("command").close()
    assert [folder.exists() for folder in (dead, living, other)] == [False, True, True]


def test_all_files_of_a_session_share_one_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "MAXIMUM_SESSION_BYTES", 10)
    folder = SpillFolder(tmp_path / "1-ab")
    written: list[tuple[int, int]] = []
    for _ in range(3):
        file = folder.create("command")
        file.write(b"1234567")
        file.close()
        written.append((file.written, file.dropped))
    assert written == [(7, 0), (3, 4), (0, 7)]
