"""An answer that is asked for again, in a terminal where nothing can be taken back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.headless.repetition import BEGINS_ANEW, Repetition
from tests.rows import each_row


def shown(attempts: list[list[str]]) -> str:
    """What stands on the terminal after several attempts, each in pieces."""
    written = ""
    answer = Repetition()
    for pieces in attempts:
        written += "".join(answer.feed(piece) for piece in pieces)
        answer = Repetition(answer.visible)
    return written


@each_row(
    ("attempts", "expected"),
    [
        ([["Hello", " world"]], "Hello world"),
        ([["Hello wor"], ["Hello", " world."]], "Hello world."),
        ([["Hello world"], ["Hello"], ["Hello world, done"]], "Hello world, done"),
        ([["Hello world"], [], ["Hello world, done"]], "Hello world, done"),
        ([["Hello"], ["Good", " day"]], f"Hello{BEGINS_ANEW}Good day"),
        ([["Hello"], ["Help", " me"], ["Help me now"]], f"Hello{BEGINS_ANEW}Help me now"),
    ],
)
def test_safe_r5_only_what_is_new_is_shown(attempts: list[list[str]], expected: str) -> None:
    assert shown(attempts) == expected


@given(st.text("ab ", max_size=20), st.lists(st.integers(0, 20), max_size=5), st.integers(1, 4))
def test_safe_r5_the_same_answer_is_there_once(whole: str, cuts: list[int], size: int) -> None:
    """However often it breaks off, and wherever."""
    pieces = [[whole[:cut]] for cut in cuts] + [[whole[at : at + size] for at in range(0, len(whole), size)]]
    assert shown(pieces) == whole
