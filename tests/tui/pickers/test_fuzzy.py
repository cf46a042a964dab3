"""Fuzzy matching: what is found, in which order, and at what price."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.tui.pickers.fuzzy import match
from tests.rows import each_row


def best(query: str, *texts: str) -> list[str]:
    found = [(result.score, text) for text in texts if (result := match(query, text)) is not None]
    return [text for _, text in sorted(found, reverse=True)]


@each_row(
    ("query", "texts", "first"),
    [
        ("son", ("season", "s-o-n", "claude-sonnet"), "claude-sonnet"),
        ("cs", ("classic", "claude-sonnet"), "claude-sonnet"),
        ("dark", ("da-rk", "harbor-dark"), "harbor-dark"),
        ("hl", ("high-contrast-long-name", "harbor-light"), "harbor-light"),
        ("gT", ("getting", "getThing"), "getThing"),
        ("perm", ("permissions", "/permissions and more"), "permissions"),
        ("dark harbor", ("harbor-light", "harbor-dark"), "harbor-dark"),
        ("STRASSE", ("Straße", "strasse"), "strasse"),
    ],
)
def test_the_best_comes_first(query: str, texts: tuple[str, ...], first: str) -> None:
    assert best(query, *texts)[0] == first


def test_letters_out_of_order_are_not_found() -> None:
    assert match("ba", "ab") is None
    assert match("aa", "a") is None
    assert match("x", "") is None


def test_positions_are_those_of_the_text() -> None:
    found = match("hd", "harbor-dark")
    assert found is not None
    assert found.positions == (0, 7)


@given(st.text(max_size=30), st.text(max_size=60))
def test_what_is_found_has_the_letters(query: str, text: str) -> None:
    found = match(query, text)
    if found is not None:
        assert list(found.positions) == sorted(set(found.positions))
        assert all(0 <= place < len(text) for place in found.positions)
        for word in query.split():
            assert all(letter in text.casefold() for letter in word.casefold())


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_a_part_of_a_text_is_found(before: str, word: str, after: str) -> None:
    # Letters that fold to several are found only as those several.
    if all(len(letter.casefold()) == 1 for letter in before + word + after):
        assert match(word, before + word + after) is not None


def test_many_repeated_letters_cost_little() -> None:
    assert match("ab" * 500 + "c", "ab" * 5000) is not None
    assert match("a" * 63 + "c", "a" * 5000) is None
