"""Pipes, sockets, devices, folders and files of 2 GB: for every tool an error or an answer, never a hang."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from code_assistant.agent.executor import Executor, ToolRound
from code_assistant.events import MAIN, Event, ToolFinished
from code_assistant.messages import ToolCall
from code_assistant.tools.builtin import builtin_tools
from code_assistant.tools.search_files import SearchFiles
from code_assistant.workspace.attachments import attachments_in
from code_assistant.workspace.completion_files import workspace_files
from code_assistant.workspace.workspace import Workspace
from tests.surroundings import surroundings
from tests.unit.tools.support import RecordingPerson
from tests.unit.tools.test_paths import CALLS

HANG_GUARD = 30
TWO_GB = 2 << 30
SPECIAL = ("fifo", "socket", "device", "endless", "folder", "sparse", "text-and-sparse", "to-fifo", "fifo.png")
# What is a folder can be listed, searched and worked in.
FOLDER_TOOLS = ("list_files", "glob_files", "search_files", "execute_command")
# A huge file is read in part where it begins as text; it is gone through for a search, and it can be deleted.
HUGE = ("sparse", "text-and-sparse")
# Links are deleted themselves, and so are huge files.
DELETED = (*HUGE, "device", "endless", "to-fifo")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    os.mkfifo("fifo.png")
    # By a short name, since the path of a socket may not be long.
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
    Path("device").symlink_to("/dev/tty")
    Path("endless").symlink_to("/dev/zero")
    Path("to-fifo").symlink_to("fifo")
    Path("folder").mkdir()
    for name, beginning in (("sparse", b""), ("text-and-sparse", b"text\n" * 4000)):
        Path(name).write_bytes(beginning)
        os.truncate(name, TWO_GB)
    return tmp_path


async def status_of(root: Path, tool: str, arguments: dict[str, Any]) -> str:
    events: list[Event] = []
    services = surroundings(root, events.append, person=RecordingPerson(), mode="accept-edits").services
    tools = builtin_tools().narrowed(lambda name: name != "search_files").with_tool(SearchFiles(lambda _: None))
    async with asyncio.timeout(HANG_GUARD):
        await Executor(MAIN, tools, services).run(ToolRound((ToolCall("c1", tool, arguments),)))
    await services.commands.supervisor.close()
    (finished,) = [event for event in events if isinstance(event, ToolFinished)]
    return finished.status


def may_succeed(tool: str, name: str) -> bool:
    if name == "folder":
        return tool in FOLDER_TOOLS
    if tool == "delete_files":
        return name in DELETED
    return name == "text-and-sparse" and tool in ("read_files", "search_files")


@pytest.mark.timeout(120)
@pytest.mark.parametrize("tool", CALLS)
async def test_safe_e4_what_is_no_ordinary_file_is_an_error_for_every_tool(root: Path, tool: str) -> None:
    wrong: list[str] = []
    for name in SPECIAL:
        status = await status_of(root, tool, CALLS[tool](name))
        if status != "error" and not may_succeed(tool, name):
            wrong.append(f"{name}: {status}")
    assert wrong == []


@pytest.mark.timeout(120)
@pytest.mark.parametrize("tool", ["list_files", "glob_files", "search_files"])
async def test_safe_e4_a_folder_that_holds_them_is_gone_through(root: Path, tool: str) -> None:
    assert await status_of(root, tool, CALLS[tool](".")) == "success"


@pytest.mark.timeout(60)
def test_safe_e4_a_mention_and_the_completion_do_not_wait_for_a_pipe(root: Path) -> None:
    found = attachments_in("see @fifo.png and @to-fifo and @folder", Workspace(root))
    assert found.images == ()
    assert found.problems == ("fifo.png is a named pipe, not a file that can be read.",)
    assert "fifo.png" not in workspace_files(Workspace(root))
