"""Finding file references: what is one, what only looks like one, and that no text takes long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_assistant.file_references import BEYOND_ALL_LINES, FileReference, find_references
from tests.rows import each_row

FILES = {"Makefile", "a b/Read Me", "src/a.py", "@types/a.d.ts", "12", "example.com"}


def found(text: str) -> list[tuple[str, int, int]]:
    return [(each.path, each.first, each.last) for each in find_references(text, FILES.__contains__)]


@each_row(
    ("text", "path", "first", "last"),
    [
        ("src/a.py:10", "src/a.py", 10, 10),
        ("src/a.py:10-20", "src/a.py", 10, 20),
        ("src/a.py#L10", "src/a.py", 10, 10),
        ("src/a.py#L10-L20", "src/a.py", 10, 20),
        ("src/a.py#L10-20", "src/a.py", 10, 20),
        ("src/a.py#L10C3-L20C5", "src/a.py", 10, 20),
        ("src/a.py:L10-L20", "src/a.py", 10, 20),
        ("`src/a.py:10`", "src/a.py", 10, 10),
        ("``src/a.py:10-20``", "src/a.py", 10, 20),
        ("```python\nx = 1  # src/a.py:10\n```", "src/a.py", 10, 10),
        ("See src/a.py:10.", "src/a.py", 10, 10),
        ("(src/a.py:10)", "src/a.py", 10, 10),
        ("src/a.py:10, and more", "src/a.py", 10, 10),
        ("**src/a.py:10**", "src/a.py", 10, 10),
        ("_src/a.py:10_", "src/a.py", 10, 10),
        ("__src/a.py:10__", "src/a.py", 10, 10),
        ("__init__.py:10", "__init__.py", 10, 10),
        ("src/a.py:10-20:", "src/a.py", 10, 20),
        ("“src/a.py:10”", "src/a.py", 10, 10),
        ("|src/a.py:10|", "src/a.py", 10, 10),
        ("file=src/a.py:10;", "src/a.py", 10, 10),
        ("src/a.py:10–20", "src/a.py", 10, 20),  # noqa: RUF001
        ("src/a.py:10..20", "src/a.py", 10, 20),
        ("src/a.py:10—which", "src/a.py", 10, 10),
        ("src/a.py:10行目", "src/a.py", 10, 10),
        ("src/a.py:10:5", "src/a.py", 10, 10),
        ("src/a.py:10:5: error: no", "src/a.py", 10, 10),
        ("src/a.py:10:def run():", "src/a.py", 10, 10),
        ("error:src/a.py:10", "src/a.py", 10, 10),
        ("src/a.py:3,10-20,7", "src/a.py", 3, 20),
        ("[text](src/a.py:10)", "src/a.py", 10, 10),
        ("[https://x.org/a.py:3](src/a.py:10)", "src/a.py", 10, 10),
        ("<src/a.py:10>", "src/a.py", 10, 10),
        ("@src/a.py:10", "src/a.py", 10, 10),
        ("@types/a.d.ts:1", "@types/a.d.ts", 1, 1),
        ("./a.py:1", "./a.py", 1, 1),
        ("../x.py:2", "../x.py", 2, 2),
        ("/abs/x.py:2", "/abs/x.py", 2, 2),
        ("~/x.py:2", "~/x.py", 2, 2),
        ("src/no_extension:2", "src/no_extension", 2, 2),
        (".gitignore:2", ".gitignore", 2, 2),
        ("Makefile:3", "Makefile", 3, 3),
        ("example.com:3", "example.com", 3, 3),
        ("größe/日本.py:1", "größe/日本.py", 1, 1),
        ("e\u0301.py:1", "e\u0301.py", 1, 1),
        ("app/(shop)/[[...slug]]/page.tsx:4", "app/(shop)/[[...slug]]/page.tsx", 4, 4),
        ("src/{a,b}.py:4", "src/{a,b}.py", 4, 4),
        ("c#/a.cs:4", "c#/a.cs", 4, 4),
        ("`my file.py:3`", "my file.py", 3, 3),
        ("`a b/Read Me:3-4`", "a b/Read Me", 3, 4),
        ("`grep x src/a.py:3`", "src/a.py", 3, 3),
        ("my file.py:3", "file.py", 3, 3),
        ("don`t; `my file.py:3`", "my file.py", 3, 3),
        ("nofile.py:3", "nofile.py", 3, 3),
        # Impossible ones are found, so that they can be reported.
        ("a.py:20-10", "a.py", 20, 10),
        ("a.py:0", "a.py", 0, 0),
        ("a.py:0-3", "a.py", 0, 3),
        ("a.py:1,9-3", "a.py", 9, 3),
        ("src\\a.py:10", "src\\a.py", 10, 10),
        (f"a.py:{'9' * 6000}", "a.py", BEYOND_ALL_LINES, BEYOND_ALL_LINES),
        ("a.py:00012", "a.py", 12, 12),
    ],
)
def test_a_reference_is_found(text: str, path: str, first: int, last: int) -> None:
    assert found(text) == [(path, first, last)]


@each_row(
    "text",
    [
        "see a.py",
        "http://x.md:80",
        "(http://x.md:80/a.py:3)",
        "http://[::1]:80/a.py:3",
        "git+https://host/a.py:3",
        "://x.md:80",
        "https://github.com/o/r/blob/main/src/a.py#L10-L20",
        "github.com/o/r/blob/main/src/a.py#L10",
        "host:8080/src/a.py:10",
        "file:///src/a.py:10",
        "12:30",
        "at 12:30:15",
        "2024-01-01T10:00:00",
        "2024/01/01T10:00:00Z",
        "10/Oct/2000:13:55:36",
        "3.5:1",
        "1/2:3",
        "localhost:80",
        "127.0.0.1:8000",
        "Example.com:443",
        "user@mail.example.org:25",
        "[::1]:80",
        "nginx:1.25",
        "C:\\src\\a.py:10",
        "C:/src/a.py:10",
        "C:10",
        "word:3",
        '{"a.b":3}',
        "a.py:10.5",
        "a.py:10x",
        "a.py:10_000",
        "a.py:50%",
        "a.py: 10",
        "a.py:",
        "a.py#10",
        "e.g.:3",
        ":3",
        "",
    ],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert found(text) == []


def test_several_are_found_in_order_with_their_places() -> None:
    text = "First `src/a.py:1`,\nthen b.py:2-3,c.py:4:\r\n`x.py:5, y.py:6`"
    references = find_references(text)
    assert [each.path for each in references] == ["src/a.py", "b.py", "c.py", "x.py", "y.py"]
    assert references[0] == FileReference("src/a.py:1", "src/a.py", 1, 1, 7, 17)
    assert [text[each.start : each.end] for each in references] == [each.written for each in references]


def test_only_names_that_need_it_are_looked_up() -> None:
    asked: list[str] = []

    def is_file(path: str) -> bool:
        asked.append(path)
        return False

    find_references("src/a.py:1 b.py:2 `c/d:3` http://x:1 12:30 Makefile:3", is_file)
    assert asked == ["Makefile"]


PIECES = st.sampled_from(
    [*"ab1/.:,;-_@#L`()[]{}*\\ \n\t\"'|C0\r", "://", "#L", ":1", "-2", "a.py", ".com", "\u2028", "é", "–", "\0"]  # noqa: RUF001
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))


@given(TEXTS, st.booleans())
def test_no_text_raises_and_places_are_true(text: str, exists: bool) -> None:
    end = 0
    for each in find_references(text, lambda _: exists):
        assert text[each.start : each.end] == each.written
        assert each.start >= end
        assert each.written.startswith(each.path)
        assert each.path
        assert "\n" not in each.written
        end = each.end


@given(TEXTS)
def test_lines_are_looked_at_on_their_own(text: str) -> None:
    apart = [each.written for line in text.split("\n") for each in find_references(line)]
    assert [each.written for each in find_references(text)] == apart


HOSTILE = [
    *(":", "a/", "a", "`", ":1", "a:1", "/(", "/[a", "[[", "1", "/", ".", ".1", "_", "@", "#", "#L1", "-", "C:/"),
    *("a.py:1", "a.py:1,", "1,", "1-2,", "`a b", "` a", "`a b.c:1", "://", "a://", "a:1/", "](", "é", "\n:1", ".a"),
]


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("end", [":1", "`"])
def test_hostile_text_takes_no_more_than_its_length(piece: str, end: str) -> None:
    """What takes a step for each pair of characters would not end before the test is stopped."""
    steps = 0

    def is_file(_: str) -> bool:
        nonlocal steps
        steps += 1
        return False

    text = "a.py:1" + piece * (400_000 // len(piece)) + end
    references = find_references(text, is_file)
    assert steps + len(references) <= len(text)
    assert sum(len(each.written) for each in references) <= len(text)


@each_row(
    ("before", "piece", "after"),
    [
        ("`.", "a", " b:1`"),
        ("`.", "1", " b.:1`"),
        ("`a b", ".a", " :1`"),
        ("x.", "1", ":1"),
        ("_", "_", "a.py:1" + "_" * 400_000),
        ("a.py:1", "-", "2"),
        ("a.py:1", ",1", "x"),
        ("a.py:1", "0", "x"),
        ("a.py:1:", "1", "x"),
    ],
)
def test_hostile_names_and_numbers_take_no_more_than_their_length(before: str, piece: str, after: str) -> None:
    assert len(find_references(before + piece * 400_000 + after)) <= 1
