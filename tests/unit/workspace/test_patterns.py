"""Which literal is certain in a pattern, and which patterns are quick: to promise too little of both is only slow."""

from __future__ import annotations

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.patterns import literal_pattern, translated
from tests.rows import each_row


@each_row(
    ("pattern", "literal"),
    [
        ("tax", "tax"),
        (r"def \w+_tax\(", "_tax("),
        (r"foo\.bar", "foo.bar"),
        ("colou?r", "colo"),
        ("ab*cde", "cde"),
        ("ab+cd", "ab"),
        ("ab{0,2}cde", "cde"),
        ("ab{2}cde", "cde"),
        ("a|b", ""),
        ("(foo|bar)bazz", "bazz"),
        ("(foobar)?x", "x"),
        ("(foobar)+x", "x"),
        ("[abc]def", "def"),
        ("[]abc]x", "x"),
        (r"[\]abc]x", "x"),
        ("(?i)foo", ""),
        ("(?x) f o o", ""),
        ("(?P<name>foo)ba", "ba"),
        ("(?<name>foo)ba", "ba"),
        (r"\x41BC", "ABC"),
        (r"\bword\b", "word"),
        (r"\d\dabc", "abc"),
        ("^start$", "start"),
        ("a.b", "a"),
        ("größe", "größe"),
        ("", ""),
    ],
)
def test_the_certain_literal(pattern: str, literal: str) -> None:
    assert translated(pattern).literal == literal


def test_plain_text_is_its_own_literal() -> None:
    assert literal_pattern("a.b(c)").literal == "a.b(c)"


@each_row(
    "pattern",
    [
        "abc",
        "a?b{1,3}",
        "a*",
        "a{2,}",
        r"def \w+_tax\(",
        "TODO|FIXME|XXX|HACK|NOTE",
        r"\d{4}-\d{2}-\d{2}",
        "(https?)://",
        r"^\s*(def|class) tax",
        "(?i)tax",
        "(foo)?bar",
    ],
)
def test_quick_patterns(pattern: str) -> None:
    assert translated(pattern).is_quick


@each_row(
    "pattern",
    [
        ".*.*.*.*.*[#]",
        "(a|a){1,30}[#]",
        "(a?){40}(a){40}",
        "x*x*x*[y]",
        r"\w*\d*\w*\d*\w*[#]",
        "(a+)+b",
        "(a|a)*b",
        "(?:x{1,5}){2,}y",
        "a?" * 30 + "a{30}",
        "(a|a)" * 30 + "b",
        "(a|(a|a))" * 20 + "b",
        "[ab]{0,100}[ab]{0,100}c",
        "(?x)(a|a) {1,30}[#]",
        "a{,}b{,}",
        "(a){,}",
    ],
)
def test_patterns_that_may_be_slow(pattern: str) -> None:
    assert not translated(pattern).is_quick


@each_row("pattern", ["(?P<a>x+)(?P=a)", "(?#(a)*)b", "(?>a)", "(?(1)a|b)", "[[:foo:]*x]", r"\N{DIGIT ONE}", r"a\Z"])
def test_what_only_python_understands_is_refused(pattern: str) -> None:
    with pytest.raises(WorkspaceError):
        translated(pattern)
