"""What is on disk: private, whole, bounded; and what is said where it is not there."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from code_assistant.checkpoints import checkpoints as module
from code_assistant.checkpoints.blobs import Blobs
from code_assistant.checkpoints.checkpoints import Bounds, Checkpoints, NothingToUndo
from code_assistant.checkpoints.journal import ChangeBegan, ChangeMade, Gap, Journal, Line, Restored, TurnBegan
from code_assistant.checkpoints.restoring import UndoRefused
from code_assistant.checkpoints.states import Link, Nothing, RegularFile, digest_of
from code_assistant.errors import WorkspaceError
from tests.unit.checkpoints.support import anywhere, delete, everything, write

LINES: list[Line] = [
    TurnBegan("t"),
    ChangeBegan("t", "/a/\udcff\n", Nothing(("/a",)), RegularFile("00", 0o644, 3)),
    ChangeMade("t", "/a/\udcff\n", 0o600),
    ChangeBegan("t", "/b", Link("\udce4"), Nothing()),
    Gap("t", "disk"),
    Restored(("t",), ("/b",)),
]


def test_nothing_is_made_before_the_first_change(checkpoints: Checkpoints, kept: Path) -> None:
    with pytest.raises(NothingToUndo):
        checkpoints.undo()
    assert checkpoints.changes().files == ()
    assert not kept.parents[2].exists()


def test_safe_k2_all_of_it_is_private(work: Path, checkpoints: Checkpoints, kept: Path) -> None:
    (work / "a").write_bytes(b"old")
    previous = os.umask(0)
    try:
        write(checkpoints, work / "a", b"new")
    finally:
        os.umask(previous)
    top = kept.parents[2]
    for path in (top, *top.rglob("*")):
        expected = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == expected, path
    assert {path.name for path in kept.iterdir()} == {"files.jsonl", "contents"}


def test_lines_come_back_as_they_were(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "files.jsonl")
    assert journal.lines() == []
    for line in LINES:
        journal.add(line)
    assert journal.lines() == LINES


@pytest.mark.parametrize("kept_bytes", [0, 1, 20, -1])
def test_a_torn_last_line_is_none_and_the_next_one_takes_its_place(tmp_path: Path, kept_bytes: int) -> None:
    path = tmp_path / "files.jsonl"
    Journal(path).add(LINES[0])
    whole = path.read_bytes()
    Journal(path).add(LINES[1])
    torn = path.read_bytes()[len(whole) :]
    path.write_bytes(whole + torn[:kept_bytes])
    journal = Journal(path)
    assert journal.lines() == LINES[:1]
    journal.add(LINES[2])
    assert journal.lines() == [LINES[0], LINES[2]]


@pytest.mark.parametrize("damage", [b"\n", b"{}\n", b"[" * 100_000 + b"\n", b'{"type": "Later"}\n', b"\xff\n"])
def test_a_damaged_line_means_that_the_turn_is_not_wholly_known(
    work: Path, checkpoints: Checkpoints, kept: Path, damage: bytes
) -> None:
    write(checkpoints, work / "a", b"1")
    journal = kept / "files.jsonl"
    journal.write_bytes(journal.read_bytes() + damage)
    with pytest.raises(UndoRefused, match="One turn: a part of what was written down about it cannot be read"):
        Checkpoints(kept, is_inside=anywhere).undo()
    assert (work / "a").exists()
    Checkpoints(kept, is_inside=anywhere).undo(leaving=True)
    assert not (work / "a").exists()


def test_contents_are_kept_once_and_verified(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    digest = digest_of(b"content")
    blobs.keep(b"content", digest)
    inode = (tmp_path / digest).stat().st_ino
    blobs.keep(b"content", digest)
    assert (tmp_path / digest).stat().st_ino == inode
    assert blobs.content(digest) == b"content"
    assert blobs.sizes() == {digest: 7}
    (tmp_path / digest).write_bytes(b"contenT")
    with pytest.raises(WorkspaceError, match="damaged"):
        blobs.content(digest)
    (tmp_path / digest).write_bytes(b"half")
    blobs.keep(b"content", digest)
    assert blobs.content(digest) == b"content"
    blobs.drop([digest, digest_of(b"never")])
    with pytest.raises(WorkspaceError, match="not there any more"):
        blobs.content(digest)


@pytest.mark.parametrize("how", ["missing", "damaged"])
def test_a_content_that_is_gone_or_damaged_is_refused(
    work: Path, checkpoints: Checkpoints, kept: Path, how: str
) -> None:
    (work / "a").write_bytes(b"old")
    write(checkpoints, work / "a", b"new")
    write(checkpoints, work / "b", b"new")
    (blob,) = (kept / "contents").iterdir()
    if how == "missing":
        blob.unlink()
    else:
        blob.write_bytes(b"OLD")
    start = everything(work)
    with pytest.raises(UndoRefused, match=r"what it was before is (not there any more|damaged)"):
        checkpoints.undo()
    assert everything(work) == start


def test_too_large_a_content_is_not_kept_and_that_is_said_once(work: Path, kept: Path) -> None:
    checkpoints = Checkpoints(kept, is_inside=anywhere, bounds=Bounds(one=10, session=100))
    checkpoints.begin("first")
    for name in ("a", "b"):
        (work / name).write_bytes(b"x" * 11)
        write(checkpoints, work / name, b"new")
    reason = "it was larger than 10 B"
    assert checkpoints.warnings() == (f"Not every change to {work / 'a'} can be taken back with /undo: {reason}.",)
    assert checkpoints.warnings() == ()
    with pytest.raises(UndoRefused) as refused:
        Checkpoints(kept, is_inside=anywhere).undo()
    assert [each.words for each in refused.value.problems] == [f"what it was before is not kept: {reason}"] * 2
    assert (work / "a").read_bytes() == b"new"


def test_a_deleted_file_too_large_to_be_read_is_still_deleted(
    work: Path, checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "a").write_bytes(b"x")
    monkeypatch.setattr("code_assistant.workspace.changes.content_up_to_limit", lambda _: None)
    delete(checkpoints, work / "a")
    assert not (work / "a").exists()
    with pytest.raises(UndoRefused, match="not kept: it was larger than"):
        checkpoints.undo()


def test_the_oldest_turns_are_forgotten_first(work: Path, kept: Path) -> None:
    checkpoints = Checkpoints(kept, is_inside=anywhere, bounds=Bounds(one=50, session=100))
    for number in range(5):
        checkpoints.begin(f"turn {number}")
        path = work / f"{number}"
        path.write_bytes(b"%d" % number * 30)
        write(checkpoints, path, b"new")
        assert sum(Blobs(kept / "contents").sizes().values()) <= 100
    (warning,) = checkpoints.warnings()
    assert warning.endswith("a session keeps 100 B, and later turns needed the room.")
    resumed = Checkpoints(kept, is_inside=anywhere)
    for number in (4, 3, 2):
        resumed.undo()
        assert (work / f"{number}").read_bytes() == b"%d" % number * 30
    with pytest.raises(UndoRefused, match="not kept: a session keeps 100 B"):
        resumed.undo()
    (change, *_) = resumed.changes().files
    assert change.remark.startswith("what it was before is not kept")


def test_what_is_taken_back_makes_room_before_anything_is_forgotten(work: Path, kept: Path) -> None:
    checkpoints = Checkpoints(kept, is_inside=anywhere, bounds=Bounds(one=50, session=100))
    for turn in range(6):
        checkpoints.begin(f"turn {turn}")
        path = work / f"{turn}"
        path.write_bytes(b"%d" % turn * 40)
        write(checkpoints, path, b"new")
        if turn:
            checkpoints.undo()
    assert checkpoints.warnings() == ()
    assert checkpoints.undo().turns == ("turn 0",)


def test_one_turn_alone_can_have_too_much(work: Path, kept: Path) -> None:
    checkpoints = Checkpoints(kept, is_inside=anywhere, bounds=Bounds(one=50, session=100))
    checkpoints.begin("first")
    for number in range(3):
        path = work / f"{number}"
        path.write_bytes(b"%d" % number * 40)
        write(checkpoints, path, b"new")
    with pytest.raises(UndoRefused) as refused:
        checkpoints.undo()
    words = "what it was before is not kept: the changes of one turn had more than 100 B"
    assert [(each.path, each.words) for each in refused.value.problems] == [(work / "2", words)]


def test_safe_r12_a_full_disk_keeps_nobody_from_changing_files(
    work: Path, checkpoints: Checkpoints, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "a").write_bytes(b"old")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "add", full)
        patched.setattr(Blobs, "keep", full)
        write(checkpoints, work / "a", b"new")
        write(checkpoints, work / "b", b"new")
    assert (work / "a").read_bytes() == b"new"
    (warning,) = checkpoints.warnings()
    assert warning == f"Not every change to {work / 'a'} can be taken back with /undo: No space left on device."
    with pytest.raises(UndoRefused, match="not kept: No space left on device"):
        checkpoints.undo()
    # There is room again: what is missing is written down as missing.
    write(checkpoints, work / "c", b"new")
    with pytest.raises(UndoRefused, match="One turn: it could not be written down: No space left on device"):
        Checkpoints(kept, is_inside=anywhere).undo()


def test_a_home_that_cannot_be_written_to_keeps_nobody_from_changing_files(
    work: Path, checkpoints: Checkpoints, kept: Path
) -> None:
    kept.parents[2].write_bytes(b"a file where the folder should be")
    (work / "a").write_bytes(b"old")
    write(checkpoints, work / "a", b"new")
    assert (work / "a").read_bytes() == b"new"
    assert len(checkpoints.warnings()) == 1
    with pytest.raises(UndoRefused, match="not kept"):
        checkpoints.undo()


def test_a_journal_that_cannot_be_read_is_not_taken_for_none(work: Path, checkpoints: Checkpoints, kept: Path) -> None:
    write(checkpoints, work / "a", b"1")
    (kept / "files.jsonl").unlink()
    (kept / "files.jsonl").mkdir()
    with pytest.raises(
        UndoRefused, match=r"One turn: what was written down before cannot be read: files\.jsonl is not a regular file"
    ):
        Checkpoints(kept, is_inside=anywhere).undo()


def test_only_the_first_content_of_a_turn_is_kept(work: Path, checkpoints: Checkpoints, kept: Path) -> None:
    (work / "a").write_bytes(b"old")
    for number in range(5):
        write(checkpoints, work / "a", b"%d" % number)
    assert Blobs(kept / "contents").sizes() == {digest_of(b"old"): 3}
    lines = [json.loads(line)["type"] for line in (kept / module.JOURNAL).read_text().splitlines()]
    assert lines == ["TurnBegan", *["ChangeBegan", "ChangeMade"] * 5]
