"""Which literal is certain in a pattern: too little is only slow, too much would lose matches."""

from __future__ import annotations

import pytest

from code_assistant.workspace.patterns import literal_pattern, translated


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(("pattern", "is_quick"), [("abc", True), ("a?b{1,3}", True), ("a*", False), ("a{2,}", False)])
def test_endless_repetitions_are_not_quick(pattern: str, is_quick: bool) -> None:
    assert translated(pattern).is_quick is is_quick
