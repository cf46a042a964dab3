"""command_output and stop_command: what a command in the background has printed, and its end."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from code_assistant.errors import ToolError
from code_assistant.tools.command_output import NOTHING_NEW, CommandOutput
from code_assistant.tools.execute_command import ExecuteCommand
from code_assistant.tools.stop_command import StopCommand
from code_assistant.tools.tool import Tool
from tests.hang_guard import HANG_GUARD
from tests.processes import new_marker, processes_with, say
from tests.unit.tools.support import Bench


async def started(bench: Bench, command: str) -> None:
    await bench.run(ExecuteCommand(), command=command, background=True)


@pytest.mark.parametrize("tool", [CommandOutput(), StopCommand()], ids=lambda tool: tool.name)
async def test_an_unknown_id_is_an_error_that_helps(running_bench: Bench, tool: Tool[Any]) -> None:
    with pytest.raises(ToolError, match="None was started with background=true"):
        await running_bench.run(tool, id="command-1")
    await started(running_bench, "true")
    with pytest.raises(ToolError, match=r"Known are: command-1 \(true\)"):
        await running_bench.run(tool, id="1")


async def test_looks_show_what_is_new_and_how_it_stands(running_bench: Bench, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    await started(running_bench, f"echo one; read x < {fifo}; echo two; exit 4")
    first = await running_bench.text(CommandOutput(), id="command-1", wait_s=HANG_GUARD)
    assert re.fullmatch(r"one\nrunning for \d+\.\d s", first)
    again = await running_bench.run(CommandOutput(), id="command-1")
    assert getattr(again.content[0], "text", "").startswith(f"{NOTHING_NEW}\nrunning for ")
    assert again.display.title.startswith("Looked at command-1: echo one; ")
    assert again.display.summary.startswith("running for ")
    await say(fifo, "\n")
    await running_bench.services.commands.find("command-1").running.wait(HANG_GUARD)
    last = await running_bench.run(CommandOutput(), id="command-1")
    assert re.fullmatch(r"two\nexit code 4 · \d+\.\d s", getattr(last.content[0], "text", ""))
    assert last.display.detail.endswith("\nin .\n\ntwo")
    # Seen is told.
    assert running_bench.services.commands.news() == ()


async def test_safe_o1_stopping_ends_it_and_shows_the_last_words(running_bench: Bench) -> None:
    marker = new_marker()
    await started(running_bench, f"(setsid sleep {marker} &); echo up; sleep {marker}")
    while "up" not in await running_bench.text(CommandOutput(), id="command-1", wait_s=HANG_GUARD):
        pass
    output = await running_bench.run(StopCommand(), id="command-1")
    assert processes_with(marker) == []
    assert re.fullmatch(
        rf"{re.escape(NOTHING_NEW)}\nended by SIGTERM · \d+\.\d s", getattr(output.content[0], "text", "")
    )
    assert output.display.title == f"Stopped command-1: (setsid sleep {marker} &); echo up; sleep {marker}"
    assert running_bench.services.commands.news() == ()
    # Once more it is only said how it ended.
    again = await running_bench.text(StopCommand(), id="command-1")
    assert "ended by SIGTERM" in again


async def test_nobody_is_asked_to_look_or_to_stop(running_bench: Bench) -> None:
    await started(running_bench, "true")
    asked = len(running_bench.approver.requests)
    await running_bench.run(CommandOutput(), id="command-1")
    await running_bench.run(StopCommand(), id="command-1")
    assert len(running_bench.approver.requests) == asked


@pytest.mark.parametrize("tool", [ExecuteCommand(), CommandOutput(), StopCommand()], ids=lambda tool: tool.name)
def test_they_are_for_agents_that_may_change_something(tool: Tool[Any]) -> None:
    assert "sub_agent_read_only" not in tool.scopes
    assert "main" in tool.scopes
    assert len(tool.description) > 100
