"""Rows of a styled text, and their links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from code_assistant.tui.rendering.rows import LinkSpan, wrapped_rows
from tests.tui.look import PALETTE


class CountedLinks(list[LinkSpan]):
    """How often one of them was looked at."""

    looks = 0

    def __getitem__(self, index: Any) -> Any:
        self.looks += 1
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[LinkSpan]:
        for link in super().__iter__():
            self.looks += 1
            yield link


def looks_at(count: int) -> int:
    links = CountedLinks(LinkSpan(number * 10, number * 10 + 8, f"http://{number}") for number in range(count))
    rows = wrapped_rows([("8letters, " * count, PALETTE.text)], 37, links=links)
    shown = [link.address for row in rows for link in row.links]
    # A link that is broken stands on two rows.
    assert list(dict.fromkeys(shown)) == [link.address for link in list.__iter__(links)]
    return links.looks


def test_the_cost_of_links_grows_with_the_text_and_no_faster() -> None:
    assert looks_at(800) <= 2.2 * looks_at(400)
