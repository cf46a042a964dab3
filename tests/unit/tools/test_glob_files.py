"""glob_files: newest first, bounded, ignored files left out."""

from __future__ import annotations

import os

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.tools.glob_files import GlobFiles
from tests.unit.tools.support import Bench


def write_in_order(bench: Bench, *paths: str) -> None:
    """Each file a second newer than the one before."""
    for age, path in enumerate(paths):
        os.utime(bench.write(path, "x"), (1_000_000 + age, 1_000_000 + age))


async def test_the_newest_come_first(bench: Bench) -> None:
    write_in_order(bench, "b.py", "src/a.py", "c.txt", ".hidden/d.py", ".git/e.py")
    output = await bench.run(GlobFiles(), pattern="**/*.py")
    assert output.display.detail == ".hidden/d.py\nsrc/a.py\nb.py"
    assert (output.display.title, output.display.summary) == ("Found **/*.py", "3 files")


async def test_the_path_narrows_and_results_can_be_read_as_they_are(bench: Bench) -> None:
    write_in_order(bench, "src/a.ts", "src/x/b.tsx", "lib/c.ts")
    output = await bench.run(GlobFiles(), pattern="**/*.{ts,tsx}", path="src")
    assert output.display.detail == "src/x/b.tsx\nsrc/a.ts"
    assert output.display.title == "Found **/*.{ts,tsx} in src/"


@pytest.mark.parametrize("pattern", ["{root}/src/*.ts", "src/*.ts", "/src/*.ts", "./src/*.ts"])
async def test_an_absolute_pattern_below_the_folder_is_understood(bench: Bench, pattern: str) -> None:
    write_in_order(bench, "src/a.ts", "lib/src/b.ts")
    assert await bench.text(GlobFiles(), pattern=pattern.format(root=bench.root)) == "src/a.ts"


async def test_ignored_files_are_left_out_unless_wanted(bench: Bench) -> None:
    bench.write(".gitignore", "build/\n")
    write_in_order(bench, "build/a.js", "src/b.js")
    assert await bench.text(GlobFiles(), pattern="*.js") == "src/b.js"
    assert await bench.text(GlobFiles(), pattern="*.js", include_ignored=True) == "src/b.js\nbuild/a.js"
    assert await bench.text(GlobFiles(), pattern="a.js") == (
        "No files match a.js in ./; ignored files were left out, include_ignored=true finds them."
    )
    assert await bench.text(GlobFiles(), pattern="*.rs", path="src") == "No files match *.rs in src/."


async def test_only_200_are_shown_and_the_number_of_all_is_said(bench: Bench) -> None:
    write_in_order(bench, *(f"{number:03}.txt" for number in range(250)))
    output = await bench.run(GlobFiles(), pattern="*.txt")
    lines = output.display.detail.splitlines()
    assert lines[:200] == [f"{number:03}.txt" for number in range(249, 49, -1)]
    assert lines[201] == "Showing the 200 newest of 250 files; narrow the pattern or the path to see others."
    assert output.display.summary == "250 files"


async def test_folders_and_links_are_not_found(bench: Bench) -> None:
    bench.write("real/x.txt", "x")
    (bench.root / "folder.txt").mkdir()
    (bench.root / "link.txt").symlink_to("real/x.txt")
    assert await bench.text(GlobFiles(), pattern="*.txt") == "real/x.txt"


async def test_a_folder_that_is_not_there_is_an_error(bench: Bench) -> None:
    with pytest.raises(WorkspaceError, match=r"nowhere does not exist\."):
        await bench.run(GlobFiles(), pattern="*", path="nowhere")


@pytest.mark.timeout(60)
async def test_a_pattern_of_many_stars_does_not_hang(bench: Bench) -> None:
    bench.write("a" * 100, "x")
    assert (await bench.text(GlobFiles(), pattern="*a" * 12 + "*b")).startswith("No files match")


async def test_a_broken_ignore_rule_does_not_break_the_listing(bench: Bench) -> None:
    bench.write(".gitignore", "[z-a]\n[[a]x\n[\nax\n")
    write_in_order(bench, "ax", "b")
    assert await bench.text(GlobFiles(), pattern="{ax,b}") == "b"


async def test_a_broken_pattern_is_an_error_in_words(bench: Bench) -> None:
    with pytest.raises(WorkspaceError, match="the range z-a runs backwards"):
        await bench.run(GlobFiles(), pattern="[z-a]")


def test_the_title_while_it_runs() -> None:
    tool = GlobFiles()
    assert tool.title(tool.Input(pattern="*.py")) == "Finding *.py"
    assert tool.title(tool.Input(pattern="*.py", path="src/")) == "Finding *.py in src/"
