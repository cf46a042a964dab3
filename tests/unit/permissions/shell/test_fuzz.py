"""Whatever is given to the analyser, it answers: never an exception, and nothing unreadable is ever proved."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.shell import PIECES
from code_assistant.permissions.shell import searching
from code_assistant.permissions.shell.analysing import analyse
from code_assistant.permissions.shell.globs import FolderNames
from code_assistant.permissions.shell.judging import judge
from code_assistant.sanitize import is_unmistakable
from tests.unit.permissions.shell.hostile import hostile_commands
from tests.unit.permissions.shell.pieces import composed
from tests.unit.permissions.shell.support import Everything, verdict

ANY_TEXT = st.text(st.characters(), max_size=200)
SHELL_TEXT = st.text("abl s-=\n\t'\"\\$`(){}[]<>|&;#*?~!%^@,.:/0129é\x00\r\x1b\u202e", max_size=120)
LONG = "x" * 300
READERS = ("cat", "diff", "diff -u", "ls", "cd", "git log", "test -f", "find", "grep a", "cat <", "cd a &&")
NAMES = (
    *("a", "*", "; ls", "| wc", "--", LONG, f"{LONG}*", f"{LONG}/*", "x/" * 3_000, f"/usr/bin/{LONG}", f"~{LONG}"),
    *("../" * 900, "__init__.py/a", "/no/a"),
)
LONG_NAMES = st.tuples(st.sampled_from(READERS), st.lists(st.sampled_from(NAMES), max_size=3).map(" ".join))
HOSTILE = [command for _, command in hostile_commands()]


def _holds(command: str) -> None:
    analysis = analyse(command)
    judged = verdict(command)
    assert analysis.command == command
    assert judged.is_read_only or judged.reason
    if analysis.obstacle is None:
        assert is_unmistakable(command)
        assert len(command) <= 10_000
        assert sum(member.is_direct for member in analysis.members) <= 50
    for member in analysis.members:
        assert member.text is not None
        assert member.words or member.redirections or member.goes_on


@given(ANY_TEXT)
def test_safe_b1_any_text_is_answered(text: str) -> None:
    _holds(text)


@given(st.binary(max_size=200))
def test_safe_b1_any_bytes_are_answered(data: bytes) -> None:
    _holds(data.decode(errors="surrogateescape"))


@given(SHELL_TEXT)
def test_safe_b1_anything_like_shell_is_answered(text: str) -> None:
    _holds(text)


@given(composed())
def test_safe_b1_whatever_pieces_of_shell_make_is_answered(text: str) -> None:
    _holds(text)


@given(st.sampled_from(HOSTILE), st.data())
def test_safe_b1_hostile_commands_cut_anywhere_are_answered(command: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, min(len(command), 300)))
    end = data.draw(st.integers(start, min(len(command), 300)))
    _holds(command[start:end])


@given(
    st.sampled_from(HOSTILE), st.sampled_from(["ls; ", "ls && ", "ls\n", "echo a | ", "time ", "timeout 5 ", " ls || "])
)
def test_safe_b1_nothing_before_it_makes_a_hostile_command_harmless(command: str, before: str) -> None:
    # A list of nothing but a comment or blanks is only what stands before it; `time` has nothing to time then.
    if command.strip() and not command.strip().startswith("#"):
        assert not verdict(before + command).is_read_only


@given(LONG_NAMES.map(" ".join))
def test_safe_b1_names_that_no_file_can_have_are_answered(text: str) -> None:
    judged = judge(analyse(text), Everything(), FolderNames(Path(__file__).parent))
    assert judged.is_read_only or judged.reason


@pytest.mark.soak
@settings(max_examples=20_000)
@given(SHELL_TEXT)
def test_anything_like_shell_is_answered_for_long(text: str) -> None:
    _holds(text)


def test_safe_b1_the_work_is_bounded_whatever_a_command_is_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes time is counted: `benchmarks/` says how much that is."""
    begun: list[object] = []
    for name in ("started_by", "parse"):
        step = getattr(searching, name)
        monkeypatch.setattr(searching, name, lambda given, step=step: (begun.append(given), step(given))[1])
    chance = random.Random(3)
    most = 0
    for _ in range(150):
        begun.clear()
        analyse("".join(chance.choices(PIECES, k=chance.randint(50, 3_000)))[:10_000])
        most = max(most, len(begun))
    assert 100 < most < 500
