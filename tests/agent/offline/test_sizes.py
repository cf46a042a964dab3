"""Questions that counting answers, on small and on large folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.events import ToolStarted
from tests.agent.offline.support import SHOP, checked, exploring, written
from tests.fakes.server import ScriptedServer


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("list the largest files", ["- `src/shop/main.py`: 11 lines\n- `src/shop/cart.py`: 8 lines"]),
        ("what are the largest markdown files", ["largest Markdown files", ":\n\n- `README.md`: 5 lines\n- `docs/g"]),
        ("how many lines of python are there?", ["Python in this folder: 4 files, 25 lines.", "blank ones"]),
        ("how many lines are in docs", ["`docs/`: 1 file, 3 lines."]),
        ("how many lines of rust are there", ["There is no text file in Rust in this folder."]),
        ("which languages", ["- Python: 4 files, 25 lines\n", "- Markdown: 2 files, 8 lines"]),
        ("how many files are there?", ["This folder: 9 files, of which 8 text files with something in them."]),
        ("how many tests are there?", ["about 1 test in 1 file", "- `tests/test_cart.py`: 1"]),
        ("how many tests are in src", ["No line in `src/` looks like the beginning of a test."]),
        ("how many lines are in nothing/", ["could not be counted", "does not exist"]),
    ],
)
async def test_answers(server: ScriptedServer, tmp_path: Path, question: str, expected: list[str]) -> None:
    folder = written(tmp_path, SHOP)
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask(question), folder)
    for words in expected:
        assert words in answer


def many(folder: Path, number: int) -> Path:
    for place in range(number):
        (folder / f"m{place:05}.py").write_text("x = 1\n" * (2 if place < number - 1 else 9))
    return folder


async def test_more_files_than_are_counted_at_once(server: ScriptedServer, tmp_path: Path) -> None:
    folder = many(tmp_path, 2_300)
    async with exploring(server, folder) as harness:
        lines = checked(await harness.ask("how many lines of python?"), folder)
        largest = checked(await harness.ask("largest files"), folder)
    assert "2,300 files, 4,607 lines" in lines and "too many" not in lines
    assert "- `m02299.py`: 9 lines" in largest


async def test_where_there_are_too_many_it_says_so(server: ScriptedServer, tmp_path: Path) -> None:
    folder = many(tmp_path, 5_001)
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask("how many lines?"), folder)
        assert len(harness.of(ToolStarted)) <= 6
    assert "5,000 files, 10,000 lines" in answer
    assert "too many files to count them all: this is what is among 5,000 of 5,001 files." in answer


async def test_where_searching_is_denied_nothing_is_claimed(server: ScriptedServer, tmp_path: Path) -> None:
    folder = written(tmp_path, SHOP)
    async with exploring(server, folder, deny=["search_files"]) as harness:
        for question in ("which languages", "how many tests are there"):
            answer = checked(await harness.ask(question), folder)
            assert "could not be counted" in answer and "search_files denies it" in answer
