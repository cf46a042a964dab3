"""What braces stand for, and that finding it out takes no longer than the text is long."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from code_assistant.permissions.shell import braces
from code_assistant.permissions.shell.analysing import analyse
from code_assistant.permissions.shell.analysis import REST
from code_assistant.permissions.shell.braces import MOST_ALTERNATIVES, alternatives


def _steps(text: str) -> int:
    """How many lines are run to find out what a text stands for."""
    count = 0

    def step(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += frame.f_code.co_filename == braces.__file__
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        alternatives(text)
    finally:
        sys.settrace(before)
    return count


def test_braces_stand_for_each_of_their_choices() -> None:
    expected = {
        "a": ["a"],
        "a{b,c}d": ["abd", "acd"],
        "{a,{b,c}}": ["a", "b", "c"],
        "{a,b}{1..2}": ["a1", "a2", "b1", "b2"],
        "{{a,b}": ["{a", "{b"],
        "{a,b}}": ["a}", "b}"],
        "${a,b}": ["${a,b}"],
        "{a}{b,c}": ["{a}b", "{a}c"],
        "{}": ["{}"],
    }
    assert {text: alternatives(text) for text in expected} == expected
    for text in (f"{{1..{MOST_ALTERNATIVES + 1}}}", "{a,b}" * 7, "{a..z}"):
        assert alternatives(text) is None, text


def test_safe_b1_braces_that_are_never_closed_are_looked_at_once() -> None:
    for beginning in ("", "{a,b}" * 5):
        once, twice = (_steps(beginning + "{" * count) for count in (150, 300))
        assert twice < 3 * once


def test_safe_b1_words_that_braces_stand_for_are_followed_only_so_far() -> None:
    for beginning in ("bash -c", "nohup -x", "find . -exec"):
        many = analyse(f"{beginning} {' '.join(f'{{1..99}}{number}' for number in range(120))}")
        assert REST in many.members, beginning
        assert len(many.members) < 3_000
    assert REST not in analyse("nice {1..99} {1..99} rm a").members
    assert any(member.program == "rm" for member in analyse("{,} rm a").members)
