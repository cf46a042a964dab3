"""The window on lines of a file: numbered, marked, in sight, and copied without any of that."""

from __future__ import annotations

import pytest
from textual.geometry import Offset
from textual.selection import Selection

from code_assistant.tui.pickers.file_lines import LinesScreen, LinesView, line_rows, lines_title
from tests.tui.pickers.host import Host, assert_inside, rows

LINES = [f"line number {number}" for number in range(101, 401)]


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 40)])
async def test_what_is_meant_is_in_sight_with_a_bit_before_it(size: tuple[int, int]) -> None:
    app = Host()
    async with app.run_test(size=size) as pilot:
        app.open(LinesScreen("a.py", LINES, 101, range(250, 253)))
        await pilot.pause()
        shown = rows(app)
        assert_inside(app)
        for number in (250, 251, 252):
            assert any(f"▌{number}  line number {number}" in row for row in shown), shown
        assert any(" 249  line number 249" in row for row in shown)
        assert not any("▌249" in row or "▌253" in row for row in shown)
        await pilot.press("home")
        assert any("101  line number 101" in row for row in rows(app))
        await pilot.press("escape")
        assert app.given is None


async def test_the_first_and_the_last_lines() -> None:
    app = Host()
    async with app.run_test(size=(60, 14)) as pilot:
        app.open(LinesScreen("a.py", LINES[:3], 1, range(3, 99)))
        await pilot.pause()
        assert any("▌3  line number 103" in row for row in rows(app))
        await pilot.press("q")
        app.open(LinesScreen("a.py", LINES, 101, range(400, 401)))
        await pilot.pause()
        assert any("▌400  line number 400" in row for row in rows(app))


async def test_a_wide_line_before_them_does_not_push_them_out_of_sight() -> None:
    app = Host()
    async with app.run_test(size=(50, 14)) as pilot:
        app.open(LinesScreen("a.py", ["wide " * 300, *LINES], 1, range(2, 3)))
        await pilot.pause()
        assert any("▌  2  line number 101" in row for row in rows(app))


def test_numbers_and_marks_are_not_copied() -> None:
    view = LinesView(["def f():", "    return 'a long line that is wrapped'"], 9, range(10, 11))
    view._lay_out(24)
    found = view.get_selection(Selection(Offset(0, 0), Offset(99, 9)))
    assert found == ("def f():\n    return 'a long line that is wrapped'", "\n")


def test_a_mark_stands_beside_every_row_of_a_line() -> None:
    marked = line_rows("word " * 20, 7, True, 3, 30)
    assert all(row.text[1] == "▌" for row in marked)
    assert marked[0].text.startswith(" ▌  7  word")
    assert marked[1].text.startswith(" ▌     word")
    assert all(row.text[1] == " " for row in line_rows("word", 7, False, 3, 30))


def test_titles() -> None:
    assert lines_title("a.py", 4, 4, 12) == "a.py · line 4 of 12"
    assert lines_title("a.py", 4, 5, 12) == "a.py · lines 4-5 of 12"
    assert lines_title("a.py", 4, 5, None) == "a.py · lines 4-5"
    assert lines_title("a.py", 4, 15, 12) == "a.py · lines 4-15, but it has only 12"
