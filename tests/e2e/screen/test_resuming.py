"""The program is killed in a real terminal, and taken up again: nothing runs on, and nothing is lost."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest

from tests.e2e.program import Program
from tests.e2e.screen.pty_screen import PtyScreen, opened
from tests.e2e.screen.requests import results, words
from tests.e2e.screen.terminal_bytes import unsafe
from tests.fakes.script import Block, Gate, call, hold, text, turn
from tests.fakes.server import ScriptedServer
from tests.processes import new_marker, wait_until_gone


def spawn(task: str, **more: str) -> Block:
    fields = {"instructions": f"the {task} task", "description": f"Do {task}", **more}
    return call("spawn_agent", fields, id=f"call_{task}")


def row_of(screen: PtyScreen, name: str) -> str:
    return next((row for row in screen.rows if name in row), "")


def go_on(screen: PtyScreen, server: ScriptedServer, sent: int) -> None:
    """Nothing begins anew by itself, and no prompt waits; then the conversation goes on."""
    screen.wait_ready()
    assert len(server.requests) == sent
    assert "approval waiting" not in screen.text
    server.script_default([turn(text("I go on."))])
    screen.ask("And now?")
    screen.wait_for("I go on.")


def test_safe_r2_a_kill_loses_nothing_and_the_conversation_goes_on(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    silence = Gate("silence")
    server.script("the quick task", [turn(text("The quick one is found."))])
    server.script(
        "the slow task",
        [turn(call("read_files", {"paths": ["tax.py"]})), turn(text(pieces=["Half a word, ", hold(silence)]))],
    )
    server.script("the asking task", [turn(call("web_fetch", {"url": "https://example.org/tax"}))])
    server.script_default([turn(text("I ask three."), spawn("quick"), spawn("slow"), spawn("asking"))])
    with opened(program, size=(120, 40)) as screen:
        screen.wait_ready()
        screen.ask("go")
        screen.wait(lambda: "✓" in row_of(screen, "Do quick"), "the quick one has ended")
        screen.wait_for("Half a word,", "1 approval waiting (f8)")
        screen.signal(signal.SIGKILL)
        assert screen.finish() == -signal.SIGKILL
    sent = len(server.requests)
    with opened(program, "--continue", size=(120, 40)) as screen:
        screen.wait_for("I ask three.", "Do quick", "Do slow", "Do asking", "Interrupted.")
        screen.wait(lambda: "✓" in row_of(screen, "Do quick"), "the quick one is what it was")
        for task in ("slow", "asking"):
            screen.wait(lambda name=f"Do {task}": "interrupted" in row_of(screen, name), f"{task} is interrupted")
        go_on(screen, server, sent)
        screen.wait_idle()
        screen.press("ctrl+d")
        assert screen.finish() == 0
        assert "--resume" in screen.after_screen
    assert server.problems == []
    told = [words(each) for each in results(server)]
    assert told[0] == "The quick one is found."
    assert told[1].startswith("Sub-agent ended: interrupted.")
    assert "Half a word," in told[1]
    assert told[2].startswith("Sub-agent ended: interrupted.")
    assert unsafe(screen.written) == []


def test_safe_r2_a_kill_while_a_command_runs(program: Program, server: ScriptedServer, tmp_path: Path) -> None:
    started, marker = tmp_path / "started", new_marker()
    os.mkfifo(started)
    command = f"echo first line; (setsid sleep {marker} &); echo up > {started}; sleep {marker}1"
    server.script_default([turn(text("I run it."), call("execute_command", {"command": command}, id="call_run"))])
    with opened(program, "--permission-mode", "yolo") as screen:
        screen.wait_ready()
        screen.ask("go")
        assert started.read_text() == "up\n"
        screen.wait_for("first line")
        screen.signal(signal.SIGKILL)
        screen.finish()
        wait_until_gone(marker)
    with opened(program, "--continue") as screen:
        screen.wait_for("I run it.", "Interrupted.")
        screen.wait_ready()
        server.script_default([turn(text("I go on."))])
        screen.ask("And now?")
        screen.wait_for("I go on.")
        screen.press("ctrl+d")
        assert screen.finish() == 0
    assert server.problems == []
    (told,) = [words(each) for each in results(server)]
    assert "the program ended while it ran" in told


@pytest.mark.parametrize("seed", range(3))
def test_safe_r2_killed_at_some_moment_while_children_write_and_ask(
    program: Program, server: ScriptedServer, seed: int
) -> None:
    """The moment is so many bytes on the terminal, which goes on being painted as long as anybody works."""
    silence = Gate("silence")
    pieces = [f"piece {number}, " for number in range(40)]
    server.script("the quick task", [turn(text("The quick one is found."))])
    server.script("the slow task", [turn(text(pieces=[*pieces, hold(silence)]))])
    server.script("the asking task", [turn(call("web_fetch", {"url": "https://example.org/tax"}))])
    server.script_default([turn(text("I ask three."), spawn("quick"), spawn("slow"), spawn("asking"))])
    with opened(program, size=(120, 40)) as screen:
        screen.wait_ready()
        enough = len(screen.written) + random.Random(seed).randint(2_000, 60_000)
        screen.ask("go")
        screen.wait(lambda: len(screen.written) >= enough, "so much was painted")
        screen.signal(signal.SIGKILL)
        screen.finish()
    sent = len(server.requests)
    with opened(program, "--continue", size=(120, 40)) as screen:
        screen.wait_for("Interrupted.")
        go_on(screen, server, sent)
        screen.press("ctrl+d")
        assert screen.finish() == 0
    assert server.problems == []
