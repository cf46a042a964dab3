"""Diffs say exactly what changes: applied to the old bytes they give the new ones."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from code_assistant.workspace.diff_text import NO_NEWLINE, bounded_diff, unified_diff
from code_assistant.workspace.diffs import Hunk, added_and_removed, hunks_of
from code_assistant.workspace.line_matching import matching_lines
from code_assistant.workspace.text_edits import Replacement, applied
from tests.hang_guard import HANG_GUARD

HEADING = re.compile(rb"@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n")

# Enough lines in between that two changes do not share a hunk.
FAR = b"".join(b"%d\n" % number for number in range(9))
LINES = [b"a\n", b"b\n", b"\n", b"a\r\n", b"-x\n", b"+ y\n", b"@@ -1 +1 @@\n", b"c c\n", FAR]
lines = st.lists(st.sampled_from(LINES), max_size=30)
endings = st.sampled_from([b"", b"", b"end", b"\r", b"--- z"])
bodies = st.builds(lambda parts, end: b"".join(parts) + end, lines, endings)


@st.composite
def changes(draw: st.DrawFn) -> tuple[bytes, list[Replacement]]:
    """A body, and replacements in order that do not overlap, most of them not at the ends of lines."""
    body = draw(bodies)
    cuts = sorted(draw(st.sets(st.integers(0, len(body)), max_size=8)))
    spans = [span for span in pairwise(cuts) if draw(st.booleans())]
    return body, [Replacement(start, end, draw(bodies)) for start, end in spans]


def text_of(hunks: Sequence[Hunk]) -> bytes:
    return unified_diff(hunks, "a", "a", lambda line: line.decode("latin-1")).encode("latin-1")


def patched(body: bytes, diff: bytes) -> bytes:
    """A small and strict patch: every number and every line of the old side must be right."""
    old, rest = body.split(b"\n"), diff.split(b"\n")
    old_lines = [line + b"\n" for line in old[:-1]] + [old[-1]] * bool(old[-1])
    assert not diff or (rest[:2] == [b"--- a", b"+++ a"] and rest[-1] == b"")
    result: list[bytes] = []
    position, index = 0, 2
    while index < len(rest) - 1:
        found = HEADING.fullmatch(rest[index] + b"\n")
        assert found, rest[index]
        old_first, old_count, new_first, new_count = map(int, found.groups())
        index += 1
        start = old_first - 1 if old_count else old_first
        assert start >= position
        result += old_lines[position:start]
        assert len(result) == (new_first - 1 if new_count else new_first)
        before, after = [], []
        while index < len(rest) - 1 and not rest[index].startswith(b"@@"):
            sign, line = rest[index][:1], rest[index][1:]
            index += 1
            if index < len(rest) and rest[index] == NO_NEWLINE.encode():
                index += 1
            else:
                line += b"\n"
            before += [line] if sign in b" -" else []
            after += [line] if sign in b" +" else []
        assert (len(before), len(after)) == (old_count, new_count)
        assert old_lines[start : start + old_count] == before
        result += after
        position = start + old_count
    result += old_lines[position:]
    assert all(line.endswith(b"\n") for line in result[:-1])
    return b"".join(result)


@settings(deadline=None)
@given(changes())
def test_a_diff_applied_gives_exactly_the_new_bytes(change: tuple[bytes, list[Replacement]]) -> None:
    body, replacements = change
    hunks = hunks_of(body, replacements)
    assert patched(body, text_of(hunks)) == applied(body, replacements)


@settings(deadline=None)
@given(bodies, bodies)
def test_the_diff_of_a_whole_file_gives_exactly_the_new_bytes(old: bytes, new: bytes) -> None:
    hunks = hunks_of(old, [Replacement(0, len(old), new)])
    assert patched(old, text_of(hunks)) == new
    assert (old == new) is (hunks == [])


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(changes())
def test_the_patch_program_makes_the_same_of_a_diff(change: tuple[bytes, list[Replacement]]) -> None:
    program = shutil.which("patch")
    if program is None:
        pytest.skip("the patch program is not installed")
    body, replacements = change
    diff = text_of(hunks_of(body, replacements))
    if not diff:
        assert applied(body, replacements) == body
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a")
        file.write_bytes(body)
        command = [program, "--binary", "--fuzz=0", "--silent", "--no-backup-if-mismatch", str(file)]
        done = subprocess.run(command, input=diff, capture_output=True, check=False, timeout=HANG_GUARD)
        assert (done.returncode, done.stdout) == (0, b"")
        assert file.read_bytes() == applied(body, replacements)


@settings(deadline=None)
@given(changes())
def test_the_lines_are_counted_as_they_are_shown(change: tuple[bytes, list[Replacement]]) -> None:
    hunks = hunks_of(*change)
    signs = [sign for hunk in hunks for sign, _ in hunk.lines]
    assert added_and_removed(hunks) == (signs.count("+"), signs.count("-"))
    assert all({sign for sign, _ in hunk.lines} - {" "} for hunk in hunks)


@settings(deadline=None)
@given(st.lists(st.integers(0, 4), max_size=40), st.lists(st.integers(0, 4), max_size=40))
def test_matching_lines_are_equal_and_rise_on_both_sides(old: list[int], new: list[int]) -> None:
    pairs = matching_lines(old, new)
    assert all(old[i] == new[j] for i, j in pairs)
    assert all(first < second for side in zip(*pairs, strict=True) for first, second in pairwise(side))


@settings(deadline=None)
@given(st.lists(st.integers(), max_size=25, unique=True), st.integers(0, 25))
def test_lines_that_stay_around_a_change_all_match(kept: list[int], at: int) -> None:
    new = [*kept[:at], "new", "er", *kept[at:]]
    assert len(matching_lines(kept, new)) == len(kept)


def test_large_texts_without_a_common_line_do_not_take_for_ever() -> None:
    """Twenty thousand lines on each side; a full comparison would be of four hundred million pairs."""
    old, new = [f"old {number % 7}" for number in range(20_000)], [f"new {number % 7}" for number in range(20_000)]
    assert matching_lines(old, new) == []
    shared = [f"line {number}" for number in range(20_000)]
    assert len(matching_lines(["x", *shared, "y"], ["z", *shared])) == 20_000


def diff(old: str, new: str, maximum: int = 10_000) -> str:
    hunks = hunks_of(old.encode(), [Replacement(0, len(old.encode()), new.encode())])
    return bounded_diff(hunks, "a", "a", bytes.decode, maximum)


def test_a_short_diff_is_shown_whole() -> None:
    assert diff("a\nb\n", "a\nc\n") == "--- a\n+++ a\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    assert diff("a", "a\n") == f"--- a\n+++ a\n@@ -1,1 +1,1 @@\n-a\n{NO_NEWLINE}\n+a\n"
    assert diff("", "a\n") == "--- a\n+++ a\n@@ -0,0 +1,1 @@\n+a\n"
    assert diff("a\n", "") == "--- a\n+++ a\n@@ -1,1 +0,0 @@\n-a\n"
    assert diff("a\n", "a\n") == ""


def test_changes_far_apart_have_their_own_hunks_and_near_ones_share_one() -> None:
    old = [f"{number}\n" for number in range(1, 31)]
    for second, hunks in ((8, 1), (9, 2)):
        new = [*old]
        new[1], new[second] = "x\n", "y\n"
        assert diff("".join(old), "".join(new)).count("@@ -") == hunks


def test_a_long_diff_is_cut_and_says_how_much_is_missing() -> None:
    text = diff("".join(f"{number:09}\n" for number in range(5000)), "", 1000)
    assert len(text) < 1100
    assert text.endswith("-000000087\n… 4,912 more lines of this diff not shown\n")


def test_the_changed_part_of_a_very_long_line_is_in_sight() -> None:
    text = diff("x" * 5_000_000 + "needle" + "y" * 100, "x" * 5_000_000 + "pin" + "y" * 100)
    assert "needle" in text
    assert "pin" in text
    assert "[4,999,900 characters] …" in text
    assert len(text) < 1000


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("a\r\nb\r\n", "a\r\nc\r\n", "-b\r\n+c\r\n"),
        ("a\r\nb\r\n", "a\r\nb\n", " a␍\n-b␍\n+b\n"),
        ("", "a\r\n", "+a␍\n"),
    ],
)
def test_line_ends_are_shown_where_they_say_something(old: str, new: str, shown: str) -> None:
    assert diff(old, new).endswith(shown)
