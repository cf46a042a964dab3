"""Reading huge files costs little time and memory, and stops soon when nobody waits for it."""

from __future__ import annotations

import asyncio
import os
import re
import threading
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from code_assistant.workspace import reading
from code_assistant.workspace.file_parts import NotRead, ReadRequest, TextRead, read_all, request_for
from code_assistant.workspace.numbered import numbered_text
from code_assistant.workspace.threads import StopFlag, StopRequested, in_thread
from code_assistant.workspace.workspace import Workspace
from tests.hang_guard import HANG_GUARD

MEGABYTE = 1 << 20


def read(path: str, root: Path) -> str:
    workspace = Workspace(root)
    (result,) = read_all([request_for(path, workspace)], workspace, StopFlag())
    assert isinstance(result, TextRead | NotRead)
    return numbered_text(result) if isinstance(result, TextRead) else result.reason


def measured(path: str, root: Path) -> tuple[str, int]:
    """The text and the most memory that reading took."""
    tracemalloc.start()
    try:
        text = read(path, root)
        return text, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A line of 200 MB between short lines, and a file of 2 GB that takes no room on the disk."""
    folder = tmp_path_factory.mktemp("huge")
    with (folder / "long_line.txt").open("wb") as file:
        file.write(b"first\n")
        for _ in range(200):
            file.write(b"x" * MEGABYTE)
        file.write(b"\nthird\nfourth\n")
    with (folder / "two_gigabytes.txt").open("wb") as file:
        file.write(b"text\n" * 20_000)
        file.truncate(2 << 30)
    with (folder / "never_ends.txt").open("wb") as file:
        file.write(b"y" * 10_000)
        file.truncate(2 << 30)
    yield folder
    for file in folder.iterdir():
        file.unlink()


def test_safe_e4_a_line_of_200_mb_is_cut_at_a_bounded_cost(huge: Path) -> None:
    text, memory = measured("long_line.txt", huge)
    assert text.startswith("long_line.txt (lines 1-2 of more than 2)\n     1\tfirst\n     2\txxxx")
    assert "… [cut after 2000 characters of a line of more than " in text
    assert len(text) < 3000
    assert memory < 8 * MEGABYTE


def test_safe_e4_lines_behind_a_huge_one_can_be_read(huge: Path) -> None:
    text, memory = measured("long_line.txt:3-", huge)
    assert text == "long_line.txt (lines 3-4 of 4)\n     3\tthird\n     4\tfourth"
    assert memory < 8 * MEGABYTE


def test_safe_e4_a_file_of_2_gb_is_read_in_part(huge: Path) -> None:
    text, memory = measured("two_gigabytes.txt", huge)
    assert text.startswith("two_gigabytes.txt (lines 1-2000 of more than 20001)")
    assert text.endswith("… cut at line 2000 of more than 20001; read two_gigabytes.txt:2001- for the rest")
    assert memory < 8 * MEGABYTE


def test_safe_e4_a_file_that_is_one_line_of_2_gb_is_cut(huge: Path) -> None:
    text, memory = measured("never_ends.txt", huge)
    assert text.endswith("… cut in line 1, too long to be read to its end; read never_ends.txt:2- for what may follow")
    assert memory < 8 * MEGABYTE


def test_a_line_too_far_into_a_file_says_how_far_was_looked(huge: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SKIPPED_BYTES_BEFORE", 50 * MEGABYTE)
    text = read("two_gigabytes.txt:900000", huge)
    assert text.startswith("two_gigabytes.txt: line 900000 lies beyond the first ")
    assert "which have 20001 lines" in text


@pytest.mark.timeout(60)
@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-32-le"])
def test_safe_e4_skipping_counts_the_bytes_of_the_file_whatever_its_encoding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, codec: str
) -> None:
    monkeypatch.setattr(reading, "SKIPPED_BYTES_BEFORE", 4_000_000)
    line = ("x" * 255 + "\n").encode(codec)
    (tmp_path / "a.txt").write_bytes("\ufeff".encode(codec) + line * (16 * MEGABYTE // len(line)))
    text = read("a.txt:999999999", tmp_path)
    found = re.search(r"lies beyond the first .*, which have (\d+) lines", text)
    assert found is not None
    assert 4_000_000 - len(line) <= int(found[1]) * len(line) <= 4_000_000 + 2 * reading.CHUNK_BYTES


def test_safe_e4_no_more_than_256_mb_are_skipped(huge: Path) -> None:
    assert "lies beyond the first 256.0 MB" in read("two_gigabytes.txt:999999999", huge)


@pytest.mark.parametrize("size", [reading.CHUNK_BYTES - 1, reading.CHUNK_BYTES, reading.CHUNK_BYTES + 1, 8192, 8191])
def test_lines_that_meet_the_borders_of_chunks_stay_whole(tmp_path: Path, size: int) -> None:
    content = ("ü" * 30 + "\n") * (size // 61) + "x" * (size % 61)
    (tmp_path / "a.txt").write_text(content + "\nlast")
    count = content.count("\n") + 2
    assert read(f"a.txt:{count}", tmp_path) == f"a.txt (line {count} of {count})\n{count:>6}\tlast"
    assert read(f"a.txt:{count - 2}", tmp_path).endswith(f"\t{'ü' * 30}")


def test_a_wide_character_on_the_border_of_a_chunk_stays_whole(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(("\ufeff" + "x" * 4094 + "\U0001f600\nend\n").encode("utf-16-le"))
    assert read("a.txt:2", tmp_path) == "a.txt (line 2 of 2; UTF-16)\n     2\tend"
    assert "\ufffd" not in read("a.txt", tmp_path)


async def test_a_cancelled_read_leaves_no_thread_running(huge: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "COUNTED_BYTES_AFTER", 1 << 40)
    started, ended = threading.Event(), threading.Event()
    workspace = Workspace(huge)

    def work(flag: StopFlag) -> None:
        try:
            started.set()
            while True:
                read_all([ReadRequest(workspace.resolve("two_gigabytes.txt"))], workspace, flag)
        except StopRequested:
            ended.set()
            raise

    task = asyncio.create_task(in_thread(work))
    assert await asyncio.to_thread(started.wait, HANG_GUARD)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(ended.wait, HANG_GUARD)


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    os.mkfifo(tmp_path / "fifo")
    before = len(os.listdir("/proc/self/fd"))
    for path in ("a.txt", "fifo", "missing", "a.txt:9", "."):
        read(path, tmp_path)
    assert len(os.listdir("/proc/self/fd")) == before
