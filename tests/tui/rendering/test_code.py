"""Code in colours: every character stays, whatever the language."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.tui.rendering import code
from code_assistant.tui.rendering.code import code_rows, colored
from tests.tui.hostile import HOSTILE
from tests.tui.look import PALETTE

LANGUAGES = [
    "python",
    "py",
    "js",
    "bash",
    "console",
    "json",
    "html",
    "c",
    "rust",
    "diff",
    "yaml",
    "php",
    "make",
    "",
    "nonsense",
]


def styles(lines: list[str], language: str) -> dict[str, object]:
    return {text.strip(): style for line in colored(lines, language, PALETTE) for text, style in line}


def test_what_is_coloured_how() -> None:
    found = styles(["@cached", "def area(x):", '    return "a" + 12  # why'], "python")
    assert found["def"] == found["return"] == PALETTE.keyword
    assert found["area"] == PALETTE.name
    assert found["12"] == found["@cached"] == PALETTE.number
    assert found["# why"] == PALETTE.comment
    assert found["a"] == PALETTE.string


def test_an_unknown_language_and_long_code_stay_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    assert styles(["def f():"], "nonsense") == {"def f():": PALETTE.code}
    monkeypatch.setattr(code, "COLORED_CHARACTERS", 5)
    assert styles(["def f():"], "python") == {"def f():": PALETTE.code}


def test_rows_are_a_panel_of_the_full_width() -> None:
    rows = code_rows(["if x:", "\ty = 1", ""], "python", 20, PALETTE)
    assert [row.text for row in rows] == [" if x:".ljust(20), "     y = 1".ljust(20), " " * 20]
    assert {segment.style.bgcolor for row in rows for segment in row.segments if segment.style} == {
        PALETTE.code.bgcolor
    }


def test_long_lines_wrap_and_are_copied_as_one() -> None:
    rows = code_rows(["x" * 30], "", 20, PALETTE)
    assert [row.joint for row in rows] == [None, ""]
    assert "".join(row.text[row.indent :].rstrip() for row in rows) == "x" * 30


LINES = st.lists(
    st.text(st.sampled_from([*"abc01 '\"#/*{}()<>$=:\\`@-+.,;\t", "日", "é", "\u2028", "\x0c", "👩"]), max_size=30),
    max_size=8,
)


@settings(max_examples=200, deadline=None)
@given(LINES, st.sampled_from(LANGUAGES))
def test_colouring_never_loses_or_adds_text(lines: list[str], language: str) -> None:
    found = ["".join(text for text, _ in line) for line in colored(lines, language, PALETTE)]
    assert found == [line.expandtabs(code.TAB_CELLS) for line in lines]


@settings(max_examples=100, deadline=None)
@given(LINES, st.sampled_from(LANGUAGES), st.integers(min_value=8, max_value=60))
def test_rows_are_never_too_wide(lines: list[str], language: str, width: int) -> None:
    assert all(row.cells == width for row in code_rows(lines, language, width, PALETTE))


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_lines(language: str) -> None:
    for hostile in HOSTILE:
        lines = hostile.split("\n")
        found = ["".join(text for text, _ in line) for line in colored(lines, language, PALETTE)]
        assert found == [line.expandtabs(code.TAB_CELLS) for line in lines]
