"""The output on its own: masked before it is cut, one line where it must be one, fitted to the width."""

from __future__ import annotations

import io

from code_assistant.headless.output import MAX_MESSAGE_CHARACTERS, Output, cut_to_columns
from code_assistant.secrets import Masker
from tests.rows import each_row

KEY = "sk-ant-secret-0123"


def shown(text: str) -> str:
    stderr = io.StringIO()
    Output(io.StringIO(), stderr, Masker((KEY,)), {}).message(text)
    return stderr.getvalue()


@each_row("before", range(MAX_MESSAGE_CHARACTERS - len(KEY) - 2, MAX_MESSAGE_CHARACTERS + 2))
def test_safe_k1_a_key_at_the_cut_of_a_long_message_leaves_no_piece(before: int) -> None:
    message = shown("x" * before + KEY + "y" * 50)
    assert "sk-" not in message
    assert message.endswith("…\n")


def test_no_line_of_a_message_begins_like_one_of_ours() -> None:
    assert shown("a\ncode-assistant: b") == "code-assistant: a\n  code-assistant: b\n"


@each_row(
    ("text", "columns", "fitted"),
    [
        ("short", 10, "short"),
        ("exactly", 7, "exactly"),
        ("too long", 7, "too lo…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("x", 0, "…"),
    ],
)
def test_lines_are_cut_to_the_columns_there_are(text: str, columns: int, fitted: str) -> None:
    assert cut_to_columns(text, columns) == fitted
