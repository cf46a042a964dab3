"""Our own search: it can be stopped, reports how far it is, and says what it did not look at."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace import fallback_search, matching
from code_assistant.workspace.fallback_search import search_without_ripgrep
from code_assistant.workspace.search import SearchQuery, SearchResult
from code_assistant.workspace.threads import StopFlag, StopRequested, in_thread


def search(query: SearchQuery) -> SearchResult:
    return search_without_ripgrep(query, StopFlag(), lambda _: None)


async def test_a_cancelled_search_stops_its_thread(tmp_path: Path) -> None:
    for number in range(2000):
        (tmp_path / f"{number}.txt").write_text("some words\n" * 200)
    working, ended = threading.Event(), threading.Event()

    def work(flag: StopFlag) -> None:
        working.set()
        try:
            while True:
                search_without_ripgrep(SearchQuery(tmp_path, r"\w+ [^s]ords"), flag, lambda _: None)
        except StopRequested:
            ended.set()
            raise

    task = asyncio.create_task(in_thread(work))
    await asyncio.to_thread(working.wait, 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(ended.wait, 2)


def test_progress_is_reported_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fallback_search, "SECONDS_BETWEEN_REPORTS", 0.0)
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("x\n")
    reports: list[str] = []
    search_without_ripgrep(SearchQuery(tmp_path, "x"), StopFlag(), reports.append)
    assert reports == ["searched 1 file", "searched 2 files", "searched 3 files"]


def test_files_too_large_are_left_out_and_said(tmp_path: Path) -> None:
    with (tmp_path / "large.txt").open("wb") as file:
        file.write(b"needle\n")
        file.truncate(fallback_search.MAXIMUM_FILE_BYTES + 1)
    (tmp_path / "small.txt").write_text("needle\n")
    result = search(SearchQuery(tmp_path, "needle"))
    assert [file.path for file in result.files] == ["small.txt"]
    assert result.remarks == ("1 file larger than 32 MB not searched.",)


def test_safe_e4_fifos_and_devices_are_passed_by(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "a.txt").write_text("needle\n")
    assert search(SearchQuery(tmp_path, "needle")).all_matches == 1


@pytest.mark.parametrize(
    "pattern", ["(a+)+b", "(a|a)*b", "(a|ab)*c", r"(\w+\s?)+;", "((a*)b)*c", "(a?a?)*b", "(?:x{1,5}){2,}y"]
)
def test_patterns_that_could_take_for_ever_are_refused(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "a.txt").write_text("a" * 5000 + "\n")
    with pytest.raises(WorkspaceError, match="within a repetition need ripgrep"):
        search(SearchQuery(tmp_path, pattern))


@pytest.mark.parametrize(
    "pattern", ["[^b]*b", r"\w+\s*=.*require\(", r"\s*\w+[^;]*;$", r".*.*=x", r"[\s\S]*zz", "(?s).*zz"]
)
def test_a_slow_pattern_stays_bounded_on_long_lines_and_many_lines(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "minified.js").write_text("a" * 300_000 + "\n")
    (tmp_path / "lines.txt").write_text(("c" * 40 + "\n") * 10_000)
    # Without the bounds this takes hours; the time-out of the tests is the hang guard.
    assert search(SearchQuery(tmp_path, pattern, limit=5)).all_matches == 0


def test_long_lines_are_searched_in_part_and_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "MAXIMUM_SLOW_LINE", 100)
    (tmp_path / "a.txt").write_text("x" * 50 + "one" + "x" * 500 + "two\n" + "one two\n")
    result = search(SearchQuery(tmp_path, "x+one"))
    assert result.all_matches == 1
    result = search(SearchQuery(tmp_path, "x+[t]wo"))
    assert result.all_matches == 0
    assert result.remarks == ("Lines over 20,000 characters were searched only up to there.",)
    assert search(SearchQuery(tmp_path, "two")).all_matches == 2
    assert search(SearchQuery(tmp_path, "xx[t]wo")).remarks == ()


def test_a_million_matches_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fallback_search, "MAXIMUM_MATCHES", 10)
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("needle\n" * 8)
    result = search(SearchQuery(tmp_path, "needle"))
    assert (result.all_matches, result.all_files, result.is_complete) == (16, 2, False)
