"""Secrets of known forms: masked wherever they stand, whole or in pieces; nothing else is touched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.secret_formats import mask_formats
from code_assistant.secrets import MASK, Masker
from code_assistant.stored_secrets import StorageStreamMasker
from tests.rows import each_row
from tests.unit.secret_samples import CONTEXTS, INNOCENTS, SURROUNDED, TOKENS

KEY = "plain configured key"
FRAGMENTS = st.one_of(
    st.sampled_from([*"\\\"'=:/@ \n\b-.%", "sk-", "token=", "Bearer ", "://a:", "\\n", "-----BEGIN ", "eyJ", "ghp_"]),
    st.text(max_size=8),
)
SAMPLES = st.sampled_from([*TOKENS.values(), *(text for text, _ in SURROUNDED.values()), *INNOCENTS, KEY])
PARTS = st.tuples(st.lists(FRAGMENTS, max_size=3).map("".join), SAMPLES, st.sampled_from([" ", "\n", '"', ", ", ">"]))
TEXTS = st.lists(PARTS.map("".join), max_size=4).map("".join)
LARGE = 1_000_000


@each_row("context", CONTEXTS)
@each_row("token", TOKENS)
def test_safe_k1_tokens_are_masked_everywhere(token: str, context: str) -> None:
    before, after = CONTEXTS[context].format("\0").split("\0")
    masked = mask_formats(before + TOKENS[token] + after)
    assert masked.startswith(before)
    assert masked.endswith(f" removed]{after}")
    assert TOKENS[token][-8:] not in masked


@each_row("name", SURROUNDED)
def test_safe_k1_secrets_are_known_by_what_stands_around_them(name: str) -> None:
    text, secret = SURROUNDED[name]
    masked = mask_formats(text)
    assert secret not in masked
    assert masked.count(" removed]") == 1


@each_row("text", INNOCENTS)
def test_safe_k3_hashes_ids_references_and_placeholders_stay(text: str) -> None:
    for each in (text, json.dumps({"text": text, "n": [text]})):
        assert mask_formats(each) == each


@settings(max_examples=150)
@given(TEXTS, st.dictionaries(TEXTS, TEXTS, max_size=3))
def test_safe_k3_json_stays_json(text: str, found: dict[str, str]) -> None:
    once = {"text": text, "more": found, "api_key": text}
    for dumped in (json.dumps(once), json.dumps({"nested": json.dumps(once)}), json.dumps(once, ensure_ascii=False)):
        masked = json.loads(Masker((KEY,)).mask_for_storage(dumped))
        assert list(masked) == list(json.loads(dumped))


@settings(max_examples=150)
@given(TEXTS)
def test_masking_twice_is_masking_once(text: str) -> None:
    masked = Masker((KEY,)).mask_for_storage(text)
    assert Masker((KEY,)).mask_for_storage(masked) == masked


@settings(max_examples=200)
@given(TEXTS, st.data())
def test_pieces_give_what_the_whole_gives(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    stream = StorageStreamMasker(Masker((KEY,)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert "".join(map(stream.feed, pieces)) + stream.flush() == Masker((KEY,)).mask_for_storage(text)


@each_row("text", [*TOKENS.values(), *(text for text, _ in SURROUNDED.values())])
def test_safe_k1_no_cut_lets_a_secret_through(text: str) -> None:
    text = f"It is {text}, so."
    whole = mask_formats(text)
    for cut in range(len(text)):
        stream = StorageStreamMasker(Masker(()))
        assert stream.feed(text[:cut]) + stream.feed(text[cut:]) + stream.flush() == whole
    stream = StorageStreamMasker(Masker(()))
    assert "".join(map(stream.feed, text)) + stream.flush() == whole


def test_only_what_may_become_a_secret_is_held_back() -> None:
    stream = StorageStreamMasker(Masker((KEY,)))
    pieces = ["Half", " an", " answer, as", " sk", "y is", " api", "_key", ' = "', 'no"', " plain", " words"]
    given = [stream.feed(piece) for piece in pieces]
    assert given == ["Half", " an", " answer, as", " ", "sky is", " api", "_key", " ", '= "no"', " ", "plain words"]


def test_what_is_held_back_is_bounded() -> None:
    stream = StorageStreamMasker(Masker(()))
    held = 0
    for _ in range(60):
        held += 1000 - len(stream.feed("sk-" + "a" * 997))
        assert held <= 21_000


def test_the_configured_keys_go_first() -> None:
    odd = f"{TOKENS['github-classic']}/of=ours"
    assert Masker((odd,)).mask_for_storage(f"it is {odd}!") == f"it is {MASK}!"


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "eyJ", "sk-", "ghp_", "glpat-.", "AKIA", "xoxb-", "eyJaaaaaaaaaaaaa.", "\\", "=", "://a:", "://:a@"),
        *("token=", "token:\\", 'token="', "bearer ", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----\n", "password: "),
        "-----BEGIN PRIVATE KEY-----\\nAAAAAAAAAAAAAAAAAAAAAAAA",
    ],
)
def test_no_text_takes_more_than_linear_time(unit: str) -> None:
    """Anything worse takes hours for these, and the suite's time-out ends it."""
    text = unit * (LARGE // len(unit))
    stream = StorageStreamMasker(Masker(()))
    assert len(stream.feed(text) + stream.flush()) == len(mask_formats(text))
