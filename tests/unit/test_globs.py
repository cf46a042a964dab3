"""Glob patterns, as a table of what they match and what not."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_assistant.errors import WorkspaceError
from code_assistant.globs import expand_braces, glob_matcher
from tests.rows import each_row

TABLE = [
    ("*.py", ["a.py", "src/a.py", ".a.py"], ["a.pyc", "a.py/x"]),
    ("**/*.py", ["a.py", "src/deep/a.py"], ["a.pyi"]),
    ("src/*.py", ["src/a.py"], ["a.py", "src/deep/a.py", "lib/src/a.py"]),
    ("./src/*.py", ["src/a.py"], ["lib/src/a.py"]),
    ("/src/*.py", ["src/a.py"], ["lib/src/a.py"]),
    ("src/**/*.py", ["src/a.py", "src/deep/er/a.py"], ["a.py"]),
    ("src/**/test_*.ts", ["src/test_a.ts", "src/x/test_b.ts"], ["src/x/atest_b.ts", "test_a.ts"]),
    ("src/**", ["src/a", "src/b/c"], ["src", "lib/src/a"]),
    ("src/", ["src/a", "src/b/c"], ["lib/a"]),
    ("**", ["a", "a/b"], []),
    ("*", ["a", "a/b"], []),
    ("a?.txt", ["ab.txt"], ["a.txt", "abc.txt", "a/.txt"]),
    ("[ab]*.md", ["a.md", "x/b1.md"], ["c.md"]),
    ("[!ab]*.md", ["c.md"], ["a.md"]),
    ("*.{ts,tsx}", ["a.ts", "x/a.tsx"], ["a.t", "a.{ts,tsx}"]),
    ("{src,lib}/**/*.{a,b}", ["src/x.a", "lib/y/x.b"], ["src/x.c", "x.a"]),
    ("{a,b{c,d}}.x", ["a.x", "bc.x", "bd.x"], ["b.x", "c.x"]),
    ("Makefile", ["Makefile", "x/Makefile"], ["makefile", "Makefile.am"]),
    ("!x", ["!x"], ["x"]),
    ("#x", ["#x"], ["x"]),
    ("ü*", ["über"], ["uber"]),
    ("a.b", ["a.b"], ["aXb"]),
    ("a(b)+$^", ["a(b)+$^"], ["ab"]),
    ("{a}", ["{a}"], ["a"]),
    ("[[a]x", ["[x", "ax", "in/ax"], ["x", "bx"]),
    ("[]a]", ["]", "a"], ["b"]),
    ("[!a-c]*", ["d", "-a", "a/d"], ["a", "bd"]),
    ("[.-0]x", [".x", "0x", "a/0x"], ["/x", "ax"]),
    ("a[!b]c", ["axc"], ["a/c", "abc"]),
    ("[[:upper:]]*", ["Ab", "x/B"], ["ab"]),
    (r"\*", ["*", "x/*"], ["a"]),
    (r"a\ ", ["a "], ["a"]),
    ("a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c", "a/b/b/c/c"], ["a/c/b", "b/c", "a/b"]),
    ("**/a/**", ["a/x", "x/a/y/z"], ["a", "x/a"]),
]


@each_row(("pattern", "matching", "others"), TABLE)
def test_globs_match(pattern: str, matching: list[str], others: list[str]) -> None:
    matches = glob_matcher(pattern)
    assert [path for path in matching if not matches(path)] == []
    assert [path for path in others if matches(path)] == []


def test_braces_are_bounded() -> None:
    assert expand_braces("{a,b}{c,d}") == ["ac", "ad", "bc", "bd"]
    with pytest.raises(WorkspaceError, match="too many alternatives"):
        expand_braces("{a,b,c,d}" * 10)


@pytest.mark.parametrize("pattern", [" ", ""])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(WorkspaceError):
        glob_matcher(pattern)


@each_row(
    ("pattern", "reason"),
    [
        ("[z-a]", "the range z-a runs backwards"),
        ("src/[ab", r"it has a \[ without its \]"),
        ("*.{a,[b}", r"it has a \[ without its \]"),
        ("a\\", "it has a backslash with nothing behind it"),
        ("[[:all:]]", "which is no class"),
        ("./", "it names nothing"),
        ("a" * 5000, "it is too long"),
    ],
)
def test_what_is_wrong_with_a_pattern_is_said(pattern: str, reason: str) -> None:
    with pytest.raises(WorkspaceError, match=f"is not a pattern for file names: .*{reason}"):
        glob_matcher(pattern)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("pattern", ["*a" * 12 + "*b", "x/" + "*a" * 12 + "*b", "**/" + "*[ab]?" * 12 + "c"])
def test_many_stars_do_not_hang(pattern: str) -> None:
    assert not glob_matcher(pattern)("x/" + "a" * 250)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "pattern", ["**/a/" * 50 + "b", "a/**/" * 50 + "b", "**/*a*/" * 50 + "b", "a/**/" * 50 + "b/**"]
)
def test_many_double_stars_do_not_hang(pattern: str) -> None:
    assert not glob_matcher(pattern)("a/" * 1000 + "a")
    assert glob_matcher(pattern)("a/" * 1000 + ("b/a" if pattern.endswith("/**") else "b"))


@given(st.text("ab*?", min_size=1, max_size=8), st.lists(st.text("ab", min_size=1, max_size=8), min_size=1))
def test_names_match_as_in_fnmatch(pattern: str, names: list[str]) -> None:
    matches = glob_matcher(pattern)
    assert list(map(matches, names)) == [fnmatchcase(name, pattern) for name in names]
