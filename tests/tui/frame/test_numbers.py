"""Numbers as people read them."""

from __future__ import annotations

import math

from code_assistant.tui.frame import numbers
from tests.rows import each_row


@each_row(
    ("count", "words"),
    [
        (-5, "0 tok"),
        (0, "0 tok"),
        (812, "812 tok"),
        (999, "999 tok"),
        (1_000, "1.0k tok"),
        (1_234, "1.2k tok"),
        (12_345, "12.3k tok"),
        (99_949, "99.9k tok"),
        (99_950, "100k tok"),
        (123_456, "123k tok"),
        (999_499, "999k tok"),
        (999_500, "1.0M tok"),
        (1_234_567, "1.2M tok"),
        (5_000_000_000, "5.0G tok"),
    ],
)
def test_tokens(count: int, words: str) -> None:
    assert numbers.tokens(count) == words


@each_row(
    ("dollars", "words"),
    [(0.0, "$0.00"), (0.001, "<$0.01"), (0.04, "$0.04"), (12.3, "$12.30"), (1234.5, "$1234.50")],
)
def test_money(dollars: float, words: str) -> None:
    assert numbers.money(dollars) == words


@each_row(
    ("seconds", "words"),
    [
        (-1, "0:00"),
        (math.nan, "0:00"),
        (0.9, "0:00"),
        (12, "0:12"),
        (62, "1:02"),
        (3723, "1:02:03"),
        (360_000, "100:00:00"),
    ],
)
def test_clock(seconds: float, words: str) -> None:
    assert numbers.clock(seconds) == words


@each_row(("cost", "known"), [(None, False), (math.nan, False), (math.inf, False), (-1.0, False), (0.0, True)])
def test_a_cost_is_known_only_as_a_real_number(cost: float | None, known: bool) -> None:
    assert numbers.is_known(cost) is known
