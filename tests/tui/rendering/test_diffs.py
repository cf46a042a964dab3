"""Diffs: signs and the numbers of lines, whatever the lines look like."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.tui.rendering import diffs
from code_assistant.tui.rendering.diffs import diff_rows
from code_assistant.tui.rendering.rows import Prefix
from tests.tui.look import PALETTE

DIFF = "\n".join(
    [
        "--- a/shop/tax.py",
        "+++ b/shop/tax.py",
        "@@ -8,4 +8,5 @@ def compute_tax(net):",
        " def compute_tax(net):",
        "-    return round(net * RATE)",
        "+    if not net:",
        "+        return 0",
        " ",
        " \ttabbed",
        "\\ No newline at end of file",
        "",
    ]
)


def texts(diff: str, width: int = 60, before: Prefix | None = None) -> list[str]:
    return [row.text.rstrip() for row in diff_rows(diff, width, PALETTE, before or Prefix())]


def test_numbers_are_those_of_the_file_that_a_line_is_in() -> None:
    assert texts(DIFF) == [
        "--- a/shop/tax.py",
        "+++ b/shop/tax.py",
        "@@ -8,4 +8,5 @@ def compute_tax(net):",
        "  8  def compute_tax(net):",
        "  9 -    return round(net * RATE)",
        "  9 +    if not net:",
        " 10 +        return 0",
        " 11",
        " 12     tabbed",
        "\\ No newline at end of file",
    ]


def test_colours() -> None:
    rows = diff_rows(DIFF, 60, PALETTE, Prefix())
    styles = [row.segments[-1].style for row in rows]
    assert styles[2] == PALETTE.hunk
    assert styles[4] == PALETTE.removed
    assert styles[5] == styles[6] == PALETTE.added
    assert styles[3] == PALETTE.text


def test_lines_of_a_new_file_that_look_like_headings_are_lines() -> None:
    assert texts("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+++ x\n+-- y\n")[3:] == ["  1 +++ x", "  2 +-- y"]


def test_removed_lines_that_look_like_headings_are_lines() -> None:
    assert texts("--- a/x\n+++ b/x\n@@ -1,2 +0,0 @@\n--- x\n-+ y\n")[3:] == ["  1 --- x", "  2 -+ y"]


def test_high_numbers_keep_their_column() -> None:
    assert texts("@@ -998,3 +998,3 @@\n a\n b\n c\n")[1:] == [" 998  a", " 999  b", "1000  c"]


def test_numbers_of_a_size_that_no_file_has_are_no_numbers() -> None:
    nine = "9" * 5000
    assert texts(f"@@ -{nine} +{nine} @@\n+x") == [f"@@ -{nine}"[:59] + "…", "  0 +x"]


def test_long_lines_wrap_below_their_beginning() -> None:
    bar = Prefix((("│ ", PALETTE.muted),), (("│ ", PALETTE.muted),))
    rows = texts("@@ -1 +1 @@\n+one two three four\n", 18, bar)
    assert rows == ["│ @@ -1 +1 @@", "│   1 +one two", "│     three four"]


def test_a_very_long_diff_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diffs, "SHOWN_LINES", 2)
    assert texts("@@ -1,3 +1,3 @@\n a\n b\n c\n") == ["@@ -1,3 +1,3 @@", "  1  a", "… 2 more lines"]


PARTS = st.sampled_from([*"+-@ \\ab1,\t", "日", "@@ -1,2 +3,4 @@", "--- ", "+++ "])
LINES = st.lists(st.lists(PARTS, max_size=30).map("".join), max_size=12)


@settings(max_examples=150, deadline=None)
@given(LINES, st.integers(min_value=16, max_value=80))
def test_anything_that_is_called_a_diff_can_be_drawn(lines: list[str], width: int) -> None:
    rows = diff_rows("\n".join(lines), width, PALETTE, Prefix())
    assert len(rows) >= len(lines) - 1
    assert all(row.cells <= width for row in rows)
