"""Markdown in pieces: however the text arrives, the pieces in the end are the same, and no line is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.tui.transcript.pieces import FENCE_LINES, OPEN_CHARACTERS, MarkdownPieces, Piece
from code_assistant.tui.transcript.text_pieces import TextPieces
from tests.rows import each_row

LINES = st.lists(
    st.sampled_from(
        [
            *("words of prose", "# Heading", "- item", "  - nested", "1. one", "   indented", "> quote", "- q"),
            *("| a | b |", "|---|---|", "```python", "```", "~~~", "    code", "", "", "---", "  ```", "x" * 30, "`"),
            *("- ```py", "1. - ~~~", "\t- tab", "   ```"),
        ]
    ),
    max_size=25,
)


def pieces_of(*portions: str) -> list[Piece]:
    pieces = MarkdownPieces()
    for portion in portions:
        pieces.feed(portion)
    pieces.finish()
    return [pieces[index] for index in range(pieces.count)]


def shape(pieces: list[Piece]) -> list[tuple[bool, str, list[str]]]:
    return [(piece.has_gap, piece.text, piece.code_lines) for piece in pieces]


@each_row(
    ("text", "expected"),
    [
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("# Title\nbody", ["# Title", "body"]),
        ("- a\n- b\n\n  more of b\n- c", ["- a", "- b\n\n  more of b", "- c"]),
        ("1. a\n   ```\n   x\n\n   y\n   ```\n2. b", ["1. a\n   ```\n   x\n\n   y\n   ```", "2. b"]),
        ("1. ```sh\n   x\n   ```\n2. b\n\nc", ["1. ```sh\n   x\n   ```", "2. b", "c"]),
        ("1. ```sh\nx\n```\n2. b", ["1. ```sh\n   x\n   ```", "2. b"]),
        ("- - ~~~\n    ```\n    ~~~\n- b", ["- - ~~~\n    ```\n    ~~~", "- b"]),
        ("> a\n> - b\n> c", ["> a\n> - b\n> c"]),
        ("| a |\n|---|\n| - |", ["| a |\n|---|\n| - |"]),
        ("para\n- item", ["para", "- item"]),
        ("Title\n===\nbody", ["Title\n===\nbody"]),
    ],
)
def test_where_pieces_begin(text: str, expected: list[str]) -> None:
    assert [piece.text for piece in pieces_of(text)] == expected


def test_a_fence_is_a_piece_with_its_language_and_without_its_marks() -> None:
    before, fence, after = pieces_of("see\n```python x\ndef f():\n\n    pass\n```\nafter")
    assert (before.text, after.text) == ("see", "after")
    assert fence.code is not None
    assert (fence.code.language, fence.code.lines, fence.code.is_closed) == (
        "python",
        ["def f():", "", "    pass"],
        True,
    )


def test_a_long_fence_is_shared_among_pieces() -> None:
    lines = [f"line {number}" for number in range(FENCE_LINES * 2 + 5)]
    pieces = pieces_of("```\n" + "\n".join(lines) + "\n```\n")
    assert [len(piece.code_lines) for piece in pieces] == [FENCE_LINES, FENCE_LINES, 5]
    assert [line for piece in pieces for line in piece.code_lines] == lines
    assert len({id(piece.code) for piece in pieces}) == 1


@pytest.mark.parametrize("opening", ["1. Do this:\n\n   ```python\n", "1. Do this:\n   ```python\n", "1. ```python\n"])
def test_a_long_fence_in_a_list_item_is_shared_among_pieces(opening: str) -> None:
    lines = [f"line {number}" for number in range(FENCE_LINES * 2 + 5)]
    text = opening + "".join(f"   {line}\n" for line in lines) + "   ```\n\n   After it.\n\n2. Next\n"
    item, *code, after, following = pieces_of(text)
    assert item.text == opening.partition("`")[0].strip()
    assert [len(piece.code_lines) for piece in code] == [FENCE_LINES, FENCE_LINES, 5]
    assert [line for piece in code for line in piece.code_lines] == lines
    assert {piece.code.language for piece in code if piece.code is not None} == {"python"}
    assert [(each.text, each.indent, each.depth) for each in (after, following)] == [
        ("After it.", 3, 1),
        ("2. Next", 0, 0),
    ]


def test_what_a_portion_costs_does_not_grow_with_a_list_item() -> None:
    """The open piece is what is drawn again at every paint."""
    pieces = MarkdownPieces()
    for opening, line in (("1. a\n\n   ```python\n", "   x = 1\n"), ("- a\n", "  - words, and more words\n")):
        pieces.feed(opening)
        for _ in range(1_000):
            pieces.feed(line)
            last = pieces[pieces.count - 1]
            assert last.size <= OPEN_CHARACTERS + 100
            assert last.code is None or len(last.code_lines) <= FENCE_LINES
        pieces.feed("   ```\n")


def test_an_open_fence_ends_with_the_text() -> None:
    (piece,) = pieces_of("```\nx = 1\ny")
    assert piece.code is not None
    assert piece.code.lines == ["x = 1", "y"]
    assert piece.code.is_closed


@settings(max_examples=300, derandomize=True, deadline=None)
@given(LINES, st.lists(st.integers(1, 7), min_size=1, max_size=5))
def test_portions_do_not_matter(lines: list[str], sizes: list[int]) -> None:
    text = "\n".join(lines)
    portions: list[str] = []
    position = number = 0
    while position < len(text):
        size = sizes[number % len(sizes)]
        portions.append(text[position : position + size])
        position, number = position + size, number + 1
    assert shape(pieces_of(*portions)) == shape(pieces_of(text))


@settings(max_examples=300, derandomize=True, deadline=None)
@given(LINES)
def test_no_line_is_lost(lines: list[str]) -> None:
    found = [line for piece in pieces_of("\n".join(lines)) for line in (piece.code_lines or piece.text.split("\n"))]
    wanted = [line for line in lines if line.strip() and line.strip("`~ ") not in ("", "python")]
    assert [line.strip() for line in found if line.strip() and line.strip("`~ ") not in ("", "python")] == [
        line.strip() for line in wanted
    ]


def test_what_is_shown_while_a_line_is_being_written() -> None:
    pieces = MarkdownPieces()
    seen: list[list[str]] = []
    for portion in ("Hel", "lo\nwor", "ld\n\nne", "w"):
        pieces.feed(portion)
        seen.append([pieces[index].text for index in range(pieces.count)])
    assert seen == [["Hel"], ["Hello\nwor"], ["Hello\nworld", "ne"], ["Hello\nworld", "new"]]


def test_the_marks_of_a_fence_are_not_shown_while_they_are_being_written() -> None:
    pieces = MarkdownPieces()
    pieces.feed("a\n\n``")
    assert [pieces[index].text for index in range(pieces.count)] == ["a"]


def test_finished_pieces_keep_their_stamps_and_changed_ones_do_not() -> None:
    pieces = MarkdownPieces()
    pieces.feed("one\n\ntwo")
    stamps = [pieces[index].stamp for index in range(pieces.count)]
    pieces.feed(" more")
    assert pieces[0].stamp == stamps[0]
    assert pieces[1].stamp != stamps[1]


def test_a_line_without_end_is_committed_in_parts() -> None:
    text = "word " * (OPEN_CHARACTERS // 2)
    pieces = pieces_of(*(text[at : at + 100] for at in range(0, len(text), 100)))
    assert max(piece.size for piece in pieces) <= OPEN_CHARACTERS + 100
    assert " ".join(" ".join(piece.text.split()) for piece in pieces) == text.strip()


LONG = st.lists(
    st.sampled_from([" ", "word ", "- ", "# ", "``` ", "x" * 700, "日本 " * 300, "\n", "\n\n", "- item\n", "```\n"]),
    min_size=20,
    max_size=60,
).map("".join)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(LONG, st.integers(500, 9_000))
def test_portions_of_long_lines_do_not_matter(text: str, size: int) -> None:
    portions = [text[at : at + size] for at in range(0, len(text), size)]
    assert shape(pieces_of(*portions)) == shape(pieces_of(text))


@each_row("opening", ["", "```\n", "- ", "- ```\n  "])
@each_row("word", ["word ", "x", "- # ``` "])
def test_a_long_line_that_comes_at_once_is_cut(word: str, opening: str) -> None:
    text = word * (200_000 // len(word))
    pieces = pieces_of(opening + text)
    assert len(pieces) > 30
    assert max(piece.size for piece in pieces) <= 2 * OPEN_CHARACTERS
    shown = "".join("".join(piece.code_lines) + piece.text for piece in pieces)
    assert shown.replace(" ", "") == ("-" if opening.startswith("- ") else "") + text.replace(" ", "")
    # What looks like the mark of a list behind a cut is none.
    assert opening or all(piece.is_inline for piece in pieces[1:])


def text_pieces_of(*portions: str) -> TextPieces:
    pieces = TextPieces()
    for portion in portions:
        pieces.feed(portion)
    return pieces


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    st.lists(st.sampled_from(["a", " b", "\n", "\n\n", "  c\n", "d " * 40, "\n" * 30]), max_size=80), st.integers(1, 9)
)
def test_plain_text_comes_in_pieces_and_all_of_it(words: list[str], size: int) -> None:
    text = "".join(words)
    for pieces in (text_pieces_of(text), text_pieces_of(*(text[at : at + size] for at in range(0, len(text), size)))):
        shown = "\n".join(pieces[index].text for index in range(pieces.count))
        wanted = "\n".join(line.rstrip() for line in text.strip().split("\n"))
        assert "\n".join(line.rstrip() for line in shown.split("\n")) == wanted


def test_only_the_last_piece_of_a_plain_text_changes() -> None:
    pieces = text_pieces_of("line\n" * 1_000)
    stamps = [pieces[index].stamp for index in range(pieces.count)]
    assert len(stamps) > 20
    pieces.feed("more")
    assert [pieces[index].stamp for index in range(len(stamps) - 1)] == stamps[:-1]
    assert max(pieces[index].size for index in range(pieces.count)) < 300
