"""What the real tools say is read back into what they found; what they cut is known to be cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from code_assistant.events import MAIN
from code_assistant.llm.offline.steps import Outcome
from code_assistant.llm.offline.tool_texts import (
    FileText,
    Line,
    Listing,
    counts_in,
    denial_in,
    files_read,
    listing_in,
    matches_in,
    paths_in,
    problems_in,
)
from code_assistant.messages import Text
from code_assistant.tools.builtin import made
from code_assistant.tools.tool import ToolContext, permission_denied
from tests.surroundings import surroundings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a b.py").write_text("one\n\nx: 3\n1: two\u2028three\n")
    (tmp_path / "b.md").write_text("one")
    (tmp_path / "empty").touch()
    (tmp_path / "c.bin").write_bytes(b"\0\1")
    (tmp_path / "link").symlink_to("b.md")
    return tmp_path


async def outcome(folder: Path, tool: str, **arguments: Any) -> Outcome:
    found = made(tool)
    context = ToolContext(MAIN, "call", surroundings(folder).services, lambda _: None)
    output = await found.run(found.checked(arguments), context)
    return Outcome(tuple(part.text for part in output.content if isinstance(part, Text)))


async def test_matching_lines(folder: Path) -> None:
    found = matches_in(await outcome(folder, "search_files", pattern="o"))
    assert found.files == (
        FileText("b.md", (Line(1, "one"),)),
        FileText("src/a b.py", (Line(1, "one"), Line(4, "1: two\u2028three"))),
    )
    assert (found.total, found.is_cut) == (3, False)
    cut = matches_in(await outcome(folder, "search_files", pattern="o", limit=2))
    assert (cut.shown, cut.total, cut.is_cut) == (2, 3, True)
    around = matches_in(await outcome(folder, "search_files", pattern="x: 3", context=2))
    assert around.files == (FileText("src/a b.py", (Line(3, "x: 3"),)),)
    assert matches_in(await outcome(folder, "search_files", pattern="nothing")).files == ()


async def test_counted_lines(folder: Path) -> None:
    found = counts_in(await outcome(folder, "search_files", pattern="^", mode="counts"))
    assert (found.by_path, found.total, found.is_cut) == ({"b.md": 1, "src/a b.py": 4}, 2, False)
    cut = counts_in(await outcome(folder, "search_files", pattern="^", mode="counts", limit=1))
    assert (cut.by_path, cut.total, cut.is_cut) == ({"b.md": 1}, 2, True)


async def test_paths(folder: Path) -> None:
    found = paths_in(await outcome(folder, "glob_files", pattern="**/*"))
    assert sorted(found.paths) == ["b.md", "c.bin", "empty", "src/a b.py"]
    assert not found.is_cut
    assert paths_in(await outcome(folder, "glob_files", pattern="*.rs")).paths == ()
    for number in range(250):
        (folder / f"{number}.txt").touch()
    many = paths_in(await outcome(folder, "glob_files", pattern="*.txt"))
    assert (len(many.paths), many.total, many.is_cut) == (200, 250, True)


async def test_a_listing(folder: Path) -> None:
    found = listing_in(await outcome(folder, "list_files", path="."))
    assert found == Listing(("src",), ("b.md", "c.bin", "empty"))
    (folder / ".ignore").write_text("*\n")
    assert listing_in(await outcome(folder, "list_files", path=".")) == Listing(has_ignored=True)
    (folder / ".ignore").unlink()
    for number in range(600):
        (folder / f"{number}.txt").touch()
    assert listing_in(await outcome(folder, "list_files", path=".")).is_cut


async def test_files(folder: Path) -> None:
    told = await outcome(folder, "read_files", paths=["src/a b.py:3-4", "b.md", "empty", "c.bin", "none"])
    assert files_read(told) == (
        FileText("src/a b.py", (Line(3, "x: 3"), Line(4, "1: two\u2028three")), 4),
        FileText("b.md", (Line(1, "one"),), 1),
    )
    assert [problem.split(" ")[0] for problem in problems_in(told)] == ["c.bin", "none"]


def test_a_denial_is_told_to_people_without_the_words_for_models() -> None:
    error = permission_denied("read_files", "read /etc/x outside the workspace", "a rule. says so")
    denied = Outcome((error.model,), failed=True)
    assert denial_in(denied) == "I was not allowed to read /etc/x outside the workspace: a rule. says so."
    assert denial_in(Outcome(("x does not exist.",), failed=True)) is None


def test_what_failed_holds_nothing() -> None:
    failed = Outcome(("a.py: 3\n\n1 match, 1 file.",), failed=True)
    assert not matches_in(failed).files and not counts_in(failed).by_path and not paths_in(failed).paths
    assert listing_in(failed) == Listing() and not files_read(failed)
