"""Markdown as rows: what each construct looks like, and that no text is ever lost or too wide."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.sanitize import sanitize
from code_assistant.tui.rendering.blocks import Look, part_count, part_rows
from code_assistant.tui.rendering.markdown import markdown_rows
from code_assistant.tui.rendering.rows import Row
from code_assistant.tui.transcript.blocks import AnswerBlock
from tests.rows import each_row
from tests.tui.hostile import HOSTILE, is_safe
from tests.tui.look import PALETTE

WORD = re.compile(r"w\d+w")


def texts(markdown: str, width: int = 30) -> list[str]:
    return [row.text.rstrip() for row in markdown_rows(markdown, width, PALETTE)]


@each_row(
    ("markdown", "expected"),
    [
        ("", []),
        ("one\ntwo", ["one two"]),
        ("one  \ntwo", ["one", "two"]),
        ("one\n\ntwo", ["one", "", "two"]),
        ("# Title\ntext", ["Title", "", "text"]),
        ("Title\n=====\ntext", ["Title", "", "text"]),
        ("**bold** *slant* ~~gone~~ `code`", ["bold slant gone code"]),
        ("**bold *both***", ["bold both"]),
        ("- a\n- b", ["• a", "• b"]),
        ("- a\n  - b\n    - c\n      - d\n- e", ["• a", "  ◦ b", "    ▪ c", "      • d", "• e"]),
        ("- - a\n  - b", ["• ◦ a", "  ◦ b"]),
        ("-\n- b", ["•", "• b"]),
        ("7. a\n8. b", ["7. a", "8. b"]),
        ("1. a\n   - x\n   - y\n2. b", ["1. a", "   ◦ x", "   ◦ y", "2. b"]),
        ("1. > quoted\n\n   after", ["1. ▎ quoted", "", "   after"]),
        ("- [ ] open\n- [x] done", ["• [ ] open", "• [x] done"]),
        ("- a long item that has to be wrapped here", ["• a long item that has to be", "  wrapped here"]),
        ("> said\n> so", ["▎ said so"]),
        ("> one\n>\n> > two", ["▎ one", "▎", "▎ ▎ two"]),
        ("> - item\n>\n> text", ["▎ • item", "▎", "▎ text"]),
        ("***", ["─" * 30]),
        ("```python\nx = 1\n```", [" x = 1"]),
        ("```\nx\n\ny\n```", [" x", "", " y"]),
        ("```nonsense\n[/oops\n```", [" [/oops"]),
        ("    indented", [" indented"]),
        ("- a\n  ```\n  x\n  ```\n- b", ["• a", "   x", "• b"]),
        ("- a\n  ```\n  x\n  ```\n  b", ["• a", "   x", "  b"]),
        ("1. a\n\n   ```\n   x\n   ```\n\n   b", ["1. a", "", "    x", "", "   b"]),
        ("- a\n\n  ```\n  x\n  ```\n\n- b", ["• a", "", "   x", "", "• b"]),
        ("- ```\n  x\n  ```\n\n  b", ["•  x", "", "  b"]),
        ("- a\n\n  - b\n    ```\n    x\n    ```\n  - c", ["• a", "", "  ◦ b", "     x", "  ◦ c"]),
        ("```\nx\n```\nb", [" x", "", "b"]),
        ("<b>raw</b> stays", ["<b>raw</b> stays"]),
        ("<div>\nraw\n</div>", ["<div>", "raw", "</div>"]),
        ("![a picture](https://x.example/p.png)", ["a picture"]),
        ("&lt;&amp;&gt; \\*no\\*", ["<&> *no*"]),
        ("[@click=app.quit]x[/] [/oops", ["[@click=app.quit]x[/] [/oops"]),
        ("|a|b|\n|-|-|\n|1|2|\n|3|", ["a │ b", "──┼──", "1 │ 2", "3 │"]),
    ],
)
def test_what_it_looks_like(markdown: str, expected: list[str]) -> None:
    assert texts(markdown) == expected


def styles_of(row: Row) -> list[tuple[str, object]]:
    return [(segment.text, segment.style) for segment in row.segments]


def test_every_mark_has_its_style() -> None:
    (row,) = markdown_rows("p **b** *i* ~~s~~ `c` [l](https://a.example)", 60, PALETTE)
    styles = dict(styles_of(row))
    assert styles["p "] == PALETTE.text
    assert styles["b"].bold  # type: ignore[attr-defined]
    assert styles["i"].italic  # type: ignore[attr-defined]
    assert styles["s"].strike  # type: ignore[attr-defined]
    assert styles["c"] == PALETTE.inline_code
    assert styles["l"] == PALETTE.link
    (heading,) = markdown_rows("## Title", 60, PALETTE)
    assert styles_of(heading) == [("Title", PALETTE.heading)]


def test_a_quotation_keeps_its_style_behind_what_is_inside_it() -> None:
    rows = markdown_rows("> - item\n>\n> > deep\n>\n> text", 30, PALETTE)
    assert ("text", PALETTE.quote) in styles_of(rows[-1])


@each_row(
    ("markdown", "shown", "address"),
    [
        ("see [the page](https://a.example/x)", "the page", "https://a.example/x"),
        ("see <https://a.example/x>", "https://a.example/x", "https://a.example/x"),
        ("see https://a.example/x.", "https://a.example/x", "https://a.example/x"),
        ("see (https://a.example/x)", "https://a.example/x", "https://a.example/x"),
        ("- see ![pic](https://a.example/x)", "pic", "https://a.example/x"),
        ("|h|\n|-|\n|[the page](https://a.example/x)|", "the page", "https://a.example/x"),
        ("日本 [the page](https://a.example/x)", "the page", "https://a.example/x"),
    ],
)
def test_links_know_where_they_stand_and_where_they_lead(markdown: str, shown: str, address: str) -> None:
    found = [
        (row.text[link.start : link.end], link.address)
        for row in markdown_rows(markdown, 60, PALETTE)
        for link in row.links
    ]
    assert found == [(shown, address)]


def test_a_link_over_two_rows_is_a_link_on_both() -> None:
    rows = markdown_rows("[one two three four](https://a.example)", 10, PALETTE)
    assert [[row.text[link.start : link.end] for link in row.links] for row in rows] == [["one two"], ["three four"]]


@each_row("width", [20, 37, 200])
@each_row("hostile", HOSTILE)
def test_hostile_text_never_raises(hostile: str, width: int) -> None:
    for markdown in (hostile, f"# {hostile}", f"- {hostile}", f"> {hostile}", f"|{hostile}|b|\n|-|-|\n|1|{hostile}|"):
        for row in markdown_rows(markdown, width, PALETTE):
            assert row.cells <= width


@each_row("hostile", HOSTILE)
def test_safe_x1_x4_what_markdown_decodes_is_made_safe_again(hostile: str) -> None:
    clean = sanitize(hostile)
    for markdown in (clean, f"# {clean}", f"- {clean}", f"> {clean}", f"|{clean}|b|\n|-|-|\n|1|{clean}|"):
        for row in markdown_rows(markdown, 60, PALETTE):
            assert is_safe(row.text), row.text
            assert all(is_safe(link.address) for link in row.links), row.links


@each_row(
    ("markdown", "shown"),
    [
        ("Delete&#13;Keep", "Delete␍Keep"),
        ("a&#12;b &#x202e;c&#x200b; &#xE0041;", "a␌b ⟨U+202E⟩c⟨U+200B⟩ ⟨U+E0041⟩"),
        ("[a&lrm;b](http://x/)", "a⟨U+200E⟩b"),
        ("<http://x/%0d%e2%80%ae>", "http://x/␍⟨U+202E⟩"),
        ("&copy; &amp; &nbsp;&#128105;&zwj;&#128187;", "© & \xa0👩\u200d💻"),
    ],
)
def test_what_entities_stand_for(markdown: str, shown: str) -> None:
    assert texts(markdown, 60) == [shown]


# Any Markdown at all: words that can be found again, between everything that has a meaning.
SYNTAX = [
    *("\n", "\n\n", " ", "  \n", "\t", "    ", "- ", "  - ", "* ", "1. ", "23) ", "> ", "# ", "### ", "***\n", "---\n"),
    *("```\n", "```py\n", "~~~\n", "`", "``", "**", "*", "_", "~~", "[", "](", ")", "![", "<", ">", "<b>", "&lt;"),
    *(
        "|",
        "|-|-|\n",
        "\n|a|b|\n|-|:-:|\n|",
        "\\",
        "https://a.example/",
        "日本",
        "👩\u200d💻",
        "e\u0301",
        "[/",
        "{",
        "$",
    ),
]
PIECES = st.one_of(st.sampled_from(SYNTAX), st.integers(0, 99_999).map(lambda number: f"w{number}w"))
MARKDOWN = st.lists(PIECES, max_size=60).map("".join)


@settings(max_examples=150, deadline=None)
@given(MARKDOWN, st.integers(min_value=20, max_value=140))
def test_random_markdown_never_raises_and_is_never_too_wide(markdown: str, width: int) -> None:
    for row in markdown_rows(markdown, width, PALETTE):
        assert row.cells <= width
        assert "\n" not in row.text
        assert all(0 <= link.start <= link.end <= len(row.text) for link in row.links)


# Constructs that show all of their words, in any nesting and order.
WORDS = st.lists(st.integers(0, 99_999).map(lambda number: f"w{number}w"), min_size=1, max_size=12)
INLINE = st.builds(
    lambda words, mark: " ".join(f"{mark}{word}{mark}" for word in words),
    WORDS,
    st.sampled_from(["", "**", "*", "~~", "`", "日"]),
)


def in_list(text: str) -> str:
    return "- " + text.replace("\n", "\n  ")


def in_quote(text: str) -> str:
    return "> " + text.replace("\n", "\n> ")


BLOCKS = st.recursive(
    st.one_of(
        INLINE,
        INLINE.map(lambda text: f"## {text}"),
        WORDS.map(lambda words: "```python\n" + "\n".join(words) + "\n```"),
        st.tuples(WORDS, WORDS).map(lambda both: _table(*both)),
    ),
    lambda inner: st.one_of(
        inner.map(in_list), inner.map(in_quote), st.lists(inner, min_size=1, max_size=3).map("\n\n".join)
    ),
    max_leaves=12,
)


def _table(heading: list[str], cells: list[str]) -> str:
    cells = (cells * len(heading))[: len(heading)]
    lines = ["|".join(heading), "|".join("-" for _ in heading), "|".join(cells)]
    return "\n".join(f"|{line}|" for line in lines)


@settings(max_examples=150, deadline=None)
@given(BLOCKS, st.integers(min_value=24, max_value=140))
def test_no_word_is_lost(markdown: str, width: int) -> None:
    """Also when it comes in pieces, as answers do, and whether a word is broken or not."""
    block = AnswerBlock("a")
    for start in range(0, len(markdown), 7):
        block.add(markdown[start : start + 7])
    block.finish()
    look = Look(width + 3, PALETTE)
    rows = [row for part in range(part_count(block)) for row in part_rows(block, part, look)]
    assert all(row.cells <= width for row in rows)
    for shown in ("".join(row.text for row in markdown_rows(markdown, width, PALETTE)), _joined(rows)):
        letters = _letters(shown)
        for word in WORD.findall(markdown):
            # In a narrow table the parts of a word stand below each other, with other columns between them.
            assert word in letters or "|" in markdown


def _joined(rows: list[Row]) -> str:
    return "".join(row.text[row.indent :] for row in rows)


def _letters(text: str) -> str:
    return re.sub(r"[^w0-9]", "", text)
