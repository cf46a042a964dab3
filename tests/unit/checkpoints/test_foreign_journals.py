"""A journal that somebody else has written, or of another folder: it leads only into the folders that are open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from code_assistant.checkpoints.blobs import Blobs
from code_assistant.checkpoints.checkpoints import Checkpoints
from code_assistant.checkpoints.containment import OUTSIDE
from code_assistant.checkpoints.journal import ChangeBegan, ChangeMade, Journal, TurnBegan
from code_assistant.checkpoints.restoring import UndoRefused
from code_assistant.checkpoints.states import FileState, Link, Nothing, RegularFile, digest_of
from code_assistant.checkpoints.turns import DAMAGED
from code_assistant.errors import WorkspaceError
from code_assistant.workspace.workspace import Workspace
from tests.unit.checkpoints.support import everything, write

OLD, NEW = b"old", b"new"
NEW_STATE = RegularFile(digest_of(NEW), 0o644, len(NEW))
OLD_STATE = RegularFile(digest_of(OLD), 0o644, len(OLD))


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "outside"
    folder.mkdir()
    (folder / "file").write_bytes(NEW)
    (folder / "empty").mkdir()
    return folder


def opened(kept: Path, work: Path, *extra: Path) -> Checkpoints:
    return Checkpoints(kept, is_inside=Workspace(work, extra).contains)


def forge(kept: Path, path: str, before: FileState, after: FileState = NEW_STATE) -> None:
    (kept / "contents").mkdir(parents=True, exist_ok=True)
    Blobs(kept / "contents").keep(OLD, digest_of(OLD))
    journal = Journal(kept / "files.jsonl")
    for line in (TurnBegan("t"), ChangeBegan("t", path, before, after), ChangeMade("t", path, 0o644)):
        journal.add(line)


def refused(checkpoints: Checkpoints) -> list[str]:
    with pytest.raises(UndoRefused) as error:
        checkpoints.rewind("t")
    with pytest.raises(UndoRefused):
        checkpoints.undo()
    assert checkpoints.undo(leaving=True).changed == ()
    return [problem.words for problem in error.value.problems]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("file", OLD_STATE, NEW_STATE),
        ("file", Nothing(), NEW_STATE),
        ("created", OLD_STATE, Nothing()),
        ("link", Link("/etc/passwd"), Nothing()),
        ("deep/created", OLD_STATE, Nothing()),
        ("gone", Nothing(("{outside}/empty",)), NEW_STATE),
    ],
)
@pytest.mark.parametrize("way", ["{outside}/", "{work}/../outside/", "../outside/", "outside/", "/{outside}/"])
def test_nothing_outside_is_written_made_removed_or_shown(
    work: Path, kept: Path, outside: Path, name: str, before: FileState, after: FileState, way: str
) -> None:
    if isinstance(before, Nothing):
        before = Nothing(tuple(each.format(outside=outside) for each in before.folders))
    path = way.format(outside=outside, work=work) + name
    forge(kept, path, before, after)
    start = everything(outside)
    (change,) = opened(kept, work).changes().files
    assert (change.remark, change.diff) == (OUTSIDE, "")
    assert refused(opened(kept, work)) == [OUTSIDE]
    assert everything(outside) == start
    assert list(work.iterdir()) == []


def test_what_no_path_can_be_is_refused(work: Path, kept: Path) -> None:
    forge(kept, f"{work}/\0", OLD_STATE, Nothing())
    forge(kept, f"{work}/\ud800", OLD_STATE, Nothing())
    assert [each.remark for each in opened(kept, work).changes().files] == [OUTSIDE]
    assert refused(opened(kept, work)) == [DAMAGED, DAMAGED, OUTSIDE]


def test_a_link_to_nowhere_that_could_be_and_a_mode_that_could_not(work: Path, kept: Path) -> None:
    forge(kept, f"{work}/link", Link("\0"), Nothing())
    assert refused(opened(kept, work)) == ["what it was before is damaged"]
    forge(kept, f"{work}/file", RegularFile(digest_of(OLD), 1 << 80 | 0o4640, 3), Nothing())
    assert opened(kept, work).undo().changed == (work / "file",)
    assert (work / "file").stat().st_mode & 0o7777 == 0o640


def test_a_folder_that_is_a_link_by_now_is_not_gone_through(work: Path, kept: Path, outside: Path) -> None:
    (work / "folder").symlink_to(outside)
    forge(kept, f"{work}/folder/file", OLD_STATE)
    start = everything(outside)
    (change,) = opened(kept, work).changes().files
    assert change.diff == ""
    assert len(refused(opened(kept, work))) == 1
    assert everything(outside) == start


def test_only_folders_above_the_path_and_below_what_is_open_are_removed(work: Path, kept: Path, outside: Path) -> None:
    for name in ("made/deep", "other"):
        (work / name).mkdir(parents=True)
    (work / "made/deep/new").write_bytes(NEW)
    folders = (work.parent, work, work / "made", work / "made/deep", work / "other", outside / "empty")
    forge(kept, f"{work}/made/deep/new", Nothing(tuple(map(str, folders))))
    assert opened(kept, work).undo().changed == (work / "made/deep/new",)
    assert [path.name for path in work.iterdir()] == ["other"]
    assert (outside / "empty").is_dir()
    (work / "other").rmdir()
    (work / "new").write_bytes(NEW)
    forge(kept, f"{work}/new", Nothing((str(work),)))
    opened(kept, work).undo()
    assert list(work.iterdir()) == []


def test_what_this_process_changed_outside_is_taken_back_but_not_what_an_earlier_one_did(
    work: Path, kept: Path, outside: Path
) -> None:
    path = outside / "made" / "file"
    first = opened(kept, work)
    first.begin("t")
    write(first, path, b"1")
    resumed = opened(kept, work)
    resumed.begin("later")
    write(resumed, path, b"2")
    # What it was before both stands in the journal only.
    with pytest.raises(UndoRefused, match=OUTSIDE):
        resumed.rewind("t")
    assert resumed.undo().changed == (path,)
    assert path.read_bytes() == b"1"
    assert refused(resumed) == [OUTSIDE]
    write(first, path, b"3")
    assert first.undo().changed == (path,)
    assert not path.parent.exists()


def test_a_session_that_is_resumed_in_another_folder_touches_the_first_only_when_that_is_open_too(
    work: Path, kept: Path, outside: Path
) -> None:
    first = opened(kept, work)
    first.begin("t")
    write(first, work / "a", NEW)
    with pytest.raises(UndoRefused, match=f"a: {OUTSIDE}"):
        opened(kept, outside).undo()
    assert (work / "a").read_bytes() == NEW
    assert opened(kept, outside, work).undo().changed == (work / "a",)


@pytest.mark.parametrize("digest", ["", "../files.jsonl", "/etc/passwd", "A" * 64, "a" * 63, "a" * 64 + "\n", "\0"])
def test_only_a_digest_names_a_content(work: Path, kept: Path, digest: str) -> None:
    forge(kept, f"{work}/file", RegularFile(digest, 0o644, 3), Nothing())
    blobs = Blobs(kept / "contents")
    start = everything(kept)
    assert refused(opened(kept, work)) == ["what it was before is damaged"]
    with pytest.raises(WorkspaceError, match="damaged"):
        blobs.keep(b"x", digest)
    blobs.drop([digest])
    assert everything(kept / "contents").keys() == {digest_of(OLD)}
    assert (kept / "files.jsonl").exists()
    assert len(everything(kept)) == len(start)


def put(path: Path, kind: str, elsewhere: Path) -> None:
    """Something else in the place of what is kept, which goes elsewhere."""
    path.rename(elsewhere)
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(elsewhere)


@pytest.mark.parametrize("kind", ["pipe", "link"])
@pytest.mark.parametrize("name", [".", "files.jsonl", "contents", digest_of(OLD)])
def test_a_pipe_or_a_link_in_the_place_of_what_is_kept_is_neither_waited_for_nor_followed(
    work: Path, kept: Path, kind: str, name: str
) -> None:
    forge(kept, f"{work}/file", OLD_STATE)
    (work / "file").write_bytes(NEW)
    elsewhere = kept.parents[3] / "elsewhere"
    place = {".": kept, digest_of(OLD): kept / "contents" / name}.get(name, kept / name)
    put(place, kind, elsewhere)
    start = everything(elsewhere) or elsewhere.read_bytes()
    checkpoints = opened(kept, work)
    checkpoints.changes()
    with pytest.raises(UndoRefused, match=r"cannot be read|damaged|not there any more"):
        checkpoints.undo()
    # The edit goes on, and the same content is not kept through a link.
    (work / "other").write_bytes(OLD)
    checkpoints.begin("next")
    write(checkpoints, work / "other", NEW)
    assert (everything(elsewhere) or elsewhere.read_bytes()) == start
    if name == digest_of(OLD):
        # What is in the way of a content gives way.
        assert checkpoints.undo().changed == (work / "other",)
    else:
        assert len(checkpoints.warnings()) >= 1


def test_a_journal_that_is_far_too_long_is_not_read(work: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forge(kept, f"{work}/file", OLD_STATE)
    monkeypatch.setattr("code_assistant.checkpoints.journal.MAXIMUM_BYTES", 10)
    with pytest.raises(UndoRefused, match=r"files\.jsonl is larger than 10 B"):
        opened(kept, work).undo()
