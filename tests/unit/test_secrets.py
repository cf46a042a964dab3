"""Masking: a configured key never gets out, whole or in pieces, and nothing else is touched."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.secrets import MASK, Masker, StreamMasker

KEY = "sk-ant-api03-aabaac"


def test_every_occurrence_is_masked() -> None:
    masker = Masker((KEY, "token-123"))
    assert masker.mask(f"a {KEY} b token-123 {KEY}") == f"a {MASK} b {MASK} {MASK}"


def test_the_longer_of_two_overlapping_keys_goes_first() -> None:
    assert Masker(("abcdef", "abcdefgh")).mask("abcdefgh") == MASK


def test_without_keys_nothing_changes() -> None:
    assert Masker(()).mask("sk-ant-x") == "sk-ant-x"
    assert Masker(("", "a")).mask("banana") == "banana"


@given(st.lists(st.sampled_from([KEY, KEY[:7], KEY[3:], "a", "sk-", " ", "text"])), st.data())
def test_no_split_lets_a_key_through(parts: list[str], data: st.DataObject) -> None:
    whole = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    stream = StreamMasker(Masker((KEY,)))
    shown = "".join(stream.feed(piece) for piece in pieces) + stream.flush()
    assert shown == Masker((KEY,)).mask(whole)


def test_a_key_is_found_inside_json_too() -> None:
    odd = 'key-"with\\-marks'
    assert odd not in json.loads(Masker((odd,)).mask(json.dumps({"text": f"it is {odd}!"})))["text"]


def test_ordinary_text_is_not_held_back() -> None:
    stream = StreamMasker(Masker((KEY,)))
    assert stream.feed("hello ") == "hello "
    assert stream.feed("as sk") == "as "
    assert stream.feed("y") == "sky"
