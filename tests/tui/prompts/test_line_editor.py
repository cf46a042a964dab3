"""The one line to write in."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from code_assistant.tui.prompts.line_editor import LineEditor
from tests.rows import each_row
from tests.tui.look import PALETTE


def written(*keys: str) -> LineEditor:
    editor = LineEditor()
    for key in keys:
        if not editor.press(key):
            editor.insert(key)
    return editor


@each_row(
    ("keys", "text", "cursor"),
    [
        (("abc",), "abc", 3),
        (("abc", "left", "X"), "abXc", 3),
        (("abc", "home", "X", "end", "Y"), "XabcY", 5),
        (("abc", "backspace"), "ab", 2),
        (("abc", "home", "backspace", "delete"), "bc", 0),
        (("one two", "ctrl+w"), "one ", 4),
        (("one two ", "ctrl+w"), "one ", 4),
        (("one two", "left", "left", "ctrl+k"), "one t", 5),
        (("one two", "left", "ctrl+u"), "o", 0),
        (("e\u0301x", "left", "backspace"), "x", 0),
        (("👩‍💻", "backspace"), "", 0),
        (("a\nb\r\nc",), "a b c", 5),
        (("\x1b]52;c;x\x07",), "␛]52;c;x␇", 9),
    ],
)
def test_keys(keys: tuple[str, ...], text: str, cursor: int) -> None:
    editor = written(*keys)
    assert (editor.text, editor.cursor) == (text, cursor)


def test_it_does_not_grow_without_end() -> None:
    editor = written("x" * 5_000, "y")
    assert len(editor.text) == 4_000


KEYS = st.sampled_from(["left", "right", "home", "end", "backspace", "delete", "ctrl+w"])


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.lists(KEYS | st.text("ab 漢é👩", max_size=5), max_size=20), st.integers(3, 20))
def test_the_view_fits_and_holds_the_cursor(keys: list[str], width: int) -> None:
    editor = written(*keys)
    spans, column = editor.view(width, PALETTE)
    assert sum(cell_len(text) for text, _ in spans) <= width
    assert 0 <= column < width
    assert "".join(text for text, _ in spans).strip() in editor.text
    assert 0 <= editor.cursor <= len(editor.text)
