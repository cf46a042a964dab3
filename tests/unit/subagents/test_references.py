"""The references of a sub-agent's answer: which hold, and what is said of those that do not."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_assistant.subagents import references
from code_assistant.subagents.references import (
    BACKWARDS,
    FROM_ONE,
    MAXIMUM_CHECKED,
    NO_REFERENCE,
    NO_SUCH_FILE,
    NOT_MET,
    NOT_READABLE,
    NOT_TEXT,
    WARNING_OPENING,
    ReferenceProblem,
    correction,
    reference_problems,
    warning_line,
)
from code_assistant.workspace import reading
from code_assistant.workspace.ledger import FileLedger, FileVersion
from code_assistant.workspace.opening import OpenFile
from code_assistant.workspace.threads import StopFlag, StopRequested
from code_assistant.workspace.workspace import Workspace

TWENTY_LINES = "".join(f"line {number}\n" for number in range(1, 21))


@dataclass
class Child:
    """A sub-agent's workspace and ledger."""

    root: Path
    ledger: FileLedger = field(default_factory=FileLedger)

    def read(self, path: str, content: str | bytes) -> Path:
        """A file that the sub-agent has read."""
        file = self.unread(path, content)
        self.ledger.note(file.resolve(), FileVersion.of(file.read_bytes()))
        return file

    def unread(self, path: str, content: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def problems(self, answer: str) -> list[tuple[str, str]]:
        found = reference_problems(answer, Workspace(self.root), self.ledger)
        return [(problem.reference, problem.reason) for problem in found]


@pytest.fixture
def child(tmp_path: Path) -> Child:
    root = tmp_path / "workspace"
    root.mkdir()
    return Child(root)


@pytest.mark.parametrize(
    ("answer", "problems"),
    [
        ("src/a.py:10-20", []),
        ("src/a.py:15", []),
        ("see a.py", [("", NO_REFERENCE)]),
        ("nofile.py:3", [("nofile.py:3", NO_SUCH_FILE)]),
        ("a.py:20-10", [("a.py:20-10", BACKWARDS)]),
        ("http://x.md:80", [("", NO_REFERENCE)]),
    ],
)
def test_sub_f2_only_references_to_real_lines_pass(child: Child, answer: str, problems: list[tuple[str, str]]) -> None:
    for path in ("src/a.py", "a.py"):
        child.read(path, TWENTY_LINES)
    assert child.problems(answer) == problems
    assert child.problems(f"`{answer}`") == problems


def test_sub_f2_one_that_fails_is_told_among_those_that_hold(child: Child) -> None:
    for path in ("src/a.py", "a.py"):
        child.read(path, TWENTY_LINES)
    answer = "src/a.py:10-20, `src/a.py:15`, see a.py, `nofile.py:3`, a.py:20-10 and http://x.md:80; nofile.py:3"
    assert child.problems(answer) == [("nofile.py:3", NO_SUCH_FILE), ("a.py:20-10", BACKWARDS)]


def test_sub_f5_a_missing_file_a_line_past_the_end_and_a_file_never_read(child: Child) -> None:
    child.read("short.py", "1\n" * 12)
    child.unread("unread.py", TWENTY_LINES)
    answer = "As `missing.py:1`, `short.py:13` and `unread.py:2` show, and `short.py:12`."
    problems = reference_problems(answer, Workspace(child.root), child.ledger)
    told = {
        "missing.py:1": "no such file in the workspace",
        "short.py:13": "has only 12 lines",
        "unread.py:2": "was not read, matched or written by this agent",
    }
    assert {problem.reference: problem.reason for problem in problems} == told
    for reference, reason in told.items():
        assert f"- {reference} ({reason})" in correction(problems).splitlines()
        assert f"{reference} ({reason})" in warning_line(problems)
    assert "short.py:12" not in correction(problems)


def test_a_report_without_any_tool_call_is_never_verified(child: Child) -> None:
    child.unread("a.py", TWENTY_LINES)
    assert child.problems("a.py:1") == [("a.py:1", NOT_MET)]


def test_a_file_that_was_only_matched_counts(child: Child) -> None:
    child.ledger.note_match(child.unread("a.py", TWENTY_LINES).resolve())
    assert child.problems("a.py:20") == []


@pytest.mark.parametrize(
    ("content", "count"),
    [
        (b"", 0),
        (b"x", 1),
        (b"x\n", 1),
        (b"x\ny", 2),
        (b"x\r\ny\r\n", 2),
        (b"x\ry\r", 1),
        (b"\n\n", 2),
        ("x\ny\n".encode("utf-16"), 2),
        ("\u010a\n\u0a0a".encode("utf-16"), 2),
        ("x\u2028y\x0cz\n".encode(), 1),
        (b"\xff\n\xfe\n", 2),
        (b"x" * 3_000_000 + b"\ny\n", 2),
    ],
)
def test_lines_are_counted_as_read_files_numbers_them(child: Child, content: bytes, count: int) -> None:
    child.read("a.txt", content)
    words = {0: "is empty", 1: "has only 1 line"}.get(count, f"has only {count} lines")
    expected = [("a.txt:1", words)] if count == 0 else []
    assert child.problems(f"a.txt:{max(count, 1)}") == expected
    assert child.problems(f"a.txt:1-{count + 1}") == [(f"a.txt:1-{count + 1}", words)]


def test_both_ends_of_a_range_and_of_a_list_are_checked(child: Child) -> None:
    child.read("a.py", TWENTY_LINES)
    assert child.problems("a.py:1,20") == []
    assert child.problems("a.py:21-30") == [("a.py:21-30", "has only 20 lines")]
    assert child.problems("a.py:20,21,3") == [("a.py:20,21,3", "has only 20 lines")]
    assert child.problems("a.py:0-3") == [("a.py:0-3", FROM_ONE)]
    assert child.problems(f"a.py:{'9' * 40}") == [(f"a.py:{'9' * 40}", "has only 20 lines")]


def test_other_ways_to_write_a_path_lead_to_the_same_file(child: Child) -> None:
    child.read("src/a.py", TWENTY_LINES)
    child.read("Makefile", "all:\n")
    child.read("docs/My Notes", "x\n")
    (child.root / "link.py").symlink_to("src/a.py")
    answer = f"./src/a.py:1 src/../src/a.py:2 {child.root}/src/a.py:3 link.py:4 Makefile:1 `docs/My Notes:1`"
    assert child.problems(answer) == []
    assert child.problems("Makefile:2") == [("Makefile:2", "has only 1 line")]


def test_what_lies_outside_is_no_file_of_the_workspace(child: Child, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("x\n")
    child.ledger.note_match(secret)
    (child.root / "link.txt").symlink_to(secret)
    (child.root / "folder").symlink_to(tmp_path)
    (child.root / "nowhere.txt").symlink_to("gone.txt")
    for path in ("link.txt", "folder/secret.txt", "../secret.txt", str(secret), "nowhere.txt", "~/secret.txt"):
        assert child.problems(f"{path}:1") == [(f"{path}:1", NO_SUCH_FILE)]


def test_what_is_no_text_file_is_refused_at_once(child: Child) -> None:
    os.mkfifo(child.root / "pipe.txt")
    (child.root / "folder.d").mkdir()
    child.read("program.bin", b"\x7fELF\0\0\n")
    for name in ("pipe.txt", "folder.d"):
        child.ledger.note_match(child.root / name)
        assert child.problems(f"{name}:1") == [(f"{name}:1", NOT_READABLE)]
    assert child.problems("program.bin:1") == [("program.bin:1", NOT_TEXT)]
    assert child.problems("program.bin/x.py:1") == [("program.bin/x.py:1", NO_SUCH_FILE)]


def test_a_device_is_not_opened(child: Child) -> None:
    ledger = FileLedger()
    ledger.note_match(Path("/dev/zero"))
    problems = reference_problems("/dev/zero:1", Workspace(child.root, (Path("/dev"),)), ledger)
    assert problems == (ReferenceProblem("/dev/zero:1", NOT_READABLE),)


def test_names_that_are_no_paths_are_told_as_any_other(child: Child) -> None:
    for path in ("a/" * 5000 + "b.py", "a" * 300 + ".py", "\ud800/x.py"):
        assert child.problems(f"{path}:1") == [(f"{path}:1", NO_SUCH_FILE)]


def test_a_huge_file_is_counted_as_far_as_read_files_looks(child: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SKIPPED_BYTES_BEFORE", 1000)
    monkeypatch.setattr(reading, "CHUNK_BYTES", 100)
    child.read("a.txt", "123456789\n" * 1000)
    assert child.problems("a.txt:100") == []
    assert child.problems("a.txt:900") == [("a.txt:900", "is too large to look further than line 110")]


def test_each_file_is_opened_once(child: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []
    regular_file = references.regular_file

    def counting(real: Path, shown: str) -> AbstractContextManager[OpenFile]:
        opened.append(real)
        return regular_file(real, shown)

    monkeypatch.setattr(references, "regular_file", counting)
    child.read("a.py", TWENTY_LINES)
    assert child.problems(" ".join(f"a.py:{number} ./a.py:1-{number}" for number in range(1, 21))) == []
    assert opened == [child.root / "a.py"]


def test_more_references_than_are_checked_do_not_pass(child: Child) -> None:
    child.read("a.py", "x\n" * 1000)
    lines = [f"a.py:{number}" for number in range(1, MAXIMUM_CHECKED + 3)]
    assert child.problems(" ".join(lines[:MAXIMUM_CHECKED] * 2)) == []
    assert child.problems(" ".join(lines)) == [("", "2 more references were not checked: give 200 at most")]


def test_checking_can_be_stopped(child: Child) -> None:
    flag = StopFlag()
    flag.stop()
    with pytest.raises(StopRequested):
        reference_problems("a.py:1", Workspace(child.root), child.ledger, flag)


def test_the_correction_names_what_is_wrong_and_is_bounded() -> None:
    text = correction([ReferenceProblem("", NO_REFERENCE)])
    assert f"- {NO_REFERENCE}\n" in text
    assert "whole answer again" in text
    many = [ReferenceProblem(f"{'long/' * 5000}a.py:{number}", NO_SUCH_FILE) for number in range(MAXIMUM_CHECKED)]
    text = correction(many)
    assert len(text) < 15_000
    assert "a.py:0 (no such file in the workspace)\n" in text
    assert "- and 150 more\n" in text


def test_the_warning_lists_each_in_one_line() -> None:
    problems = [ReferenceProblem("a.py:3", NO_SUCH_FILE), ReferenceProblem("b.py:4-2", BACKWARDS)]
    assert warning_line(problems) == (
        "Unverified file references: a.py:3 (no such file in the workspace); "
        "b.py:4-2 (the last line is before the first)"
    )


@given(st.text())
def test_no_name_breaks_the_warning_into_lines(name: str) -> None:
    line = warning_line([ReferenceProblem(name, NO_SUCH_FILE)])
    assert line.splitlines() == [line]
    assert line.startswith(WARNING_OPENING)
