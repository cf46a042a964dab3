"""Taking the last turn back: every kind of change, byte for byte, and nothing where somebody else was at work."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from code_assistant.checkpoints.checkpoints import Checkpoints, NothingToUndo
from code_assistant.checkpoints.restoring import UndoRefused
from tests.unit.checkpoints.support import anywhere, delete, everything, write
from tests.unit.workspace.changing import marks


@pytest.mark.parametrize(
    "before",
    [b"one\ntwo\n", b"", b"\x00\xff\xfe binary", b"a\r\nb\r\nno end", "grün".encode("utf-16"), b"\xff" * 100_000],
    ids=["text", "empty", "binary", "crlf", "utf-16", "long"],
)
@pytest.mark.parametrize("mode", [0o600, 0o755, 0o640])
def test_safe_e5_contents_and_modes_come_back(work: Path, checkpoints: Checkpoints, before: bytes, mode: int) -> None:
    (work / "edited").write_bytes(before)
    (work / "deleted").write_bytes(before)
    (work / "untouched").write_bytes(before)
    for name in ("edited", "deleted"):
        (work / name).chmod(mode)
    start = everything(work)
    untouched = marks(work / "untouched")
    write(checkpoints, work / "edited", b"new\n")
    write(checkpoints, work / "edited", b"newer\n")
    delete(checkpoints, work / "deleted")
    write(checkpoints, work / "new" / "deep" / "created", b"new\n")
    write(checkpoints, work / "new" / "other", b"new\n")
    restoration = checkpoints.undo()
    assert everything(work) == start
    assert marks(work / "untouched") == untouched
    assert restoration.turns == ("first",)
    changed = {"edited", "deleted", "new/deep/created", "new/other"}
    assert {str(path.relative_to(work)) for path in restoration.changed} == changed
    assert (restoration.left, restoration.failed, restoration.mixed) == ((), (), ())


def created_and_deleted(checkpoints: Checkpoints, work: Path) -> None:
    write(checkpoints, work / "x", b"1")
    delete(checkpoints, work / "x")


def deleted_and_created(checkpoints: Checkpoints, work: Path) -> None:
    (work / "kept").chmod(0o751)
    delete(checkpoints, work / "kept")
    write(checkpoints, work / "kept", b"kept\n")


def over_a_link(checkpoints: Checkpoints, work: Path) -> None:
    delete(checkpoints, work / "link")
    write(checkpoints, work / "link", b"a file now")


def deletes_links(checkpoints: Checkpoints, work: Path) -> None:
    delete(checkpoints, work / "link")
    delete(checkpoints, work / "dangling")


def odd_names(checkpoints: Checkpoints, work: Path) -> None:
    write(checkpoints, work / os.fsdecode(b"\xff\xfe caf\xe9"), b"1")
    write(checkpoints, work / "new\nline \u202e \U0001f600", b"1")
    delete(checkpoints, work / os.fsdecode(b"old \xe4"))


@pytest.mark.parametrize(
    "change",
    [created_and_deleted, deleted_and_created, over_a_link, deletes_links, odd_names],
    ids=lambda f: f.__name__,
)
def test_what_comes_to_nothing_links_and_odd_names(
    work: Path, checkpoints: Checkpoints, kept: Path, change: Callable[[Checkpoints, Path], None]
) -> None:
    (work / "kept").write_bytes(b"kept\n")
    (work / "kept").chmod(0o751)
    (work / "link").symlink_to("kept")
    (work / "dangling").symlink_to("/nowhere/at all")
    (work / os.fsdecode(b"old \xe4")).write_bytes(b"old")
    start = everything(work)
    change(checkpoints, work)
    # As another process would find it.
    Checkpoints(kept, is_inside=anywhere).undo()
    assert everything(work) == start


def test_a_file_with_several_names_is_changed_back_under_all_of_them(work: Path, checkpoints: Checkpoints) -> None:
    (work / "a").write_bytes(b"old")
    (work / "b").hardlink_to(work / "a")
    write(checkpoints, work / "a", b"new content")
    checkpoints.undo()
    assert (work / "b").read_bytes() == b"old"
    assert (work / "a").stat().st_nlink == 2


def test_a_deleted_program_does_not_come_back_with_rights_of_its_owner(work: Path, checkpoints: Checkpoints) -> None:
    (work / "a").write_bytes(b"old")
    (work / "a").chmod(0o4755)
    delete(checkpoints, work / "a")
    checkpoints.undo()
    assert stat.S_IMODE((work / "a").stat().st_mode) == 0o755


def test_one_turn_after_the_other_until_there_is_none(work: Path, checkpoints: Checkpoints) -> None:
    states = [everything(work)]
    for turn, content in [("second", b"2"), ("third", b"3"), ("idle", None), ("fourth", b"4")]:
        checkpoints.begin(turn)
        if content is not None:
            write(checkpoints, work / "a", content)
            write(checkpoints, work / turn, content)
            states.append(everything(work))
    for turn in ("fourth", "third", "second"):
        states.pop()
        assert checkpoints.undo().turns == (turn,)
        assert everything(work) == states[-1]
    with pytest.raises(NothingToUndo):
        checkpoints.undo()


def changed(path: Path) -> None:
    path.write_bytes(b"by the person")


def renamed(path: Path) -> None:
    path.rename(path.with_name("renamed"))


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_link(path: Path) -> None:
    path.rename(path.with_name("renamed"))
    path.symlink_to("renamed")


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def write_protected(path: Path) -> None:
    path.chmod(0o444)


def folder_above_is_a_link(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))
    path.parent.symlink_to("elsewhere")


@pytest.mark.parametrize(
    ("foreign", "words"),
    [
        (changed, "has changed since"),
        (renamed, "is gone"),
        (a_folder, "is a folder now"),
        (a_link, "has changed since"),
        (a_pipe, "is no regular file any more"),
        (write_protected, "it is read-only (mode 0444); it must be made writable before it is changed"),
        (folder_above_is_a_link, "lies below something that is no folder any more"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_safe_e5_what_somebody_else_changed_is_refused_and_nothing_is_touched(
    work: Path, checkpoints: Checkpoints, foreign: Callable[[Path], None], words: str
) -> None:
    (work / "in").mkdir()
    file = work / "in" / "a"
    file.write_bytes(b"old")
    write(checkpoints, file, b"new")
    write(checkpoints, work / "other", b"new")
    foreign(file)
    before = {path: marks(path) for path in work.rglob("*") if path.exists()}
    with pytest.raises(UndoRefused) as refused:
        checkpoints.undo()
    assert [(problem.path, problem.words) for problem in refused.value.problems] == [(file, words)]
    assert str(refused.value) == f"Nothing was taken back:\n  {file}: {words}"
    assert {path: marks(path) for path in work.rglob("*") if path.exists()} == before


def test_a_file_that_appeared_where_one_was_deleted_is_refused(work: Path, checkpoints: Checkpoints) -> None:
    (work / "a").write_bytes(b"old")
    delete(checkpoints, work / "a")
    (work / "a").write_bytes(b"by the person")
    with pytest.raises(UndoRefused, match="has changed since"):
        checkpoints.undo()
    assert (work / "a").read_bytes() == b"by the person"


def test_the_person_may_have_the_rest_taken_back(work: Path, checkpoints: Checkpoints) -> None:
    write(checkpoints, work / "a", b"1")
    write(checkpoints, work / "b", b"1")
    (work / "a").write_bytes(b"by the person")
    restoration = checkpoints.undo(leaving=True)
    assert [problem.path for problem in restoration.left] == [work / "a"]
    assert list(everything(work)) == ["a"]
    assert (work / "a").read_bytes() == b"by the person"
    with pytest.raises(NothingToUndo):
        checkpoints.undo()


def test_what_is_already_as_it_was_stands_in_nobodys_way(work: Path, checkpoints: Checkpoints) -> None:
    (work / "a").write_bytes(b"old")
    write(checkpoints, work / "a", b"new")
    write(checkpoints, work / "in" / "b", b"new")
    (work / "a").write_bytes(b"old")
    (work / "in" / "b").unlink()
    mark = marks(work / "a")
    assert checkpoints.undo().changed == ()
    assert marks(work / "a") == mark
    assert list(everything(work)) == ["a"]


def test_a_folder_that_somebody_uses_by_now_stays(work: Path, checkpoints: Checkpoints) -> None:
    write(checkpoints, work / "new" / "deep" / "a", b"1")
    (work / "new" / "mine").write_bytes(b"by the person")
    checkpoints.undo()
    assert sorted(everything(work)) == ["new", "new/mine"]


def test_folders_that_are_gone_are_made_again(work: Path, checkpoints: Checkpoints) -> None:
    (work / "x" / "y").mkdir(parents=True)
    (work / "x" / "y" / "a").write_bytes(b"old")
    delete(checkpoints, work / "x" / "y" / "a")
    (work / "x" / "y").rmdir()
    (work / "x").rmdir()
    checkpoints.undo()
    assert (work / "x" / "y" / "a").read_bytes() == b"old"


def test_a_mode_that_somebody_set_since_stays(work: Path, checkpoints: Checkpoints) -> None:
    (work / "a").write_bytes(b"old")
    write(checkpoints, work / "a", b"new")
    (work / "a").chmod(0o700)
    checkpoints.undo()
    assert everything(work) == {"a": (0o700, b"old")}


def test_a_change_that_was_not_made_is_none(
    work: Path, checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "a").write_bytes(b"old")
    write(checkpoints, work / "b", b"1")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "rename", full)
        with pytest.raises(Exception, match="No space left"):
            write(checkpoints, work / "a", b"new")
    (work / "a").write_bytes(b"by the person")
    checkpoints.undo()
    assert list(everything(work)) == ["a"]


def test_commands_are_told_of(work: Path, checkpoints: Checkpoints, kept: Path) -> None:
    write(checkpoints, work / "a", b"1")
    assert not Checkpoints(kept, is_inside=anywhere).undo().ran_commands
    checkpoints.begin("second")
    write(checkpoints, work / "a", b"2")
    checkpoints.command_ran()
    assert checkpoints.undo().ran_commands
