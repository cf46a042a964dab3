"""The output on its own: masked before it is cut, one line where it must be one, fitted to the width."""

from __future__ import annotations

import io
import json
from typing import Any

from code_assistant.headless.output import MAX_MESSAGE_CHARACTERS, Output, cut_to_columns
from code_assistant.secrets import MASK, Masker
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


def written(fields: dict[str, Any], *keys: str) -> Any:
    stdout = io.StringIO()
    Output(stdout, io.StringIO(), Masker(keys), {}).json_line(fields)
    return json.loads(stdout.getvalue())


def test_safe_k3_a_line_of_json_keeps_its_names_whatever_the_key() -> None:
    usage = {"cache_creation_input_tokens": 7, "session_id": "s", "result": "x"}
    assert written(usage, "cache_creation_input_tokens", "session_id", "result") == usage
    assert written({"count": 1234567890123}, "1234567890123") == {"count": 1234567890123}


def test_safe_k1_a_line_of_json_has_no_key_in_it_wherever_that_was() -> None:
    odd = 'sk-"odd\\-0123'
    inner = json.dumps({"content": f"it is {odd}"})
    fields = {"a": [{"b": odd}], "json": inner, KEY: {"x": KEY}}
    assert written(fields, odd, KEY) == {
        "a": [{"b": MASK}],
        "json": json.dumps({"content": f"it is {MASK}"}),
        MASK: {"x": MASK},
    }


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
