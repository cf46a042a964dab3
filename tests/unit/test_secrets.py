"""Masking: a configured key never gets out, whole or in pieces, and nothing else is touched."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.secrets import MASK, Masker, StreamMasker, is_secret
from tests.rows import each_row

KEY = "sk-ant-api03-aabaac"


def test_every_occurrence_is_masked() -> None:
    masker = Masker((KEY, "token-123"))
    assert masker.mask(f"a {KEY} b token-123 {KEY}") == f"a {MASK} b {MASK} {MASK}"


def test_the_longer_of_two_overlapping_keys_goes_first() -> None:
    assert Masker(("abcdef12", "abcdef1234")).mask("abcdef1234") == MASK


def test_without_keys_nothing_changes() -> None:
    assert Masker(()).mask("sk-ant-x") == "sk-ant-x"
    assert Masker(("", "a")).mask("banana") == "banana"


DUMMIES = """
a x ollama EMPTY none dummy sk-1234 12345 result session_id parent_tool_use_id text input lm-studio not-needed
no-key-required sk-no-key-required your-api-key-here placeholder Password changeme LM_STUDIO
"""


@each_row("value", DUMMIES.split())
def test_safe_k3_what_stands_in_for_a_key_is_a_word_like_others(value: str) -> None:
    text = f'HOST = "{value}"  # {value}'
    assert Masker((value,)).mask(text) == text


@each_row(
    "value",
    [
        KEY,
        "token-123",
        "BSAabcdefGHIJKL",
        "QwErTyUiOp",
        "hunter22",
        "qzxjwvkpmnbtrlsd",
        "0123456789abcdef",
        "correct-horse-battery-staple",
        'key-"with\\-marks',
    ],
)
def test_safe_k1_what_could_be_a_key_is_one(value: str) -> None:
    assert is_secret(value)
    assert Masker((value,)).mask(f"it is {value}!") == f"it is {MASK}!"


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
