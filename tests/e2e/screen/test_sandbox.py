"""The sandbox in a real terminal: what is in force is said, and nothing lives or lies around after a kill."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from code_assistant.workspace.commands.sandbox.detection import find_bubblewrap
from tests.e2e.program import Program
from tests.e2e.screen.command_trees import CommandTrees
from tests.e2e.screen.pty_screen import opened
from tests.fakes.script import call, text, turn
from tests.fakes.server import ScriptedServer
from tests.processes import wait_until
from tests.unit.workspace.commands.sandbox.world import HAS_BUBBLEWRAP, needs_bubblewrap, needs_landlock


@needs_bubblewrap
def test_safe_s4_the_status_line_says_which_sandbox_there_is(program: Program) -> None:
    with opened(program) as screen:
        screen.wait(lambda: "ask · bwrap" in screen.status, "the sandbox")
        assert "sandbox" not in screen.text
        screen.signal(signal.SIGTERM)
        screen.finish()


@needs_bubblewrap
@needs_landlock
def test_safe_s4_with_bubblewrap_hidden_it_is_landlock(program: Program) -> None:
    bubblewrap = find_bubblewrap() or ""
    hiding = [bubblewrap, "--dev-bind", "/", "/", "--ro-bind", os.devnull, bubblewrap, "--"]
    with opened(program, command=[*hiding, *program.command]) as screen:
        screen.wait(lambda: "ask · landlock" in screen.status, "the sandbox")
        screen.ask("/quit")
        assert screen.finish() == 0


def test_safe_s4_without_one_it_is_said_at_the_start_and_in_the_status_line(program: Program) -> None:
    with opened(program, "--no-sandbox") as screen:
        screen.wait(lambda: "ask · no sandbox" in screen.status, "the sandbox")
        screen.wait_for("NO SANDBOX, as you wished")
        screen.ask("/quit")
        assert screen.finish() == 0


@pytest.mark.parametrize("more", [(), ("--no-sandbox",)], ids=["sandbox", "without"])
def test_safe_o1_nothing_is_left_when_the_program_is_killed(
    program: Program, server: ScriptedServer, tmp_path: Path, more: tuple[str, ...]
) -> None:
    trees = CommandTrees(tmp_path)
    server.script_default([turn(*trees.calls())])
    before = sorted(each.name for each in program.folder.iterdir())
    with opened(program, "--permission-mode", "yolo", *more) as screen:
        screen.wait_ready()
        screen.ask("go")
        trees.wait(has_sandbox=HAS_BUBBLEWRAP and not more)
        screen.signal(signal.SIGKILL)
        assert screen.finish() == -signal.SIGKILL
        trees.wait_until_gone()
    wait_until(lambda: sorted(each.name for each in program.folder.iterdir()) == before)


@needs_bubblewrap
def test_sub_c1_c2_a_reader_has_commands_that_change_nothing(program: Program, server: ScriptedServer) -> None:
    spawn = call("spawn_agent", {"instructions": "look", "agent": "explore"})
    attack = "touch evil; echo x > tax.py; cat tax.py; touch /tmp/x && echo scratch"
    server.script("look", [turn(call("execute_command", {"command": attack})), turn(text("Looked."))])
    server.script_default([turn(spawn), turn(text("Done."))])
    before = {each.name: each.read_bytes() for each in program.folder.iterdir()}
    done = program.run("-p", "go", "--permission-mode", "yolo")
    assert done.out == "Done.\n"
    first, second = (each for each in server.requests if each.conversation == "look")
    offered = {tool["name"] for tool in first.body["tools"]}
    assert {"execute_command", "command_output", "stop_command"} <= offered
    assert not offered & {"edit", "write_file", "delete_files"}
    told = str(second.body["messages"][-1])
    assert "RATE = 0.2" in told
    assert "scratch" in told
    assert {each.name: each.read_bytes() for each in program.folder.iterdir()} == before
