"""Markdown in pieces: however the text arrives, the pieces in the end are the same, and no line is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.tui.transcript.pieces import FENCE_LINES, OPEN_CHARACTERS, MarkdownPieces, Piece

LINES = st.lists(
    st.sampled_from(
        [
            *("words of prose", "# Heading", "- item", "  - nested", "1. one", "   indented", "> quote", "- q"),
            *("| a | b |", "|---|---|", "```python", "```", "~~~", "    code", "", "", "---", "  ```", "x" * 30, "`"),
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("# Title\nbody", ["# Title", "body"]),
        ("- a\n- b\n\n  more of b\n- c", ["- a", "- b\n\n  more of b", "- c"]),
        ("1. a\n   ```\n   x\n\n   y\n   ```\n2. b", ["1. a\n   ```\n   x\n\n   y\n   ```", "2. b"]),
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
