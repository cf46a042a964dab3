"""Nothing reaches the screen that could act on a terminal, hide in it, or is a key, in whatever pieces it comes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.secrets import MASK, Masker
from code_assistant.tui import clean_text
from code_assistant.tui.clean_text import CleanText
from tests.tui.hostile import HOSTILE, is_safe

KEY = "sk-test-0123456789"


@pytest.fixture
def clean() -> CleanText:
    return CleanText(Masker((KEY,)))


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_everything_is_made_visible(clean: CleanText, hostile: str) -> None:
    assert is_safe(clean.line(hostile))
    assert is_safe(clean.text(hostile).replace("\n", "").replace("\t", ""))
    for name, value in clean.arguments({hostile: hostile, "deep": {hostile: [hostile]}}):
        assert is_safe(name)
        assert is_safe(value.replace("\n", "").replace("\t", ""))


def test_keys_are_masked_everywhere(clean: CleanText) -> None:
    assert clean.line(f"a {KEY} b") == f"a {MASK} b"
    assert clean.text(f"a\n{KEY}\nb") == f"a\n{MASK}\nb"
    assert clean.arguments({KEY: {"env": [KEY]}}) == ((MASK, f'{{"env": ["{MASK}"]}}'),)


def test_a_key_where_a_text_is_cut_is_masked_before(clean: CleanText, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clean_text, "SHOWN_VALUE_CHARACTERS", 10)
    monkeypatch.setattr(clean_text, "SHOWN_DETAIL_CHARACTERS", 10)
    assert clean.arguments({"x": f"12345{KEY}"}) == (("x", f"12345{MASK[:5]}… (23 characters)"),)
    assert clean.text(f"12345{KEY}") == f"12345{MASK[:5]}\n… (cut)"


def test_values_that_are_no_text_are_shown_as_json(clean: CleanText) -> None:
    values = {
        "number": 1,
        "none": None,
        "list": ["ä"],
        "odd": {
            1,
        },
    }
    assert clean.arguments(values) == (("number", "1"), ("none", "null"), ("list", '["ä"]'), ("odd", '"{1}"'))


def cut(text: str, sizes: list[int]) -> list[str]:
    pieces: list[str] = []
    for size in sizes:
        pieces.append(text[:size])
        text = text[size:]
    return [*pieces, text]


TEXTS = st.lists(
    st.sampled_from([*"ab \n\t\r", KEY, KEY[:7], KEY[7:], "\x1b[31m", "\u202e", "👩\u200d💻", "\ufe0f", "\u200d", "日"])
).map("".join)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(st.integers(0, 12), max_size=12))
def test_pieces_come_out_as_the_whole_would(text: str, sizes: list[int]) -> None:
    clean = CleanText(Masker((KEY,)))
    stream = clean.stream()
    shown = "".join(stream.feed(piece) for piece in cut(text, sizes)) + stream.flush()
    assert KEY not in shown
    assert is_safe(shown.replace("\n", "").replace("\t", "").replace("\u200d", ""))
    assert shown == clean.text(text)


def test_what_is_certain_is_not_held_back(clean: CleanText) -> None:
    stream = clean.stream()
    assert stream.feed("hello sk-te") == "hello "
    assert stream.feed("a!") == "sk-tea!"
    assert stream.feed("\r") == ""
    assert stream.feed("\nnext") == "\nnext"
