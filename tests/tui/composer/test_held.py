"""Dangerous characters are held one for one, drawn safely and given back unchanged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.sanitize import sanitize
from code_assistant.tui.composer.held import can_hold, hold, release, shown

NASTY = st.sampled_from("\x00\x07\x1b\r\x0b\x0c\x1c\x85\u2028\u2029\u202e\u200b\u200d\ufe0f\ufeff\x7f\x9b❤👩é\t\nab")
texts = st.text(st.one_of(NASTY, st.characters()), max_size=40)


@given(texts)
def test_held_text_is_given_back_unchanged(text: str) -> None:
    if can_hold(text):
        assert release(hold(text)) == text
        assert len(hold(text)) == len(text)
        assert hold(hold(text)) == hold(text)


@given(texts)
def test_what_is_drawn_is_safe_and_as_long(text: str) -> None:
    if can_hold(text):
        for line in hold(text).split("\n"):
            drawn = shown(line)
            assert len(drawn) == len(line)
            assert sanitize(drawn) == drawn


@given(texts)
def test_only_line_feeds_end_lines_of_held_text(text: str) -> None:
    if can_hold(text):
        assert hold(text).splitlines() == hold(text).removesuffix("\n").split("\n") or not text


def test_private_characters_cannot_be_held() -> None:
    assert not can_hold("a\U0010e000b")
    assert not can_hold("\U000e0041")
    assert can_hold("plain é \x1b 👩\u200d💻")


def test_pictures_stay_pictures() -> None:
    assert shown(hold("I ❤\ufe0f 👩\u200d💻")) == "I ❤\ufe0f 👩\u200d💻"
    assert shown(hold("a\x1b[31mb\u202e")) == "a␛[31mb\ufffd"
