"""The number of changed files in the status line, from real repositories."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.fakes.script import Gate, after, call, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import scene
from tests.unit.workspace.test_git_status import Repository

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "shop", tmp_path / "home")
    made.commit("tax.py", "README.md")
    return made


async def test_it_is_shown_and_follows_what_prompts_and_commands_do(
    server: ScriptedServer, tmp_path: Path, repository: Repository
) -> None:
    repository.write("new.txt")
    gate = Gate()
    written = call("write_file", {"path": "more.txt", "content": "more"})
    server.script_default([turn(written), after(gate, turn(text("Done.")))])
    async with scene(server, tmp_path, "--permission-mode", "accept-edits", branch="main") as s:
        await s.until_shown(" shop · main ±1 · ")
        await s.send("go")
        await gate.until_reached()
        assert (s.folder / "more.txt").exists()
        gate.open()
        await s.until_shown(" shop · main ±2 · ")
        await s.send("!rm new.txt more.txt")
        await s.until_shown(" shop · main · ")
        await s.send("!touch one two three")
        await s.until_shown(" shop · main ±3 · ")
        await s.send("/new")
        await s.until_shown(" shop · main ±3 · ")


async def test_nothing_is_shown_where_it_is_not_known(
    server: ScriptedServer, tmp_path: Path, repository: Repository
) -> None:
    repository.write("new.txt")
    marker = tmp_path / "marker"
    repository.git("config", "core.fsmonitor", repository.program(marker))
    async with scene(server, tmp_path, branch="main") as s:
        looking = s.app.changed_files
        await s.until(lambda: not looking._is_looking and not looking._is_outdated, "it was looked at")
        await s.painted()
        assert s.shows(" shop · main · ")
        assert not marker.exists()
