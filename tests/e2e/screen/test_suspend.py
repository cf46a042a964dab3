"""Into the background and back, as the job of a shell."""

from __future__ import annotations

import shlex
import shutil

import pytest

from tests.e2e.program import Program
from tests.e2e.screen.pty_screen import opened
from tests.e2e.screen.terminal_bytes import modes_after
from tests.fakes.script import Gate, hold, text, turn
from tests.fakes.server import ScriptedServer

BASH = shutil.which("bash")


@pytest.mark.skipif(BASH is None, reason="needs bash for its job control")
def test_ctrl_z_suspends_and_fg_brings_the_screen_back(program: Program, server: ScriptedServer) -> None:
    assert BASH is not None
    rest = Gate("rest")
    server.script_default([turn(text("Before."), hold(rest)), turn(text("After."))])
    program.environ |= {"PS1": "SHELL> ", "INPUTRC": "/dev/null", "HISTFILE": ""}
    with opened(program, command=[BASH, "--norc", "--noprofile", "--noediting", "-i"]) as screen:
        screen.wait_for("SHELL>")
        screen.send(f"{shlex.join(program.command)}\n")
        screen.wait_ready()
        screen.ask("go")
        screen.wait_for("Before.")
        screen.send("a draft")
        screen.wait_draft("a draft")
        screen.press("ctrl+z")
        screen.wait(lambda: "Stopped" in screen.after_screen and "SHELL> " in screen.after_screen, "the shell again")
        assert not screen.modes.on & {"1000", "1003", "1006", "1049", "2004"}
        assert "25" in screen.modes.on
        assert screen.is_cooked
        screen.send("echo still $((40 + 2))\n")
        screen.wait(lambda: "still 42" in screen.after_screen, "a shell that works")
        suspended = len(screen.written)
        screen.send("fg\n")
        screen.wait(lambda: "1049" in modes_after(screen.written[suspended:].decode()).on, "the screen is back")
        screen.wait_draft("a draft")
        screen.wait_for("Before.")
        assert screen.rows[0].startswith(" shop")
        assert not screen.is_cooked
        rest.open()
        screen.wait_idle()
        screen.send(" more")
        screen.wait_draft("a draft more")
        screen.press("enter")
        screen.wait_for("After.")
        screen.ask("/quit")
        screen.wait(lambda: screen.after_screen.endswith("SHELL> "), "the shell at the end")
        assert screen.modes.is_restored, screen.modes
        assert screen.is_cooked
        screen.send("exit\n")
        assert screen.finish() == 0
