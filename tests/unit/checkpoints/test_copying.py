"""The checkpoints of a copied session: what can be taken back in it, up to where it was copied."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from code_assistant.checkpoints.checkpoints import Bounds, Checkpoints, NothingToUndo
from code_assistant.checkpoints.copying import copy_checkpoints
from code_assistant.checkpoints.restoring import UndoRefused
from tests.unit.checkpoints.support import anywhere, everything, write

TURNS = ["one", "two", "three"]


@pytest.fixture
def copied(kept: Path) -> Path:
    folder = kept.parents[1] / "copy" / "checkpoints"
    folder.parent.mkdir(parents=True)
    return folder


def worked(checkpoints: Checkpoints, work: Path) -> list[dict[str, object]]:
    """Three turns; what the folder was before each, and after all."""
    states: list[dict[str, object]] = []
    (work / "a").write_bytes(b"0")
    for turn in TURNS:
        states.append(everything(work))
        checkpoints.begin(turn)
        write(checkpoints, work / "a", turn.encode())
        write(checkpoints, work / turn, b"new")
    return [*states, everything(work)]


def opened(folder: Path, turns: list[str]) -> Checkpoints:
    return Checkpoints(folder, is_inside=anywhere, turns=turns)


@pytest.mark.parametrize("has_links", [True, False])
def test_a_copy_takes_back_all_and_the_original_stays(
    work: Path, checkpoints: Checkpoints, kept: Path, copied: Path, has_links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = worked(checkpoints, work)
    original = everything(kept)

    def none(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    previous = os.umask(0)
    with monkeypatch.context() as patched:
        if not has_links:
            patched.setattr(os, "link", none)
        copy_checkpoints(kept, copied, TURNS)
    os.umask(previous)
    for path in (copied, *copied.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    links = {path.stat().st_nlink for path in (copied / "contents").iterdir()}
    assert links == ({2} if has_links else {1})
    copy = opened(copied, TURNS)
    for turn, state in zip(reversed(TURNS), reversed(states[:-1]), strict=True):
        assert copy.undo().turns == (turn,)
        assert everything(work) == state
    assert everything(kept) == original


def test_a_copy_up_to_a_turn_knows_only_those_before(
    work: Path, checkpoints: Checkpoints, kept: Path, copied: Path
) -> None:
    states = worked(checkpoints, work)
    checkpoints.rewind("two")
    copy_checkpoints(kept, copied, TURNS, "two")
    assert len(list((copied / "contents").iterdir())) == 1
    copy = opened(copied, TURNS[:1])
    with pytest.raises(NothingToUndo):
        copy.rewind("three")
    assert copy.undo().turns == ("one",)
    assert everything(work) == states[0]
    with pytest.raises(NothingToUndo):
        copy.undo()


def test_what_was_changed_behind_the_cut_is_not_taken_for_ours(
    work: Path, checkpoints: Checkpoints, kept: Path, copied: Path
) -> None:
    worked(checkpoints, work)
    copy_checkpoints(kept, copied, TURNS, "three")
    with pytest.raises(UndoRefused, match="a: has changed since"):
        opened(copied, TURNS[:2]).undo()


def test_turns_that_the_conversation_has_forgotten_keep_their_place(
    work: Path, checkpoints: Checkpoints, kept: Path, copied: Path
) -> None:
    states = worked(checkpoints, work)
    # The second was rewound in the conversation, so its copy does not have it; the last one changed nothing.
    copy_checkpoints(kept, copied, [*TURNS, "four"])
    copy = opened(copied, ["one", "three", "four"])
    with pytest.raises(NothingToUndo, match="since that message"):
        copy.rewind("four")
    assert copy.rewind("three").turns == ("three",)
    assert everything(work) == states[2]
    # And once more, from the copy.
    second = copied.parents[1] / "second"
    copy_checkpoints(copied, second, ["one", "three", "four"], "three")
    assert opened(second, ["one"]).undo().turns == ("two",)
    assert everything(work) == states[1]


def test_nothing_is_made_where_there_is_nothing(kept: Path, copied: Path) -> None:
    copy_checkpoints(kept, copied, TURNS)
    assert not copied.exists()


def test_damage_and_what_cannot_be_read_are_said_in_the_copy(
    work: Path, checkpoints: Checkpoints, kept: Path, copied: Path
) -> None:
    worked(checkpoints, work)
    journal = kept / "files.jsonl"
    journal.write_bytes(journal.read_bytes() + b"damage\n")
    copy_checkpoints(kept, copied, TURNS)
    with pytest.raises(UndoRefused, match="a part of what was written down about it cannot be read"):
        opened(copied, TURNS).undo()
    journal.unlink()
    os.mkfifo(journal)
    other = copied.parents[1] / "other"
    copy_checkpoints(kept, other, TURNS, "one")
    with pytest.raises(UndoRefused, match=r"could not be copied: files\.jsonl is not a regular file"):
        opened(other, TURNS).undo()


def test_contents_that_are_no_files_or_too_many_are_missing_in_the_copy(
    work: Path, checkpoints: Checkpoints, kept: Path, copied: Path
) -> None:
    states = worked(checkpoints, work)
    # The newest come first: those of "three" and "two" have 3 bytes each.
    copy_checkpoints(kept, copied, TURNS, bounds=Bounds(session=6))
    copy = opened(copied, TURNS)
    copy.undo()
    copy.undo()
    assert everything(work) == states[1]
    with pytest.raises(UndoRefused, match="not there any more"):
        copy.undo()
    for blob in (kept / "contents").iterdir():
        blob.unlink()
        blob.symlink_to(work / "a")
    other = copied.parents[1] / "other"
    copy_checkpoints(kept, other, TURNS)
    assert list((other / "contents").iterdir()) == []
