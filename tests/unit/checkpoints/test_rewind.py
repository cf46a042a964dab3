"""Back to before an earlier turn: over several turns, after a restart, and with what others did in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.checkpoints.checkpoints import Checkpoints, NothingToUndo
from code_assistant.checkpoints.restoring import UndoRefused
from tests.unit.checkpoints.support import anywhere, delete, everything, write


def three_turns(checkpoints: Checkpoints, work: Path) -> list[dict[str, object]]:
    """What the folder was before each of four turns, of which the third changes nothing."""
    (work / "a").write_bytes(b"0")
    states: list[dict[str, object]] = []
    for number in range(1, 5):
        checkpoints.begin(f"turn {number}")
        states.append(everything(work))
        if number != 3:
            write(checkpoints, work / "a", b"%d" % number)
            write(checkpoints, work / f"new {number}" / "b", b"%d" % number)
    delete(checkpoints, work / "new 1" / "b")
    return states


@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("is_resumed", [False, True])
def test_every_earlier_turn_can_be_gone_back_to(
    work: Path, checkpoints: Checkpoints, kept: Path, number: int, is_resumed: bool
) -> None:
    states = three_turns(checkpoints, work)
    if is_resumed:
        # The journal knows nothing of the third; the session does.
        checkpoints = Checkpoints(kept, is_inside=anywhere, turns=[f"turn {each}" for each in range(1, 5)])
        checkpoints.begin("after the restart")
    restoration = checkpoints.rewind(f"turn {number}")
    assert everything(work) == states[number - 1]
    assert restoration.turns == tuple(f"turn {each}" for each in range(number, 5) if each != 3)
    assert restoration.mixed == ()
    with pytest.raises(NothingToUndo):
        checkpoints.rewind(f"turn {number}")


def test_after_a_restart_new_turns_are_later_than_those_of_the_journal(
    work: Path, checkpoints: Checkpoints, kept: Path
) -> None:
    three_turns(checkpoints, work)
    resumed = Checkpoints(kept, is_inside=anywhere)
    before = everything(work)
    resumed.begin("new")
    write(resumed, work / "a", b"new")
    assert resumed.rewind("new").turns == ("new",)
    assert everything(work) == before


def test_going_on_after_a_rewind(work: Path, checkpoints: Checkpoints) -> None:
    states = three_turns(checkpoints, work)
    checkpoints.rewind("turn 2")
    checkpoints.begin("turn 5")
    write(checkpoints, work / "a", b"another way")
    assert checkpoints.undo().turns == ("turn 5",)
    assert everything(work) == states[1]
    assert checkpoints.undo().turns == ("turn 1",)
    assert everything(work) == states[0]


def test_an_unknown_turn_is_refused(work: Path, checkpoints: Checkpoints) -> None:
    write(checkpoints, work / "a", b"1")
    with pytest.raises(NothingToUndo, match="Nothing is known"):
        checkpoints.rewind("never")


def test_what_somebody_did_in_between_is_said(work: Path, checkpoints: Checkpoints) -> None:
    (work / "a").write_bytes(b"0")
    write(checkpoints, work / "a", b"1")
    write(checkpoints, work / "b", b"1")
    (work / "a").write_bytes(b"by the person")
    checkpoints.begin("second")
    write(checkpoints, work / "a", b"2")
    restoration = checkpoints.rewind("first")
    assert restoration.mixed == (work / "a",)
    assert (work / "a").read_bytes() == b"0"


def test_undoing_one_by_one_stops_at_what_somebody_did_in_between(work: Path, checkpoints: Checkpoints) -> None:
    (work / "a").write_bytes(b"0")
    write(checkpoints, work / "a", b"1")
    (work / "a").write_bytes(b"by the person")
    checkpoints.begin("second")
    write(checkpoints, work / "a", b"2")
    checkpoints.undo()
    assert (work / "a").read_bytes() == b"by the person"
    with pytest.raises(UndoRefused):
        checkpoints.undo()
    assert (work / "a").read_bytes() == b"by the person"


def test_commands_of_all_turns_that_are_gone_back_over_are_told_of(work: Path, checkpoints: Checkpoints) -> None:
    write(checkpoints, work / "a", b"1")
    checkpoints.begin("second")
    checkpoints.command_ran()
    assert checkpoints.rewind("first").ran_commands
