"""What is kept of an endless text: true beginnings and ends, right counts, in bounds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.workspace.commands import head_tail
from code_assistant.workspace.commands.head_tail import HeadTail

PIECES = st.lists(st.text(max_size=40), max_size=30)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_tail, "HEAD_CHARACTERS", 20)
    monkeypatch.setattr(head_tail, "TAIL_CHARACTERS", 15)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(PIECES)
def test_safe_o3_head_and_tail_are_the_text_s_own_and_bounded(pieces: list[str]) -> None:
    parts = HeadTail()
    for number, piece in enumerate(pieces, 1):
        parts.add(piece)
        whole = "".join(pieces[:number])
        assert parts.characters == len(whole)
        assert whole.startswith(parts.head)
        assert whole.endswith(parts.tail)
        assert (len(parts.head), len(parts.tail)) == (min(len(whole), 20), min(max(len(whole) - 20, 0), 15))
        assert parts.left_out == len(whole) - len(parts.head) - len(parts.tail)
        if not parts.left_out:
            assert parts.head + parts.tail == whole


def test_what_is_held_does_not_grow_with_the_text() -> None:
    parts = HeadTail()
    for _ in range(1000):
        parts.add("0123456789")
    held = [value for value in vars(parts).values() if isinstance(value, str)]
    assert sum(map(len, held)) <= 20 + 3 * 15 + 10
    assert parts.left_out == 10_000 - 35
