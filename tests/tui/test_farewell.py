"""The last words on the terminal."""

from __future__ import annotations

import pytest

from code_assistant.tui.farewell import CUT, SHOWN_LINES, farewell
from tests.tui.hostile import HOSTILE, is_safe


def test_the_answer_and_how_to_go_on() -> None:
    assert farewell("Done.\n", "/home/me/shop") == "Done.\n\nStart again with: code-assistant /home/me/shop"


@pytest.mark.parametrize(
    ("folder", "written"),
    [("/home/me/my shop", "'/home/me/my shop'"), ("/x/$(id)", "'/x/$(id)'"), ("/it's", """'/it'"'"'s'""")],
)
def test_the_folder_is_written_as_a_shell_needs_it(folder: str, written: str) -> None:
    assert farewell("Done.", folder).endswith(f"code-assistant {written}")


@pytest.mark.parametrize("answer", ["", " \n\t "])
def test_without_an_answer_there_is_nothing_to_say(answer: str) -> None:
    assert farewell(answer, "/shop") == ""


def test_of_a_long_answer_the_end_is_shown() -> None:
    lines = farewell("\n".join(f"line {number}" for number in range(100)), "/shop").split("\n")
    assert lines[0] == f"… {100 - SHOWN_LINES} lines above"
    assert lines[1] == f"line {100 - SHOWN_LINES}"
    assert lines[-3:] == ["line 99", "", "Start again with: code-assistant /shop"]


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_it_is_safe_for_a_terminal(hostile: str) -> None:
    assert is_safe(farewell(f"x{hostile}", f"/x{hostile}").replace("\n", "").replace("\t", ""))


def test_an_answer_that_was_cut_says_so() -> None:
    assert farewell("It is", "/shop", is_cut=True) == f"It is\n{CUT}\n\nStart again with: code-assistant /shop"
