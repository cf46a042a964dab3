"""The input history on disk and in memory."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.tui.composer import input_history
from code_assistant.tui.composer.draft import Draft, Span
from code_assistant.tui.composer.input_history import MAXIMUM_ENTRIES, HistoryWalk, InputHistory


def loaded(path: Path) -> InputHistory:
    history = InputHistory(path)
    history.load()
    return history


def texts(history: InputHistory) -> list[str]:
    return [entry.text for entry in history.entries]


def test_what_was_added_is_there_the_next_time(tmp_path: Path) -> None:
    path = tmp_path / "state" / "history.jsonl"
    history = loaded(path)
    big = "line\n" * 50
    for draft in (Draft("one"), Draft("two\nlines \x1b\udc80"), Draft(f"see {big}", (Span(4, 4 + len(big)),))):
        history.add(draft)
    history.write()
    assert loaded(path).entries == history.entries
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_same_twice_in_a_row_is_once(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    history = loaded(path)
    for text in ("a", "a", "b", "a"):
        history.add(Draft(text))
    history.write()
    assert texts(history) == texts(loaded(path)) == ["a", "b", "a"]


def test_only_the_last_entries_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    history = loaded(path)
    for number in range(MAXIMUM_ENTRIES + 20):
        history.add(Draft(str(number)))
    history.write()
    assert len(history.entries) == len(loaded(path).entries) == MAXIMUM_ENTRIES
    assert texts(loaded(path))[0] == "20"


def test_what_is_added_before_loading_comes_last(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text('{"text": "old"}\n')
    history = InputHistory(path)
    history.add(Draft("new"))
    history.load()
    assert texts(history) == ["old", "new"]
    history.write()
    assert texts(loaded(path)) == ["old", "new"]


@pytest.mark.parametrize(
    "line",
    ["", "{", "[]", "null", '{"text": ""}', '{"text": "x", "folds": [[0, 9]]}', '{"text": "x", "folds": 1}', "\x00"],
)
def test_broken_lines_are_left_out(tmp_path: Path, line: str) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text(f'{{"text": "a"}}\n{line}\n{{"text": "b"}}\n')
    assert texts(loaded(path)) == ["a", "b"]


def test_a_torn_last_line_does_not_spoil_the_next_entry(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text('{"text": "a"}\n{"text": "to')
    history = loaded(path)
    history.add(Draft("b"))
    history.write()
    assert texts(loaded(path)) == ["a", "b"]


def test_entries_that_are_too_long_are_remembered_but_not_written(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    history = loaded(path)
    history.add(Draft("x" * (input_history.MAXIMUM_ENTRY_BYTES + 1)))
    history.add(Draft("short"))
    history.write()
    assert len(history.entries) == 2
    assert texts(loaded(path)) == ["short"]


def test_a_grown_file_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_history, "COMPACTED_BYTES", 2000)
    path = tmp_path / "history.jsonl"
    history = loaded(path)
    for number in range(300):
        history.add(Draft(f"entry {number}"))
        history.write()
    assert path.stat().st_size <= 2100
    assert texts(loaded(path))[-1] == "entry 299"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["history.jsonl"]


ADDER = """
import sys
from pathlib import Path
from code_assistant.tui.composer import input_history
from code_assistant.tui.composer.draft import Draft
input_history.COMPACTED_BYTES = int(sys.argv[3])
history = input_history.InputHistory(Path(sys.argv[1]))
for number in range(100):
    history.add(Draft(f"{sys.argv[2]} {number} " + "x" * 200))
    history.write()
"""


@pytest.mark.parametrize("compacted_bytes", [10_000_000, 300_000])
def test_two_programs_may_add_at_once(tmp_path: Path, compacted_bytes: int) -> None:
    path = tmp_path / "history.jsonl"
    # A compaction along the way keeps what the others add meanwhile.
    path.write_text(
        json.dumps({"text": "y" * (compacted_bytes - 20_000 if compacted_bytes < 1_000_000 else 10)}) + "\n"
    )
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", ADDER, str(path), name, str(compacted_bytes)], cwd=Path(__file__).parents[3]
        )
        for name in ("first", "second")
    ]
    assert [program.wait(60) for program in programs] == [0, 0]
    found = texts(loaded(path))
    for name in ("first", "second"):
        assert [text for text in found if text.startswith(name)] == [f"{name} {n} " + "x" * 200 for n in range(100)]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    history = loaded(tmp_path / "file" / "history.jsonl")
    history.add(Draft("a"))
    with pytest.raises(WorkspaceError):
        history.write()


def test_a_symlink_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("")
    os.symlink(target, tmp_path / "history.jsonl")
    history = InputHistory(tmp_path / "history.jsonl")
    history.add(Draft("a"))
    with pytest.raises(WorkspaceError):
        history.write()
    assert target.read_text() == ""


def test_walking_there_and_back_keeps_the_draft_and_changes() -> None:
    history = InputHistory(None)
    for text in ("one", "two"):
        history.add(Draft(text))
    walk = HistoryWalk(history, Draft("draft"))
    assert walk.step(1) is None
    assert walk.step(-1) == Draft("two")
    walk.leave(Draft("two, changed"))
    assert walk.step(-1) == Draft("one")
    assert walk.step(-1) is None
    assert walk.step(1) == Draft("two, changed")
    assert walk.step(1) == Draft("draft")
    assert walk.step(1) is None
    assert history.entries[-1] == Draft("two")


def test_safe_k1_what_is_masked_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    history = InputHistory(path, lambda text: text.replace("my-key", "[key removed]"))
    history.add(Draft("use my-key here", folds=(Span(4, 10),)))
    history.add(Draft("plain", folds=(Span(0, 5),)))
    history.write()
    # Who sent it can have it back as it was, as long as the program runs.
    assert history.entries[0].text == "use my-key here"
    assert b"my-key" not in path.read_bytes()
    again = InputHistory(path)
    again.load()
    assert again.entries == [Draft("use [key removed] here"), Draft("plain", folds=(Span(0, 5),))]
