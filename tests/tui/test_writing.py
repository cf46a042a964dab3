"""What is being written: one open block at a time, in order, whatever comes between."""

from __future__ import annotations

import pytest

from code_assistant.messages import Text, Thinking
from code_assistant.secrets import MASK, Masker
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.transcript.blocks import AnswerBlock, ThinkingBlock
from code_assistant.tui.transcript.transcript import Transcript
from code_assistant.tui.writing import Writing

KEY = "sk-test-0123456789"


class Held:
    def __init__(self) -> None:
        self.now = 0.0
        self.transcript = Transcript()
        self.writing = Writing(self.transcript, CleanText(Masker((KEY,))), lambda: self.now)

    @property
    def shown(self) -> list[tuple[type, str, bool]]:
        return [
            (type(block), block.source, block.is_finished)
            for block in self.transcript.blocks
            if isinstance(block, AnswerBlock | ThinkingBlock)
        ]


@pytest.fixture
def held() -> Held:
    return Held()


def test_pieces_of_one_kind_are_one_block(held: Held) -> None:
    for piece in ("one ", "two ", "three"):
        held.writing.add_text(piece)
    assert held.shown == [(AnswerBlock, "one two three", False)]
    held.writing.end_block(Text("one two three"))
    assert held.shown == [(AnswerBlock, "one two three", True)]


def test_another_kind_ends_the_one_before(held: Held) -> None:
    held.writing.add_thinking("hm")
    held.writing.add_text("so")
    held.writing.add_thinking("hm again")
    held.writing.end()
    assert held.shown == [(ThinkingBlock, "hm", True), (AnswerBlock, "so", True), (ThinkingBlock, "hm again", True)]


def test_how_long_it_thought(held: Held) -> None:
    held.now = 5.0
    held.writing.add_thinking("hm")
    held.now = 9.5
    held.writing.end_block(Thinking("hm", "signature"))
    block = held.transcript.blocks[0]
    assert isinstance(block, ThinkingBlock)
    assert block.seconds == 4.5


def test_a_key_split_between_pieces_is_masked_and_what_is_held_back_comes_at_the_end(held: Held) -> None:
    held.writing.add_text(f"a {KEY[:8]}")
    assert held.shown == [(AnswerBlock, "a ", False)]
    held.writing.add_text(f"{KEY[8:]} b {KEY[:5]}")
    held.writing.end()
    assert held.shown == [(AnswerBlock, f"a {MASK} b {KEY[:5]}", True)]


def test_a_key_does_not_reach_over_the_end_of_a_block(held: Held) -> None:
    held.writing.add_text(KEY[:8])
    held.writing.end()
    held.writing.add_text(KEY[8:])
    held.writing.end()
    assert [source for _, source, _ in held.shown] == [KEY[:8], KEY[8:]]


def test_ending_twice_or_nothing_changes_nothing(held: Held) -> None:
    held.writing.end()
    held.writing.add_text("x")
    held.writing.end()
    stamp = held.transcript.blocks[0].stamp
    held.writing.end()
    assert held.transcript.blocks[0].stamp == stamp


def test_every_piece_is_told(held: Held) -> None:
    told: list[None] = []
    held.transcript.on_change = lambda: told.append(None)
    held.writing.add_text("x")
    held.writing.add_text("y")
    held.writing.add_text("")
    assert len(told) == 3
