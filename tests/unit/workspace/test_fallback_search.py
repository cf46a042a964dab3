"""Our own search: it can be stopped, reports how far it is, and says what it did not look at."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest

from code_assistant.workspace import fallback_search
from code_assistant.workspace.fallback_search import search_without_ripgrep
from code_assistant.workspace.matching import NotQuick
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


@pytest.mark.parametrize("pattern", ["x*[y]", "[xz]y", "ne[e]dle"])
@pytest.mark.parametrize("length", [1, 999, 1000, 8190, 8191, 8192, 8193, 20_000])
def test_lines_that_meet_the_borders_of_pieces_are_found_once(tmp_path: Path, pattern: str, length: int) -> None:
    (tmp_path / "a.txt").write_text(f"{'x' * length}\n\nneedle\n{'z' * length}y\nxy\n\n{'x' * length}y needle")
    result = search(SearchQuery(tmp_path, pattern))
    expected = [3, 7] if "e" in pattern else [4, 5, 7]
    assert [line.number for line in result.files[0].lines] == expected
    assert result.all_matches == len(expected)


@pytest.mark.parametrize("pattern", ["^$", "^", "$", "x*"])
def test_empty_matches_are_found_in_every_piece(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "a.txt").write_text(("y" * 99 + "\n\n") * 1000)
    assert search(SearchQuery(tmp_path, pattern)).all_matches == (1000 if pattern == "^$" else 2000)


def test_what_must_be_quick_gives_up_on_slow_patterns_and_long_lines(tmp_path: Path) -> None:
    def search_quickly(pattern: str) -> int:
        query = SearchQuery(tmp_path, pattern)
        return search_without_ripgrep(query, StopFlag(), lambda _: None, must_be_quick=True).all_matches

    (tmp_path / "a.txt").write_text("x" * 900 + " needle\n")
    assert search_quickly(r"\w* needle") == search_quickly("need[l]e") == 1
    with pytest.raises(NotQuick):
        search_quickly(".*.*needle")
    (tmp_path / "b.txt").write_text("x" * 2100 + " needle\n")
    for pattern in (r"\w* needle", r"[n]\w*le"):
        with pytest.raises(NotQuick):
            search_quickly(pattern)
    assert search_quickly("needle") == 2


def test_a_million_matches_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fallback_search, "MAXIMUM_MATCHES", 10)
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("needle\n" * 8)
    result = search(SearchQuery(tmp_path, "needle"))
    assert (result.all_matches, result.all_files, result.is_complete) == (16, 2, False)
