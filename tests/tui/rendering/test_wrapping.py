"""Wrapping: nothing is lost, nothing is too wide, whatever the characters."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len, split_graphemes

from code_assistant.tui.rendering.rows import wrapped_rows
from code_assistant.tui.rendering.wrapping import Line, cut_to_cells, wrapped
from tests.rows import each_row
from tests.tui.look import PALETTE

CHARACTERS = [*"ab  \n-", "ä", "日", "e\u0301", "👩\u200d💻", "❤\ufe0f", "\u0301", "…"]
TEXTS = st.lists(st.sampled_from(CHARACTERS), max_size=60).map("".join)


def lines_of(text: str, width: int) -> list[str]:
    return [text[line.start : line.end] for line in wrapped(text, width)]


@each_row(
    ("text", "width", "expected"),
    [
        ("", 10, [""]),
        ("short", 10, ["short"]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 8, ["one two", "three"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a bcdefgh", 3, ["a", "bcd", "efg", "h"]),
        ("    indented text", 12, ["    indented", "text"]),
        ("a\n\nb", 5, ["a", "", "b"]),
        ("日本語 日本", 6, ["日本語", "日本"]),
        ("日本語日本", 4, ["日本", "語日", "本"]),
        ("ä ö ü", 3, ["ä ö", "ü"]),
        ("e\u0301e\u0301 e\u0301", 2, ["e\u0301e\u0301", "e\u0301"]),
    ],
)
def test_where_lines_break(text: str, width: int, expected: list[str]) -> None:
    assert lines_of(text, width) == expected


@settings(max_examples=500, derandomize=True, deadline=None)
@given(TEXTS, st.integers(1, 20))
def test_nothing_is_lost_and_nothing_too_wide(text: str, width: int) -> None:
    lines = wrapped(text, width)
    joined = ""
    for number, line in enumerate(lines):
        part = text[line.start : line.end]
        graphemes = [each for each in split_graphemes(part)[0] if each[2]]
        assert cell_len(part) <= width or len(graphemes) == 1
        if number:
            joined += "\n" if line.joint is None else line.joint
        joined += part
    assert joined == text


def test_a_new_line_of_the_text_is_told_from_a_broken_one() -> None:
    assert wrapped("ab cd\nef", 3) == [Line(0, 2, None), Line(3, 5, " "), Line(6, 8, None)]
    assert wrapped("abcd", 3) == [Line(0, 3, None), Line(3, 4, "")]


@settings(max_examples=300, derandomize=True, deadline=None)
@given(TEXTS, st.integers(0, 20))
def test_cutting_fits(text: str, cells: int) -> None:
    cut = cut_to_cells(text, cells)
    assert cell_len(cut) <= cells or cell_len(text) <= cells
    assert cut == text or cut.endswith("…") or cells == 0


def test_no_tab_reaches_the_terminal() -> None:
    rows = wrapped_rows([("a\tb", PALETTE.text), ("\tc", PALETTE.strong)], 20)
    assert [row.text for row in rows] == ["a b c"]
