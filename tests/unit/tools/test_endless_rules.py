"""Ignore files that are pipes, devices or huge: nobody waits for them, whoever reads rules on the way."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.tools.glob_files import GlobFiles
from code_assistant.tools.list_files import ListFiles
from code_assistant.tools.search_files import SearchFiles
from code_assistant.workspace import ripgrep
from code_assistant.workspace.completion_files import workspace_files
from code_assistant.workspace.endless_rules import endless_rules
from code_assistant.workspace.ignore import RULE_FILES
from code_assistant.workspace.ripgrep import find_ripgrep
from code_assistant.workspace.threads import StopFlag
from code_assistant.workspace.workspace import Workspace
from tests.hang_guard import HANG_GUARD
from tests.unit.tools.support import Bench

pytestmark = [
    pytest.mark.timeout(2 * HANG_GUARD),
    pytest.mark.skipif(find_ripgrep() is None, reason="ripgrep is not there"),
]
WITHOUT_RIPGREP = "Searched without ripgrep. ripgrep cannot search here: the ignore file "


def link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


def huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 2 << 30)


ENDLESS: dict[str, tuple[Callable[[Path], None], str]] = {
    "pipe": (os.mkfifo, "a named pipe"),
    "link to a pipe": (link_to_pipe, "a named pipe"),
    "link to a device": (lambda path: path.symlink_to("/dev/zero"), "a device"),
    "huge": (huge, "larger than 1 MB"),
}


def put(bench: Bench, path: str, make: Callable[[Path], None]) -> Path:
    """Beside a file in which there is something to find."""
    rules = bench.root / path
    rules.parent.mkdir(parents=True, exist_ok=True)
    bench.write("sub/found.txt", "needle\n")
    make(rules)
    return rules


@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize("name", RULE_FILES)
async def test_safe_e4_rules_that_never_end_are_named_and_the_search_is_done_without_them(
    bench: Bench, name: str, kind: str
) -> None:
    make, words = ENDLESS[kind]
    rules = put(bench, f"sub/{name}", make)
    text = await bench.text(SearchFiles(), pattern="needle")
    assert "sub/found.txt\n1: needle" in text
    assert f"{WITHOUT_RIPGREP}{rules} is {words}." in text


def test_safe_e4_a_file_of_the_kernel_may_be_waited_for(bench: Bench) -> None:
    rules = put(bench, "sub/.ignore", lambda path: path.symlink_to("/proc/version"))
    assert endless_rules(bench.root, StopFlag()) == f"the ignore file {rules} is a file of the kernel"


async def test_safe_e4_the_rules_of_the_folders_above_are_read_as_well(bench: Bench) -> None:
    rules = put(bench, ".ignore", os.mkfifo)
    assert f"{WITHOUT_RIPGREP}{rules} is a named pipe." in await bench.text(SearchFiles(), pattern="needle", path="sub")


@pytest.mark.parametrize("name", ["commondir", "common/info/exclude"])
async def test_safe_e4_the_rules_of_a_work_tree_lie_elsewhere(bench: Bench, name: str) -> None:
    bench.write(".git", f"gitdir: {bench.root}/elsewhere\n")
    bench.write("elsewhere/HEAD")
    if name != "commondir":
        bench.write("elsewhere/commondir", "./common\n")
    rules = put(bench, f"elsewhere/{name}", os.mkfifo)
    text = await bench.text(SearchFiles(), pattern="needle")
    assert "sub/found.txt\n1: needle" in text
    assert f"{WITHOUT_RIPGREP}{rules} is a named pipe." in text


@pytest.mark.parametrize("name", RULE_FILES)
async def test_a_folder_of_that_name_is_in_nobodys_way(bench: Bench, name: str) -> None:
    put(bench, f"sub/{name}", Path.mkdir)
    text = await bench.text(SearchFiles(), pattern="needle")
    assert "sub/found.txt\n1: needle" in text
    assert "ripgrep" not in text


@pytest.mark.parametrize("name", RULE_FILES[:3])
async def test_a_link_to_a_file_of_rules_counts(bench: Bench, name: str) -> None:
    bench.write("rules", "ignored.txt\n")
    bench.write("ignored.txt", "needle\n")
    put(bench, name, lambda path: path.symlink_to("rules"))
    text = await bench.text(SearchFiles(), pattern="needle")
    assert "sub/found.txt" in text
    assert "ignored.txt" not in text


@pytest.mark.parametrize("kind", ENDLESS)
async def test_safe_e4_our_own_walks_do_not_wait_for_rules(bench: Bench, kind: str) -> None:
    for number, name in enumerate(RULE_FILES):
        put(bench, f"{number}/{name}", ENDLESS[kind][0])
    assert "found.txt" in await bench.text(GlobFiles(), pattern="**/*.txt")
    assert "found.txt" in await bench.text(ListFiles(), depth=2)
    assert "sub/found.txt" in await bench.text(SearchFiles(lambda _: None), pattern="needle")
    assert "sub/found.txt" in workspace_files(Workspace(bench.root))


async def test_a_search_that_is_only_slow_is_not_disturbed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for ripgrep that goes on when everything was looked at."""
    go_on = bench.root.parent / "go-on"
    os.mkfifo(go_on)
    slow = bench.root.parent / "rg"
    slow.write_text(f"#!/bin/sh\nread line < {go_on}\nprintf './a.txt\\0001:1:0:needle\\n'\n")
    slow.chmod(0o755)
    look = ripgrep.endless_rules
    looked: list[str | None] = []

    def look_and_go_on(folder: Path, flag: StopFlag) -> str | None:
        looked.append(look(folder, flag))
        go_on.write_text("\n")
        return looked[0]

    monkeypatch.setattr(ripgrep, "endless_rules", look_and_go_on)
    bench.write("a.txt", "needle\n")
    bench.write(".gitignore", "*.log\n")
    async with asyncio.timeout(HANG_GUARD):
        text = await bench.text(SearchFiles(lambda _: slow), pattern="needle")
    assert looked == [None]
    assert "a.txt\n1: needle" in text
    assert "without ripgrep" not in text


async def test_safe_e4_the_memory_of_ripgrep_is_bounded(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ripgrep, "MAXIMUM_MEMORY", 256 << 20)
    monkeypatch.setattr(ripgrep, "endless_rules", lambda folder, flag: None)  # pyright: ignore
    put(bench, ".ignore", lambda path: path.symlink_to("/dev/zero"))
    with pytest.raises(WorkspaceError, match="more than 256 MB of memory; narrow it"):
        await bench.text(SearchFiles(), pattern="needle")
