"""The last lines of a command's output."""

from __future__ import annotations

from code_assistant.tui.transcript.output_tail import KEPT_LINE_CHARACTERS, KEPT_LINES, OutputTail


def filled(*pieces: str) -> OutputTail:
    tail = OutputTail()
    for piece in pieces:
        tail.add(piece)
    return tail


def test_lines_in_whatever_pieces() -> None:
    assert filled("o", "ne\ntw", "o\n", "three").last(5) == ["one", "two", "three"]
    assert filled("one\ntwo\n").last(1) == ["two"]
    assert not filled("")
    assert filled("\n")


def test_only_the_newest_are_kept_and_long_ones_only_at_their_end() -> None:
    tail = filled("".join(f"{number}\n" for number in range(KEPT_LINES * 3)))
    assert tail.count == KEPT_LINES * 3
    assert len(tail.last(10**6)) == KEPT_LINES
    assert tail.last(1) == [str(KEPT_LINES * 3 - 1)]
    assert filled("x" * 10_000 + "end").last(1)[0].endswith("end")
    assert len(filled("x" * 10_000).last(1)[0]) == KEPT_LINE_CHARACTERS


def test_a_progress_bar_shows_its_last_step() -> None:
    assert filled("start\n10%␍20%␍", "30%").last(2) == ["start", "30%"]
    assert filled("10%␍20%␍").last(1) == ["20%"]
