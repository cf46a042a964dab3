"""Glob patterns, as a table of what they match and what not."""

from __future__ import annotations

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.globs import expand_braces, glob_matcher

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
]


@pytest.mark.parametrize(("pattern", "matching", "others"), TABLE)
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
