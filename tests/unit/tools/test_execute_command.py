"""execute_command: what is asked, what runs, what the model is told and what people see."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from code_assistant.errors import PermissionDenied, WorkspaceError
from code_assistant.events import OutputAdded
from code_assistant.permissions.access import CommandAccess, ReadAccess
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.tools.execute_command import ENDING_WORDS, ExecuteCommand, ExecuteCommandInput
from code_assistant.tools.read_files import ReadFiles
from code_assistant.workspace.commands.shell import Shell
from tests.hang_guard import HANG_GUARD
from tests.processes import new_marker, processes_with, say, until
from tests.rows import each_row
from tests.unit.tools.support import Bench, RecordingPerson

TOOL = ExecuteCommand()


def shown_live(bench: Bench) -> str:
    return "".join(event.text for event in bench.events if isinstance(event, OutputAdded))


async def test_the_model_gets_output_and_exit_code_people_get_more(running_bench: Bench) -> None:
    running_bench.write("src/a.txt")
    output = await running_bench.run(TOOL, command="ls; echo err >&2; exit 3", cwd="src")
    (text,) = output.content
    assert re.fullmatch(r"a\.txt\nerr\nexit code 3 · \d+\.\d s", getattr(text, "text", ""))
    assert output.failed
    display = output.display
    assert display.title == "Ran ls; echo err >&2; exit 3"
    assert re.fullmatch(r"exit 3 · \d+\.\d s · in src", display.summary)
    assert display.detail == "$ ls; echo err >&2; exit 3\nin src\n\na.txt\nerr"
    assert display.form == "output"


async def test_a_command_that_succeeds_silently(running_bench: Bench) -> None:
    output = await running_bench.run(TOOL, command="true")
    assert re.fullmatch(r"exit code 0 · \d+\.\d s", getattr(output.content[0], "text", ""))
    assert not output.failed
    assert re.fullmatch(r"exit 0 · \d+\.\d s", output.display.summary)
    assert output.display.detail == "$ true\nin ."


COMMANDS = [
    "touch hi",
    "echo 'a  b' \"$HOME\"\n# and\n\tmore\n",
    "-rf /",
    "echo é😀\u200b\u202e\x1b[2J\x7f",
    "x" * 30_000,
]


@pytest.mark.parametrize("command", COMMANDS, ids=range(len(COMMANDS)))
async def test_safe_b6_what_was_shown_is_what_runs(
    running_bench: Bench, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listening = tmp_path / "listening"
    listening.write_text(f'#!/bin/sh\nprintf %s "$3" > {tmp_path}/ran\n')
    listening.chmod(0o700)
    monkeypatch.setattr("code_assistant.workspace.commands.running.shell", lambda: Shell(str(listening)))
    await running_bench.run(TOOL, command=command)
    (asked,) = running_bench.approver.requests
    assert isinstance(asked.access, CommandAccess)
    assert asked.access.command == asked.detail == command
    assert (tmp_path / "ran").read_bytes() == asked.detail.encode()


async def test_what_is_asked_names_the_folder(running_bench: Bench) -> None:
    running_bench.write("src/a.txt")
    await running_bench.run(TOOL, command="sleep 0", cwd="src")
    await running_bench.run(TOOL, command="sleep 0", background=True)
    assert running_bench.approver.actions == ["run a command in src", "run a command in the background"]


async def test_a_no_is_a_no(running_bench: Bench) -> None:
    running_bench.approver.allowed = False
    for background, how in ((False, ""), (True, " in the background")):
        with pytest.raises(PermissionDenied, match=rf"may not run a command{how} \(touch x\): the person said no"):
            await running_bench.run(TOOL, command="touch x", background=background)
    assert list(running_bench.root.iterdir()) == []


async def test_plan_mode_runs_nothing_whatever_is_allowed(running_bench: Bench) -> None:
    running_bench.mode, running_bench.allow = "plan", ("Bash",)
    with pytest.raises(PermissionDenied, match="plan mode is on"):
        await running_bench.run(TOOL, command="touch x")
    assert running_bench.approver.requests == []


async def test_safe_p3_a_folder_outside_needs_a_yes_of_its_own(running_bench: Bench) -> None:
    output = await running_bench.run(TOOL, command="ls", cwd="../outside")
    kinds = [type(request.access) for request in running_bench.approver.requests]
    assert kinds == [ReadAccess, CommandAccess]
    assert running_bench.approver.actions[0].startswith("work in ")
    assert "outside the workspace" in running_bench.approver.actions[0]
    assert running_bench.approver.requests[0].detail.splitlines()[1:] == ["to run there: ls"]
    assert "secret.txt" in output.display.detail
    running_bench.approver.allowed = False
    with pytest.raises(PermissionDenied, match="may not work in "):
        await running_bench.run(TOOL, command="ls", cwd="../outside")


@pytest.mark.parametrize("rule", ["Bash(ls)", "Bash"])
async def test_safe_p3_a_rule_for_commands_opens_no_folder(running_bench: Bench, rule: str) -> None:
    running_bench.allow = (rule,)
    running_bench.approver.allowed = False
    await running_bench.run(TOOL, command="ls")
    with pytest.raises(PermissionDenied, match="may not work in "):
        await running_bench.run(TOOL, command="ls", cwd="/")


async def test_a_folder_that_may_not_be_read_may_not_be_worked_in(running_bench: Bench) -> None:
    running_bench.mode, running_bench.deny = "yolo", ("Read(private/)",)
    running_bench.write("private/a.txt")
    with pytest.raises(PermissionDenied, match="the rule"):
        await running_bench.run(TOOL, command="ls", cwd="private")


class Swapper(RecordingPerson):
    """Says yes, and swaps the folder for a link while it is being asked."""

    root: Path

    async def decide(self, request: PermissionRequest) -> Decision:
        if isinstance(request.access, CommandAccess):
            (self.root / "sub").rmdir()
            (self.root / "sub").symlink_to("../outside")
        return await super().decide(request)


async def test_safe_p3_a_folder_swapped_while_the_person_thinks_is_refused(running_bench: Bench) -> None:
    (running_bench.root / "sub").mkdir()
    running_bench.approver = Swapper()
    running_bench.approver.root = running_bench.root
    with pytest.raises(WorkspaceError, match="its folder is no longer what it was"):
        await running_bench.run(TOOL, command="touch swapped", cwd="sub")
    assert not (running_bench.root.parent / "outside" / "swapped").exists()


@pytest.mark.parametrize(
    ("cwd", "words"), [("none", "none does not exist"), ("file", "file is a file, not a folder"), ("a\0b", "NUL")]
)
async def test_a_folder_that_is_none_is_said_before_anybody_is_asked(
    running_bench: Bench, cwd: str, words: str
) -> None:
    running_bench.write("file")
    with pytest.raises(WorkspaceError, match=words):
        await running_bench.run(TOOL, command="true", cwd=cwd)
    assert running_bench.approver.requests == []


@each_row(
    "arguments",
    [
        {},
        {"command": ""},
        {"command": "a\0b"},
        {"command": "\ud800"},
        {"command": "x" * 30_001},
        {"command": "x", "timeout_s": 0},
        {"command": "x", "timeout_s": 3601},
        {"command": "x", "stdin": "y"},
    ],
)
def test_input_that_cannot_be_run_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ExecuteCommandInput.model_validate(arguments)


async def test_a_time_out_is_said_with_what_was_printed(running_bench: Bench) -> None:
    marker = new_marker()
    output = await running_bench.run(TOOL, command=f"echo before; sleep {marker}", timeout_s=1)
    assert processes_with(marker) == []
    lines = getattr(output.content[0], "text", "").splitlines()
    assert lines[:2] == ["before", "The command took longer than 1 s and was ended with everything it had started."]
    assert lines[2].startswith("timed out · ")
    assert output.failed
    assert output.display.summary.startswith("timed out · ")
    assert running_bench.reports == [ENDING_WORDS]


async def test_what_was_left_running_is_said(running_bench: Bench) -> None:
    marker = new_marker()
    output = await running_bench.run(TOOL, command=f"sleep {marker} & echo started")
    assert processes_with(marker) == []
    assert "left running" in getattr(output.content[0], "text", "")
    assert "left running" in output.display.detail
    assert not output.failed


async def test_output_is_shown_while_it_comes(running_bench: Bench, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    running = asyncio.create_task(running_bench.run(TOOL, command=f"echo first; read x < {gate}; echo second"))
    await until(lambda: "first\n" in shown_live(running_bench))
    assert not running.done()
    await say(gate, "\n")
    await running
    assert shown_live(running_bench) == "first\nsecond\n"


async def test_safe_o3_long_output_is_cut_and_can_be_paged(running_bench: Bench) -> None:
    text = await running_bench.text(TOOL, command="seq 100000")
    assert len(text) < 31_000
    assert text.startswith("1\n2\n3\n")
    assert "\n99999\n100000\nexit code 0" in text
    match = re.search(r"characters left out; the whole output is in (\S+), which read_files can page", text)
    assert match is not None
    asked = len(running_bench.approver.requests)
    page = await running_bench.text(ReadFiles(), paths=[f"{match[1]}:54321-54322"])
    assert "54321\t54321\n" in page
    assert "54322\t54322" in page
    # It is ours: nobody is asked.
    assert len(running_bench.approver.requests) == asked


def lines_in(path: str) -> int:
    return Path(path).read_text().count("\n")


async def test_the_detail_for_people_is_bounded_too(running_bench: Bench) -> None:
    output = await running_bench.run(TOOL, command="seq 100000")
    lines = output.display.detail.split("\n")
    assert len(lines) < 300
    assert lines[3:5] == ["1", "2"]
    assert lines[-2:] == ["99999", "100000"]
    (words,) = [line for line in lines if "left out" in line]
    match = re.fullmatch(r"… ([\d,]+) lines left out; the whole output is in (\S+) …", words)
    assert match is not None
    assert int(match[1].replace(",", "")) == 100_000 - sum(line.isdecimal() for line in lines)
    assert lines_in(match[2]) == 100_000


async def test_arguments_that_the_detail_shows_are_named(running_bench: Bench) -> None:
    output = await running_bench.run(TOOL, command="echo hi")
    assert output.display.covers == ("command", "cwd")
    assert output.display.stays == "folded"


async def test_a_cancel_shows_at_once_and_leaves_nothing(running_bench: Bench) -> None:
    marker = new_marker()
    running = asyncio.create_task(
        running_bench.run(TOOL, command=f"trap '' TERM; echo up; (setsid sleep {marker} &); sleep {marker}; sleep 900")
    )
    await until(lambda: "up\n" in shown_live(running_bench))
    running.cancel()
    await until(lambda: running_bench.reports == [ENDING_WORDS])
    await asyncio.wait({running}, timeout=HANG_GUARD)
    assert running.cancelled()
    assert processes_with(marker) == []


async def test_in_the_background_it_returns_an_id(running_bench: Bench) -> None:
    marker = new_marker()
    running_bench.write("src/a.txt")
    output = await running_bench.run(TOOL, command=f"sleep {marker}", background=True, cwd="src")
    assert getattr(output.content[0], "text", "").startswith("Started in the background as command-1.")
    assert output.display.title == f"Started sleep {marker}"
    assert output.display.summary == "command-1 · in src"
    assert output.display.detail == f"$ sleep {marker}\nin src"
    await until(lambda: len(processes_with(marker)) == 1)
    await running_bench.services.commands.close()
    assert processes_with(marker) == []


def test_the_title_while_it_runs_is_one_line() -> None:
    assert TOOL.title(ExecuteCommandInput(command="make\nmake install")) == "Running make …"
