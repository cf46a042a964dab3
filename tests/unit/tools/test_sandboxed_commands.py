"""execute_command and the sandbox: what is asked, what runs where, and what an agent that works read-only can do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from code_assistant.errors import ToolError
from code_assistant.messages import Text
from code_assistant.permissions.access import CommandAccess
from code_assistant.sandbox_kind import SandboxKind
from code_assistant.tools.builtin import builtin_tools
from code_assistant.tools.command_output import CommandOutput
from code_assistant.tools.confined_commands import with_confined_commands
from code_assistant.tools.execute_command import ExecuteCommand
from code_assistant.tools.tool import ToolOutput
from code_assistant.workspace.commands.sandbox import sandbox as sandboxes
from code_assistant.workspace.commands.sandbox.sandbox import Grounds, Sandbox
from code_assistant.workspace.commands.sandbox_words import MAYBE, MAYBE_READ_ONLY, NOT_SET_UP
from code_assistant.workspace.spill import SpillFolder
from tests.unit.tools.support import Bench
from tests.unit.workspace.commands.sandbox.world import needs_bubblewrap

TOOL = ExecuteCommand()


@pytest.fixture
def sandbox(running_bench: Bench, tmp_path: Path) -> Sandbox:
    state = tmp_path.parent / f"{tmp_path.name}-state"
    made = Sandbox(
        Grounds((running_bench.root.resolve(),), Path.home()),
        SpillFolder(state / "scratch" / "1"),
        state / "stand-ins",
    )
    running_bench.__dict__["services"] = replace(running_bench.services, sandbox=made)
    return made


def words(output: ToolOutput) -> str:
    return "".join(part.text for part in output.content if isinstance(part, Text))


def asked(bench: Bench) -> list[bool]:
    return [each.access.leaves_sandbox for each in bench.approver.requests if isinstance(each.access, CommandAccess)]


@needs_bubblewrap
async def test_safe_s1_a_command_runs_between_walls_and_is_told_of_them(running_bench: Bench, sandbox: Sandbox) -> None:
    output = await running_bench.run(TOOL, command="touch here && touch /etc/evil")
    assert output.failed
    assert MAYBE in words(output)
    assert (running_bench.root / "here").exists()
    assert MAYBE not in words(await running_bench.run(TOOL, command="echo Permission denied"))
    assert MAYBE not in words(await running_bench.run(TOOL, command="exit 1"))
    # That which only says something is not asked.
    assert asked(running_bench) == [False] * 2
    await sandbox.close()


@needs_bubblewrap
async def test_a_command_can_ask_to_leave(running_bench: Bench, sandbox: Sandbox, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    output = await running_bench.run(TOOL, command=f"echo x > {outside} && echo $TMPDIR.", outside_sandbox=True)
    assert not output.failed
    assert outside.exists()
    assert asked(running_bench) == [True]
    assert running_bench.approver.actions == ["run a command OUTSIDE of the sandbox"]
    await sandbox.close()


@needs_bubblewrap
async def test_safe_s1_a_reader_cannot_write_or_leave(running_bench: Bench, sandbox: Sandbox) -> None:
    running_bench.__dict__["services"] = replace(running_bench.services, is_read_only=True)
    output = await running_bench.run(TOOL, command="echo x > evil; touch evil")
    assert MAYBE_READ_ONLY in words(output)
    with pytest.raises(ToolError, match="cannot leave"):
        await running_bench.run(TOOL, command="touch evil", outside_sandbox=True)
    assert not (running_bench.root / "evil").exists()
    await sandbox.close()


@pytest.mark.parametrize("kind", ["landlock", "none"])
async def test_safe_s1_a_reader_has_no_commands_without_bubblewrap(
    running_bench: Bench, sandbox: Sandbox, kind: SandboxKind
) -> None:
    """Checked when it is called, too, whoever has offered it."""
    sandbox.kind = kind
    running_bench.__dict__["services"] = replace(running_bench.services, is_read_only=True)
    with pytest.raises(ToolError, match="read-only"):
        await running_bench.run(TOOL, command="touch evil")
    assert asked(running_bench) == []


async def test_safe_s4_without_a_sandbox_leaving_is_no_other_question(
    running_bench: Bench, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandboxes, "find_bubblewrap", lambda: None)
    monkeypatch.setattr(sandboxes, "landlock_works", lambda: False)
    output = await running_bench.run(TOOL, command="cat /missing; echo Permission denied; false", outside_sandbox=True)
    assert asked(running_bench) == [False]
    assert MAYBE not in words(output)
    assert sandbox.kind == "none"
    await sandbox.close()


@needs_bubblewrap
async def test_safe_s4_a_sandbox_that_breaks_is_said(running_bench: Bench, sandbox: Sandbox, tmp_path: Path) -> None:
    await sandbox.find_out()
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n")
    broken.chmod(0o755)
    sandbox._start = (str(broken),)  # pyright: ignore[reportPrivateUsage]
    assert NOT_SET_UP in words(await running_bench.run(TOOL, command="touch evil"))
    assert not (running_bench.root / "evil").exists()
    await sandbox.close()


@needs_bubblewrap
async def test_a_command_in_the_background_is_told_of_the_walls(running_bench: Bench, sandbox: Sandbox) -> None:
    await running_bench.run(TOOL, command="touch /etc/evil", background=True)
    output = await running_bench.run(CommandOutput(), id="command-1", wait_s=60)
    while "running" in output.display.summary:
        output = await running_bench.run(CommandOutput(), id="command-1", wait_s=60)
    assert "exit code 1" in words(output)
    await sandbox.close()


def test_sub_c1_commands_for_readers_only_under_bubblewrap() -> None:
    commands = {"execute_command", "command_output", "stop_command"}
    for kind in ("bubblewrap", "landlock", "none", None):
        tools = with_confined_commands(builtin_tools(), kind)
        offered = {tool.name for tool in tools.offered("sub_agent_read_only")}
        assert offered & commands == (commands if kind == "bubblewrap" else set())
    confined = with_confined_commands(builtin_tools(), "bubblewrap")
    assert not commands & {tool.name for tool in confined.offered("main")}
    schema = confined.find("execute_command", "sub_agent_read_only").input_schema
    assert "outside_sandbox" not in schema["properties"]
    without = with_confined_commands(builtin_tools().narrowed(lambda name: name == "read_files"), "bubblewrap")
    assert [tool.name for tool in without.offered("sub_agent_read_only")] == ["read_files"]
