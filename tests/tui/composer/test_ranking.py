"""Which paths a few letters mean."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.tui.composer.ranking import candidates_of, is_offered, matched_places, rank
from tests.rows import each_row

PATHS = [
    "README.md",
    "src/",
    "src/shop/",
    "src/shop/tax.py",
    "src/shop/taxes_test.py",
    "lib/syntax.c",
    "tax/notes/x.md",
]


def best(query: str, paths: list[str] | None = None) -> list[str]:
    ranking = rank(candidates_of(PATHS if paths is None else paths), query, lambda: True)
    assert ranking is not None
    return ranking.best


def test_names_go_before_folders_and_whole_names_first() -> None:
    assert best("tax") == ["src/shop/tax.py", "src/shop/taxes_test.py", "lib/syntax.c", "tax/notes/x.md"]
    assert best("TAX.PY")[0] == "src/shop/tax.py"


def test_letters_may_be_left_out() -> None:
    assert best("sstx") == ["src/shop/tax.py", "src/shop/taxes_test.py"]
    assert best("rdm") == ["README.md"]
    assert best("zzz") == []


def test_without_letters_the_nearest_are_shown() -> None:
    assert best("")[:2] == ["README.md", "src/"]


def test_a_path_is_found_by_its_folders() -> None:
    assert best("shop/tax")[0] == "src/shop/tax.py"


def test_nobody_waits_nothing_is_given() -> None:
    assert rank(candidates_of(PATHS), "tax", lambda: False) is None


@each_row("name", ["a\x1bb", "a\nb", "a\x9bb", "\udc80", 'a"b', "a\u2028b", "\U0010e000"])
def test_names_that_cannot_be_written_are_not_offered(name: str) -> None:
    assert not is_offered(name)
    assert best("", [name, "fine.py"]) == ["fine.py"]


@each_row("name", ["a\u202eb.py", "[/foo].py", "é.py", "a b.py", "\u200bx"])
def test_odd_names_are_offered(name: str) -> None:
    assert is_offered(name)


@given(st.lists(st.text(max_size=12), max_size=20), st.text(max_size=6), st.text(max_size=3))
def test_a_longer_query_finds_no_more(paths: list[str], query: str, more: str) -> None:
    candidates = candidates_of(paths)
    shorter = rank(candidates, query, lambda: True)
    longer = rank(candidates, query + more, lambda: True)
    assert shorter is not None
    assert longer is not None
    assert {each.path for each in longer.matching} <= {each.path for each in shorter.matching}


@given(st.text(max_size=30), st.text(max_size=5))
def test_marked_letters_are_within_the_text(text: str, query: str) -> None:
    assert all(0 <= place < len(text) for place in matched_places(text, query))


def test_marked_letters_are_those_that_count() -> None:
    assert matched_places("src/tax.py", "tax") == [4, 5, 6]
    assert matched_places("src/shop/tax.py", "sstx") == [0, 4, 9, 11]
