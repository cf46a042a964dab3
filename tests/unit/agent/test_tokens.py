"""Estimates of tokens: by size, for every kind of block."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.agent.tokens import (
    IMAGE_TOKENS,
    block_tokens,
    cut_to_tokens,
    message_tokens,
    text_tokens,
    tools_tokens,
)
from code_assistant.llm.provider import ToolSpecification
from code_assistant.messages import (
    Block,
    Image,
    Message,
    Opaque,
    RedactedThinking,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from tests.rows import each_row


def test_text_is_estimated_by_its_bytes() -> None:
    assert text_tokens("") == 0
    assert text_tokens("x") == 1
    assert text_tokens("x" * 3500) == 1000
    # Three bytes a character: nearly one token.
    assert text_tokens("税" * 1000) == 858
    assert text_tokens("\ud800") == 1


@each_row(
    ("block", "tokens"),
    [
        (Text("x" * 35), 10),
        (Thinking("x" * 35, "s" * 5000), 10),
        (RedactedThinking("x" * 35), 10),
        (Image("image/png", "x" * 1_000_000), IMAGE_TOKENS),
        (ToolCall("t", "read_files", {"paths": ["a.py"]}), 8 + 3 + 6),
        (ToolResult("t", (Text("x" * 35), Image("image/png", ""))), 8 + 10 + IMAGE_TOKENS),
        (Opaque({"type": "x"}), 4),
    ],
    ids=lambda each: type(each).__name__,
)
def test_every_kind_of_block(block: Block, tokens: int) -> None:
    assert block_tokens(block) == tokens


def test_messages_and_tools_have_all_that_is_in_them() -> None:
    assert message_tokens(Message("user", (Text("x" * 35), Text("x" * 35)))) == 24
    tool = ToolSpecification("echo", "x" * 350, {"type": "object", "properties": {"note": {"type": "string"}}})
    assert tools_tokens((tool, tool)) == 2 * tools_tokens((tool,)) > 200


@given(st.text(max_size=300), st.integers(0, 100))
def test_what_is_cut_is_no_longer_than_that_and_keeps_both_ends(text: str, tokens: int) -> None:
    cut = cut_to_tokens(text, tokens, "…")
    if text_tokens(text) <= tokens:
        assert cut == text
        return
    first, _, last = cut.partition("…") if "…" not in text else (cut[:0], "", cut[len(cut) :])
    assert text.startswith(first)
    assert text.endswith(last)
    assert len(cut) <= len(text) + 1


def test_a_long_text_is_cut_in_its_middle() -> None:
    text = "a" * 3500 + "b" * 3500
    cut = cut_to_tokens(text, 100, " … ")
    assert text_tokens(cut) <= 100
    assert cut.startswith("aaa")
    assert cut.endswith("bbb")
    assert " … " in cut
