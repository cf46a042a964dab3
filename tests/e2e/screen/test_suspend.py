"""Into the background and back, as the job of a shell."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from code_assistant.tui.terminal import TITLES
from tests.e2e.program import Program
from tests.e2e.screen.pty_screen import opened
from tests.e2e.screen.terminal_bytes import modes_after
from tests.fakes.script import Gate, call, hold, text, turn
from tests.fakes.server import ScriptedServer

BASH = shutil.which("bash")


def titles(written: bytes) -> list[str]:
    return re.findall(r"\x1b\]2;([^\x1b]*)\x1b\\", written.decode(errors="replace"))


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
        # The title was given back before, and not only now that nobody takes it.
        before = screen.written.decode(errors="replace").rpartition("\x1b[?1049l")[0]
        assert before.rpartition("\x1b]2;")[2].startswith("\x1b\\")
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
        screen.wait(lambda: titles(screen.written[suspended:])[-1:] == [TITLES["working"]], "the title is back")
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


@pytest.mark.skipif(BASH is None, reason="needs bash for its job control")
def test_safe_r10_a_key_typed_behind_fg_answers_no_prompt(program: Program, server: ScriptedServer) -> None:
    assert BASH is not None
    server.script_default([turn(call("execute_command", {"command": "touch made.txt"})), turn(text("Done."))])
    program.environ |= {"PS1": "SHELL> ", "INPUTRC": "/dev/null", "HISTFILE": ""}
    with opened(program, command=[BASH, "--norc", "--noprofile", "--noediting", "-i"]) as screen:
        screen.wait_for("SHELL>")
        screen.send(f"{shlex.join(program.command)}\n")
        screen.wait_ready()
        screen.ask("go")
        screen.wait_for("┏", "[y Allow once]")
        screen.press("ctrl+z")
        screen.wait(lambda: "Stopped" in screen.after_screen and "SHELL> " in screen.after_screen, "the shell again")
        screen.send("fg\n")
        # Typed while the shell is bringing it back, and read as soon as it is back.
        screen.wait(
            lambda: "code-assistant" in screen.after_screen.rpartition("fg")[2] or "1049" in screen.modes.on, "fg"
        )
        screen.send("y")
        screen.wait_draft("y")
        assert not (program.folder / "made.txt").exists()
        screen.wait_for("wants to run", "f8")
        screen.press("backspace")
        screen.wait_draft("")
        screen.press("ctrl+d")
        screen.wait(lambda: screen.after_screen.endswith("SHELL> "), "the shell at the end")
        screen.send("exit\n")
        screen.finish()
        assert not (program.folder / "made.txt").exists()


def test_safe_b4_k1_the_editor_is_the_persons_and_gets_no_key_and_has_the_title_to_itself(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    rest = Gate("rest")
    server.script_default([turn(text("Begun."), hold(rest))])
    signals = program.home / "signals"
    os.mkfifo(signals)
    editor, cache, inside = tmp_path / "tools" / "pen", tmp_path / "cache" / "pen", program.folder / "bin" / "pen"
    script = f'#!/bin/sh\nenv > {program.home}/seen\necho in the editor\nread go < {signals}\nprintf edited > "$1"\n'
    for file, content in ((editor, script), (cache, "#!/bin/sh\n"), (inside, "#!/bin/sh\n")):
        file.parent.mkdir()
        file.write_text(content)
        file.chmod(0o755)
    program.environ |= {
        "EDITOR": "pen",
        "PATH": f"{inside.parent}:{cache.parent}:{editor.parent}:{program.environ['PATH']}",
        "CODE_ASSISTANT_SANDBOX__WRITABLE": str(cache.parent),
        "OTHER": "has test-key-1 in it",
    }
    with opened(program) as screen:
        screen.wait_ready()
        screen.ask("go")
        screen.wait_for("Begun.")
        screen.press("ctrl+g")
        screen.wait(lambda: "in the editor" in screen.after_screen, "the editor")
        assert titles(screen.written)[-1] == ""
        seen = (program.home / "seen").read_text()
        assert f"PATH={program.environ['PATH']}\n" in seen
        assert "test-key-1" not in seen
        rest.open()
        assert server.requests[0].wait_finished()
        before = len(screen.written)
        signals.write_text("go\n")
        screen.wait_draft("edited")
        screen.wait(lambda: titles(screen.written[before:])[-1:] == [TITLES["idle"]], "the title is back")
        screen.press("ctrl+c")
        screen.wait_draft("")
        screen.press("ctrl+d")
        assert screen.finish() == 0
