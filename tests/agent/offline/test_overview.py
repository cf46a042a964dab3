"""The first thing a newcomer asks: what is this? By sub-agents side by side, on folders of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.events import AgentSpawned, ToolStarted
from code_assistant.tools.glob_files import GlobFiles
from code_assistant.tools.list_files import ListFiles
from code_assistant.tools.read_files import ReadFiles
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.search_files import SearchFiles
from tests.agent.offline.support import OVERVIEW, SHOP, checked, exploring, references, side_by_side, written
from tests.fakes.server import ScriptedServer

REPOSITORY = Path(__file__).parents[3]


async def test_of_a_small_project(server: ScriptedServer, tmp_path: Path) -> None:
    folder = written(tmp_path, SHOP)
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask(OVERVIEW), folder)
        assert side_by_side(harness) == 4
        assert [each.label for each in harness.of(AgentSpawned)] == [
            "Read README, manifests and entry points",
            "Explore src/",
            "Explore tests/",
            "Explore docs/",
        ]
        assert {each.mode for each in harness.of(AgentSpawned)} == {"read_only"}
    for words in (
        "## `shop`",
        "“A small shop” (`pyproject.toml:3`)",
        "`make run`, `make test` (`Makefile:1-4`)",
        "`shop` runs `shop:main` (`pyproject.toml:6`)",
        "run by themselves: `src/shop/main.py:10`",
        "“All of the shop | in \\*one\\* package.” (`src/shop/__init__.py:1`)",
        "About 1 test, counted by name.",
        "`docs/guide.md:1` (3 lines): “Guide”",
        "8 text files",
    ):
        assert words in answer
    # What the README says about a file is quoted, and no reference.
    assert "src/shop/cart.py: 900" in answer


async def test_of_this_very_repository(server: ScriptedServer) -> None:
    async with exploring(server, REPOSITORY) as harness:
        answer = checked(await harness.ask(OVERVIEW), REPOSITORY)
        assert 3 <= side_by_side(harness) <= 6
    assert len(references(answer, REPOSITORY)) >= 15
    assert "`code-assistant` runs `code_assistant.__main__:main`" in answer
    assert "`code_assistant/tui/`" in answer


async def test_of_an_empty_folder(server: ScriptedServer, tmp_path: Path) -> None:
    async with exploring(server, tmp_path) as harness:
        assert "nothing here yet" in checked(await harness.ask(OVERVIEW), tmp_path)
        assert side_by_side(harness) == 0


async def test_of_what_is_all_ignored(server: ScriptedServer, tmp_path: Path) -> None:
    folder = written(tmp_path, {".ignore": "*\n", "a.py": "x = 1\n"})
    async with exploring(server, folder) as harness:
        assert "nothing here but what" in checked(await harness.ask(OVERVIEW), folder)


@pytest.mark.parametrize(
    "files",
    [
        {"a.bin": "\0\1\2", "b/c.dat": "\0", "logo.png": "\x89PNG\0"},
        {"strange": "\0\1\2\3", "b/stranger": "\0\0"},
        {"empty.py": "", "b/empty.txt": ""},
    ],
)
async def test_of_files_without_any_text(server: ScriptedServer, tmp_path: Path, files: dict[str, str]) -> None:
    folder = written(tmp_path, files)
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask(OVERVIEW), folder)
        assert side_by_side(harness) == 0
    assert f"There are {len(files)} files here, and none" in answer


async def test_of_a_single_file(server: ScriptedServer, tmp_path: Path) -> None:
    folder = written(tmp_path, {"notes.txt": "Buy milk.\n"})
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask(OVERVIEW), folder)
        assert side_by_side(harness) == 0
    assert "`notes.txt:1` (1 line): “Buy milk.”" in answer


async def test_text_and_binary_files_side_by_side(server: ScriptedServer, tmp_path: Path) -> None:
    files = {
        "src/a.py": "class A:\n    pass\n",
        "data/x.bin": "\0",
        "lib/b.py": "def b():\n    pass\n",
        "odd/c": "\0\0",
    }
    folder = written(tmp_path, files)
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask(OVERVIEW), folder)
        assert side_by_side(harness) == 2
    assert "not looked into: `data/`, `odd/`" in answer
    assert "2 empty or binary files" in answer


async def test_names_that_are_hard_to_write(server: ScriptedServer, tmp_path: Path) -> None:
    files = {
        "a b/c d.py": '"""With blanks."""\n',
        "quo`te/x.py": '"""Ticked."""\ny = 1\n',
        "new\nline/x.py": "z = 1\n",
        "[id]/page:3.tsx": "// A page.\nexport function Page() {}\n",
        "-dash/*star*.md": "# Star *one*\n",
    }
    folder = written(tmp_path, files)
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask(OVERVIEW), folder)
    assert "`a b/c d.py:1`" in answer


async def test_without_ripgrep_and_without_sub_agents(server: ScriptedServer, tmp_path: Path) -> None:
    folder = written(tmp_path, SHOP)
    tools = ToolRegistry((ReadFiles(), ListFiles(), GlobFiles(), SearchFiles(lambda _: None)))
    async with exploring(server, folder, tools=tools, agents=None) as harness:
        answer = checked(await harness.ask(OVERVIEW), folder)
        assert side_by_side(harness) == 0
        assert "execute_command is not available here" in checked(await harness.ask("what changed"), folder)
    assert "“A small shop” (`pyproject.toml:3`)" in answer
    assert "`tests/`: 1 file" in answer


async def test_where_reading_is_denied_it_says_so(server: ScriptedServer, tmp_path: Path) -> None:
    folder = written(tmp_path, SHOP)
    async with exploring(server, folder, deny=["spawn_agent"]) as harness:
        answer = checked(await harness.ask(OVERVIEW), folder)
        assert "Explore src/: The tool spawn_agent may not be used: the rule spawn_agent denies it." in answer
    async with exploring(server, folder, deny=["Read"]) as harness:
        answer = checked(await harness.ask(OVERVIEW), folder)
        assert "could not be looked at" in answer


async def test_hidden_files_stay_hidden(server: ScriptedServer, tmp_path: Path) -> None:
    folder = written(tmp_path, SHOP)
    async with exploring(server, folder, deny=["Read(src/**)"]) as harness:
        answer = checked(await harness.ask(OVERVIEW), folder)
    assert "src/shop" not in answer.replace("src/shop/cart.py: 900", "")


async def test_the_last_turn_gives_what_there_is(server: ScriptedServer, tmp_path: Path) -> None:
    folder = written(tmp_path, SHOP)
    async with exploring(server, folder, max_turns=2) as harness:
        finished = await harness.ask(OVERVIEW)
    assert finished.outcome == "turn_limit_reached"
    assert "no more tool calls were allowed" in finished.answer


def tree(folder: Path, files: int) -> Path:
    for number in range(files // 100):
        part = folder / f"part{number % 20:02}" / f"sub{number}"
        part.mkdir(parents=True)
        for place in range(100):
            (part / f"m{place:02}.py").write_text(
                f'"""Module {number} {place}."""\n\n\ndef f_{number}_{place}():\n    pass\n'
            )
    return folder


@pytest.mark.parametrize("files", [2_000, pytest.param(50_000, marks=pytest.mark.soak)])
async def test_of_very_many_files(server: ScriptedServer, tmp_path: Path, files: int) -> None:
    folder = tree(tmp_path, files)
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask(OVERVIEW), folder)
        assert side_by_side(harness) == 6
        assert len(harness.of(ToolStarted)) < 100
        found = checked(await harness.ask("where is f_7_42 defined?"), folder)
    assert f"**Size**: {files:,} files (Python {files:,})" in answer
    assert "function `f_7_42` at `part07/sub7/m42.py:4`" in found


@pytest.mark.parametrize("files", [600, pytest.param(50_000, marks=pytest.mark.soak)])
async def test_of_very_many_files_in_one_folder(server: ScriptedServer, tmp_path: Path, files: int) -> None:
    for number in range(files):
        (tmp_path / f"n{number:05}.txt").write_text("x\n")
    async with exploring(server, tmp_path) as harness:
        answer = checked(await harness.ask(OVERVIEW), tmp_path)
    assert f"{files:,} " in answer
    assert "more than 500 files" in answer
