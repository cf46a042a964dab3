"""Tables at every width: columns side by side where they can be read, else a row for each cell; never too wide."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.tui.rendering.markdown import markdown_rows
from tests.rows import each_row
from tests.tui.look import PALETTE

TABLE = """\
| Tax | Where | Rounded |
| :-- | :-: | --: |
| standard | `shop/tax.py` | yes |
| reduced rate for books | [cart](https://a.example/cart) | no |
"""


def texts(markdown: str, width: int) -> list[str]:
    return [row.text.rstrip() for row in markdown_rows(markdown, width, PALETTE)]


def test_with_room_it_is_as_wide_as_it_needs() -> None:
    assert texts(TABLE, 80) == [
        "Tax                    │    Where    │ Rounded",
        "───────────────────────┼─────────────┼────────",
        "standard               │ shop/tax.py │     yes",
        "reduced rate for books │    cart     │      no",
    ]


def test_with_less_room_the_widest_column_gives_way_first() -> None:
    assert texts(TABLE, 37) == [
        "Tax           │    Where    │ Rounded",
        "──────────────┼─────────────┼────────",
        "standard      │ shop/tax.py │     yes",
        "reduced rate  │    cart     │      no",
        "for books     │             │",
    ]


def test_without_room_for_columns_every_cell_has_its_row() -> None:
    assert texts(TABLE, 20) == [
        "Tax: standard",
        "Where: shop/tax.py",
        "Rounded: yes",
        "",
        "Tax: reduced rate",
        "for books",
        "Where: cart",
        "Rounded: no",
    ]
    links = [
        (row.text[link.start : link.end], link.address)
        for row in markdown_rows(TABLE, 20, PALETTE)
        for link in row.links
    ]
    assert links == [("cart", "https://a.example/cart")]


def test_inside_a_list_it_stands_behind_the_mark() -> None:
    indented = TABLE.replace("\n", "\n  ")
    for width, first in ((80, "• Tax "), (20, "• Tax: ")):
        rows = texts(f"- {indented}", width)
        assert rows[0].startswith(first)
        assert all(row.startswith("  ") or not row for row in rows[1:])


@each_row("width", range(20, 100))
def test_at_every_width_it_is_whole_and_not_too_wide(width: int) -> None:
    rows = markdown_rows(TABLE, width, PALETTE)
    assert all(row.cells <= width for row in rows)
    letters = Counter("".join(row.text for row in rows))
    words = "standardreducedrateforbooksshop/tax.pycartyesnoTaxWhereRounded"
    assert all(letters[each] >= count for each, count in Counter(words).items())


CELLS = st.lists(
    st.sampled_from(["w", "word", "日本語", "**b**", "two words", "", "longer_than_most", "👩\u200d💻"]), max_size=3
)
ROWS = st.lists(st.lists(CELLS.map(" ".join), min_size=1, max_size=12), min_size=1, max_size=5)


@settings(max_examples=100, deadline=None)
@given(ROWS, st.integers(min_value=20, max_value=120))
def test_random_tables_are_never_too_wide(cells: list[list[str]], width: int) -> None:
    columns = len(cells[0])
    lines = [cells[0], ["-"] * columns, *cells[1:]]
    markdown = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    rows = markdown_rows(markdown, width, PALETTE)
    assert rows
    assert all(row.cells <= width for row in rows)
