"""The last words on the terminal."""

from __future__ import annotations

import pytest

from code_assistant.tui.farewell import CUT, SHOWN_LINES, farewell
from tests.tui.hostile import HOSTILE, is_safe

ID = "0a1b2c3d-0000-4000-8000-000000000000"
HOW = "Go on with: code-assistant --resume 0a1b2c3d"


def test_the_answer_and_how_to_go_on() -> None:
    assert farewell("Done.\n", ID) == f"Done.\n\n{HOW}"


def test_of_what_was_not_kept_only_the_answer_is_said() -> None:
    assert farewell("Done.", None) == "Done."


@pytest.mark.parametrize("answer", ["", " \n\t "])
def test_without_an_answer_there_is_nothing_to_say(answer: str) -> None:
    assert farewell(answer, ID) == ""


def test_of_a_long_answer_the_end_is_shown() -> None:
    lines = farewell("\n".join(f"line {number}" for number in range(100)), ID).split("\n")
    assert lines[0] == f"… {100 - SHOWN_LINES} lines above"
    assert lines[1] == f"line {100 - SHOWN_LINES}"
    assert lines[-3:] == ["line 99", "", HOW]


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_it_is_safe_for_a_terminal(hostile: str) -> None:
    assert is_safe(farewell(f"x{hostile}", ID).replace("\n", "").replace("\t", ""))


def test_an_answer_that_was_cut_says_so() -> None:
    assert farewell("It is", ID, is_cut=True) == f"It is\n{CUT}\n\n{HOW}"
