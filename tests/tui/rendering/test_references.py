"""References to lines of files are links, and nothing else about the text is different because of them."""

from __future__ import annotations

import time
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.tui.rendering import inline
from code_assistant.tui.rendering.code import code_rows
from code_assistant.tui.rendering.markdown import markdown_rows
from code_assistant.tui.rendering.references import FilePlace, link_target, place_of, places_in, with_references
from code_assistant.tui.rendering.rows import Link, Row
from tests.rows import each_row
from tests.tui.look import PALETTE

WORDS = [
    "src/a.py:10",
    "`src/a.py:10-20`",
    "`my file.py:3`",
    "src/__init__.py:3",
    "**a.py:1**",
    "_a.py:2_",
    "[a.py:1](b.py)",
    "[`x`](b.py#L3-L4)",
    "https://a.example/x.py:10",
    "12:30",
    "a.py:0",
    "tax",
    "| a.py:1 | b |\n|---|---|\n| `c.py:2` | d |",
    "```\nb.py:7\n```",
    "- item",
    "> quote",
    "\n\n",
    "\\`",
    "日本/あ.py:5",
]


def linked(rows: list[Row]) -> list[tuple[str, str]]:
    """The text of each link and the place it leads to, as they stand on the rows."""
    return [(row.text[link.start : link.end], str(place_of(link.address))) for row in rows for link in row.links]


def drawn(text: str, width: int = 60) -> list[tuple[str, str]]:
    return linked(markdown_rows(text, width, PALETTE))


@each_row(
    ("text", "links"),
    [
        ("It is in src/a.py:10.", [("src/a.py:10", "src/a.py:10")]),
        ("It is in `src/a.py:10-20`, too.", [("src/a.py:10-20", "src/a.py:10-20")]),
        ("See src/a.py#L3-L4 and b.py:1", [("src/a.py#L3-L4", "src/a.py:3-4"), ("b.py:1", "b.py:1")]),
        ("- in **src/a.py:10** here", [("src/a.py:10", "src/a.py:10")]),
        ("**src/a**.py:10", [("src/a.py:10", "src/a.py:10")]),
        # What Markdown takes for bold belongs to the name.
        ("see src/__init__.py:3", [("src/init.py:3", "src/__init__.py:3")]),
        ("see `my file.py:3` there", [("my file.py:3", "my file.py:3")]),
        ("| a | b |\n|---|---|\n| `x.py:1` | y.py:2 |", [("x.py:1", "x.py:1"), ("y.py:2", "y.py:2")]),
        ("```\nFile a.py:7 in f\n```", [("a.py:7", "a.py:7")]),
        ("[the tax](shop/tax.py#L4-L5)", [("the tax", "shop/tax.py:4-5")]),
        ("[shop/tax.py:4](shop/tax.py)", [("shop/tax.py:4", "shop/tax.py:4")]),
        ("[`shop/tax.py:4`](shop/tax.py)", [("shop/tax.py:4", "shop/tax.py:4")]),
        ("at 12:30, a.py:0, a.py:9-3, no.py and 3:4", []),
        ("Makefile:3 may be a file, which is not looked up", []),
    ],
)
def test_what_is_a_link(text: str, links: list[tuple[str, str]]) -> None:
    assert drawn(text) == links


def test_an_address_of_the_web_stays_one() -> None:
    rows = markdown_rows("https://a.example/x.py:10 and [a.py:1](https://b.example/)", 60, PALETTE)
    assert [link.address for row in rows for link in row.links] == ["https://a.example/x.py:10", "https://b.example/"]


def test_a_link_is_underlined_and_keeps_what_is_around_it() -> None:
    (row,) = markdown_rows("In **src/a.py:10** it is.", 60, PALETTE)
    (reference,) = [segment for segment in row.segments if segment.text == "src/a.py:10"]
    assert reference.style is not None
    assert reference.style.underline
    assert reference.style.bold
    assert [segment.text for segment in row.segments if not (segment.style and segment.style.underline)] == [
        "In ",
        " it is.",
    ]


def test_a_reference_that_is_wrapped_leads_there_from_both_rows() -> None:
    rows = markdown_rows("somewhere-in/a-folder-with-a-long-name/module.py:10-20", 20, PALETTE)
    assert len(rows) > 2
    assert {str(place_of(link.address)) for row in rows for link in row.links} == {
        "somewhere-in/a-folder-with-a-long-name/module.py:10-20"
    }
    assert "".join(text for text, _ in linked(rows)) == "somewhere-in/a-folder-with-a-long-name/module.py:10-20"


def test_code_keeps_its_colours_and_its_ground() -> None:
    (row,) = code_rows(["x = 1  # a.py:7"], "python", 40, PALETTE)
    assert linked([row]) == [("a.py:7", "a.py:7")]
    assert all(segment.style is not None and segment.style.bgcolor for segment in row.segments)


def test_an_address_made_up_by_the_model_is_no_place() -> None:
    rows = markdown_rows(f"[x](<{FilePlace('/etc/passwd', 1, 2).address}>)", 60, PALETTE)
    assert [place_of(link.address) for row in rows for link in row.links] == [None]


def test_places_of_a_text_each_once() -> None:
    text = "a.py:1 b.py:2-3 `a.py:1` a.py:0"
    assert places_in(text) == (FilePlace("a.py", 1, 1), FilePlace("b.py", 2, 3))
    assert [str(place) for place in places_in(text)] == ["a.py:1", "b.py:2-3"]


@given(st.text(max_size=30), st.integers(0, 10**9), st.integers(0, 10**9))
def test_an_address_comes_back_as_its_place(path: str, first: int, last: int) -> None:
    place = FilePlace(path or "x", first, last)
    assert place_of(place.address) == place
    assert place_of(path) is None


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_link_leads_somewhere(address: str, text: str) -> None:
    assert link_target(address, text) == address or place_of(link_target(address, text)) is not None


texts = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=12)), max_size=12).map(" ".join)


@given(texts, st.integers(8, 70))
def test_drawing_with_references_never_changes_what_is_shown(text: str, width: int) -> None:
    rows = markdown_rows(text, width, PALETTE)
    with (
        patch.object(inline, "with_references", lambda spans, links, *_: (spans, links)),
        patch("code_assistant.tui.rendering.code.underlined", lambda spans: (spans, [])),
    ):
        plain = markdown_rows(text, width, PALETTE)
    assert [(row.text, row.indent, row.joint) for row in rows] == [(row.text, row.indent, row.joint) for row in plain]
    assert [row.cells for row in rows] == [row.cells for row in plain]
    for row in rows:
        assert all(0 <= link.start < link.end <= len(row.text) for link in row.links)
        assert all(one.end <= other.start for one, other in zip(row.links, row.links[1:], strict=False))


@given(st.lists(st.tuples(st.sampled_from(["src/", "a", ".py", ":1", "0", " ", "-2"]), st.booleans()), max_size=20))
def test_spans_are_cut_and_never_changed(pieces: list[tuple[str, bool]]) -> None:
    spans = [(text, PALETTE.strong if is_strong else PALETTE.text) for text, is_strong in pieces]
    text = "".join(text for text, _ in spans)
    drawn_spans, links = with_references(spans, [], text, PALETTE)
    assert "".join(text for text, _ in drawn_spans) == text
    assert all(piece for piece, _ in drawn_spans) or not links
    for link in links:
        assert place_of(link.address) is not None


def test_links_on_a_row_are_found_by_their_cells() -> None:
    (row,) = markdown_rows("日本 a.py:1 x", 40, PALETTE)
    assert row.links == (Link(3, 9, FilePlace("a.py", 1, 1).address),)
    assert row.address_at(4) is None
    assert row.address_at(5) == row.address_at(10) == FilePlace("a.py", 1, 1).address
    assert row.address_at(11) is None


def test_many_references_take_no_longer_than_other_text() -> None:
    text = " ".join(f"src/module_{number}.py:{number}" for number in range(1, 2_001))
    started = time.process_time()
    rows = markdown_rows(text, 80, PALETTE)
    assert len({link.address for row in rows for link in row.links}) == 2_000
    assert time.process_time() - started < 3
