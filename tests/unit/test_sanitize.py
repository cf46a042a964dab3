"""The sanitiser: nothing that acts on a terminal or hides in it gets through; everything else does."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_assistant.sanitize import StreamSanitizer, is_plain, sanitize, sanitize_line
from tests.rows import each_row


@each_row(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("tab\tand\nnewline", "tab\tand\nnewline"),
        ("windows\r\nline", "windows\nline"),
        ("lone\rreturn", "lone␍return"),
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("\x1b[2J\x1b]0;title\x1b\\", "␛[2J␛]0;title␛\\"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("del\x7f nul\x00", "del␡ nul␀"),
        ("user\u202egnp.exe", "user⟨U+202E⟩gnp.exe"),
        ("zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("soft\u00adhyphen", "soft⟨U+00AD⟩hyphen"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("Grüße ☃ 日本語 e\u0301", "Grüße ☃ 日本語 e\u0301"),
        ("family 👩‍👩‍👧", "family 👩‍👩‍👧"),
        ("pass\u200dword", "pass⟨U+200D⟩word"),
        ("支\u200d付", "支⟨U+200D⟩付"),
        ("heart ❤\ufe0f", "heart ❤\ufe0f"),
        ("burning ❤\ufe0f\u200d🔥 and 👩🏽\u200d💻", "burning ❤\ufe0f\u200d🔥 and 👩🏽\u200d💻"),
        ("🏳\ufe0f\u200d🌈 🙂\u200d↔\ufe0f 🚶\u200d➡\ufe0f", "🏳\ufe0f\u200d🌈 🙂\u200d↔\ufe0f 🚶\u200d➡\ufe0f"),
        ("touch →\u200d→", "touch →⟨U+200D⟩→"),
        ("↔\u200d↔ ➡\u200d➡ ①\u200d①", "↔⟨U+200D⟩↔ ➡⟨U+200D⟩➡ ①⟨U+200D⟩①"),
        ("👩\u200d→ →\u200d👩", "👩⟨U+200D⟩→ →⟨U+200D⟩👩"),
        ("👩\u200d\u200d👩\u200d", "👩⟨U+200D⟩⟨U+200D⟩👩⟨U+200D⟩"),
        ("❤\ufe0f\ufe0f\ufe0f", "❤\ufe0f⟨U+FE0F⟩⟨U+FE0F⟩"),
        ("→\ufe0f ⎈\ufe0f\u200d👩", "→⟨U+FE0F⟩ ⎈⟨U+FE0F⟩⟨U+200D⟩👩"),
        ("x\ufe0f\ufe00y\u180b", "x⟨U+FE0F⟩⟨U+FE00⟩y⟨U+180B⟩"),
        ("[/foo] [@click=quit]", "[/foo] [@click=quit]"),
    ],
)
def test_safe_x1_hostile_text_is_shown_not_obeyed(text: str, shown: str) -> None:
    assert sanitize(text) == shown


@pytest.mark.parametrize("text", ["make test", "tab\tand\nnewline", "Grüße ☃ 日本語"])
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    assert is_plain(text)
    assert sanitize(text) == text


@each_row("text", ["make\r\ntest", "a\rb", "rm \u200bx", "\x1b[2J", "👩\u200d👩", "x\u202ey", "\x7f"])
def test_safe_b6_text_with_anything_hidden_is_not_plain(text: str) -> None:
    assert not is_plain(text)


def test_a_line_stays_a_line() -> None:
    assert sanitize_line("a\nb\tc\r\nd") == "a␊b c␊d"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("character", ["\u200d", "\u202e", "👩", "\ufe0f", "\r"])
def test_long_runs_take_time_in_proportion(character: str) -> None:
    """The hang guard is the proof: a quadratic sanitiser needs minutes for this."""
    stream = StreamSanitizer()
    assert len(sanitize(character * 1_000_000)) >= 1_000_000
    assert len(stream.feed(character * 1_000_000) + stream.flush()) >= 1_000_000


@given(st.text())
def test_no_control_or_format_character_is_left(text: str) -> None:
    for character in sanitize(text):
        kind = unicodedata.category(character)
        assert kind not in {"Cc", "Cs", "Zl", "Zp"} or character in "\n\t"
        assert kind != "Cf" or character == "\u200d" or 0x0600 <= ord(character) <= 0x110CD


@given(st.text(alphabet=st.sampled_from("ab\r\n\t\x1b\u200d\ufe0f👩❤→↔é日\u202e")), st.data())
def test_pieces_are_shown_like_the_whole(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    stream = StreamSanitizer()
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert "".join(stream.feed(piece) for piece in pieces) + stream.flush() == sanitize(text)


@given(st.text())
def test_it_can_be_applied_twice(text: str) -> None:
    assert sanitize(sanitize(text)) == sanitize(text)
