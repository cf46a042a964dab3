"""The screen opens, shows what is written while it is written, and gives the terminal back however it ends."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from code_assistant.tui.farewell import CUT
from tests.e2e.program import Program
from tests.e2e.screen.command_trees import CommandTrees
from tests.e2e.screen.pty_screen import PtyScreen, opened
from tests.e2e.screen.terminal_bytes import unsafe
from tests.fakes.script import Gate, hold, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD
from tests.unit.workspace.commands.sandbox.world import HAS_BUBBLEWRAP

KEY = "sk-ant-test-0123456789abcdef"


@pytest.fixture
def trees(tmp_path: Path) -> CommandTrees:
    return CommandTrees(tmp_path)


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def quit_by_command(screen: PtyScreen) -> None:
    screen.ask("/quit")


def quit_by_ctrl_c(screen: PtyScreen) -> None:
    screen.press("ctrl+c")
    screen.wait_for("Interrupted.")
    screen.wait_idle()
    screen.press("ctrl+c")
    screen.wait_for("again to quit")
    screen.press("ctrl+c")


def quit_by_ctrl_d(screen: PtyScreen) -> None:
    screen.press("ctrl+d")


def sent(number: signal.Signals) -> Callable[[PtyScreen], None]:
    return lambda screen: screen.signal(number)


def test_what_is_seen_from_the_first_frame_to_the_last(program: Program, server: ScriptedServer) -> None:
    rest = Gate("rest")
    markdown = ["# Rates\n\nIt is **twenty** percent, see `tax.py`.\n\n- first\n", hold(rest), "- second\n\n"]
    server.script_default([turn(text(pieces=[*markdown, "```python\nRATE = 0.2\n```\n"]))])
    with opened(program) as screen:
        screen.wait(lambda: "shop" in screen.status and "ask" in screen.status, "the first frame")
        screen.wait_for("@ files · / commands · ! shell")
        assert {"1049", "1000", "2004"} <= screen.modes.on
        assert "25" in screen.modes.off
        assert not screen.is_cooked
        screen.type("What is the r")
        screen.send("ate?")
        screen.wait_draft("What is the rate?")
        screen.press("enter")
        screen.wait_for("  › What is the rate?", "  • first", "Writing")
        assert screen.draft == ""
        assert "second" not in screen.text
        screen.wait(lambda: screen.modes.title == "● code-assistant", "the title")
        rest.open()
        screen.wait_for("  • second", "RATE = 0.2")
        screen.wait_idle()
        assert "**" not in screen.text
        assert "`" not in screen.text
        assert "# " not in screen.text
        assert screen.is_bold("twenty")
        assert not screen.is_bold("percent")
        screen.wait(lambda: "ctx 0%" in screen.status, "how full the window is")
        screen.wait(lambda: screen.modes.title == "code-assistant", "the title")
        screen.ask("/quit")
        assert screen.finish() == 0
        assert screen.modes.is_restored, screen.modes
        assert screen.is_cooked
    answer = "# Rates\n\nIt is **twenty** percent, see `tax.py`.\n\n- first\n- second\n\n```python\nRATE = 0.2\n```"
    said, _, how = screen.after_screen.rpartition("\n\nGo on with: code-assistant --resume ")
    assert said.endswith(answer)
    assert re.fullmatch(r"[0-9a-f]{8}\n", how)
    assert unsafe(screen.written) == []
    assert [request.body["messages"][-1]["content"][0]["text"] for request in server.requests] == ["What is the rate?"]


@pytest.mark.parametrize(
    ("leave", "code"),
    [
        pytest.param(quit_by_command, 0, id="quit"),
        pytest.param(quit_by_ctrl_c, 0, id="ctrl+c"),
        pytest.param(quit_by_ctrl_d, 0, id="ctrl+d"),
        pytest.param(sent(signal.SIGTERM), 143, id="SIGTERM"),
        pytest.param(sent(signal.SIGHUP), 129, id="SIGHUP"),
        pytest.param(sent(signal.SIGINT), 130, id="SIGINT"),
        pytest.param(sent(signal.SIGQUIT), 131, id="SIGQUIT"),
    ],
)
def test_safe_x5_o1_k1_leaving_restores_the_terminal_and_leaves_nothing_behind(
    program: Program, server: ScriptedServer, trees: CommandTrees, leave: Callable[[PtyScreen], None], code: int
) -> None:
    program.environ["ANTHROPIC_API_KEY"] = KEY
    server.keys = {KEY}
    server.script_default([turn(text(f"I run {KEY}."), *trees.calls(f"echo {KEY}; ")), turn(text("unreachable"))])
    before = names_in(program.folder)
    with opened(program, "--permission-mode", "yolo", "--debug") as screen:
        screen.wait_ready()
        screen.ask("go")
        trees.wait()
        screen.wait_for("I run")
        leave(screen)
        assert screen.finish() == code
        trees.wait_until_gone()
        assert screen.modes.is_restored, screen.modes
        assert screen.is_cooked
    assert names_in(program.folder) == before
    assert "Traceback" not in screen.after_screen
    # What there is of the answer, whoever ended it.
    assert "I run" in screen.after_screen
    assert CUT in screen.after_screen
    assert unsafe(screen.written) == []
    assert KEY.encode() not in screen.written
    files = [each for each in (*program.home.rglob("*"), *program.folder.rglob("*")) if each.is_file()]
    assert any("logs" in each.parts for each in files)
    for file in files:
        assert KEY.encode() not in file.read_bytes(), file


@pytest.mark.parametrize(
    "number",
    [
        *(signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGXCPU),
        *(signal.SIGIO, signal.SIGABRT, signal.SIGPWR),
    ],
    ids=lambda number: number.name,
)
def test_safe_x5_no_signal_that_can_be_heard_of_leaves_the_terminal_to_itself(
    program: Program, number: signal.Signals
) -> None:
    with opened(program) as screen:
        screen.wait_ready()
        screen.signal(number)
        assert screen.finish() == 128 + number
        assert screen.modes.is_restored, screen.modes
        assert screen.is_cooked
    assert "Traceback" not in screen.after_screen


def test_safe_o1_nothing_survives_a_closed_window(
    program: Program, server: ScriptedServer, trees: CommandTrees
) -> None:
    server.script_default([turn(*trees.calls())])
    with opened(program, "--permission-mode", "yolo") as screen:
        screen.wait_ready()
        screen.ask("go")
        trees.wait()
        screen.hang_up()
        assert screen.finish() == 129
        trees.wait_until_gone()


def test_safe_x5_a_terminal_that_goes_without_a_signal_ends_the_program(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    """As the terminal of another program, which is not ours to be told about."""
    program.trust()
    terminal, ours = pty.openpty()
    environ = {"TERM": "xterm-256color", **program.environ}
    process = subprocess.Popen(
        program.command, stdin=ours, stdout=ours, stderr=ours, env=environ, cwd=program.folder, start_new_session=True
    )
    os.close(ours)
    shown = b""
    while b"claude-" not in shown:
        shown += os.read(terminal, 65536)
    os.close(terminal)
    assert process.wait(HANG_GUARD) == 129


FAULTY = """
import code_assistant.tui.{module} as module
whole = module.{name}
def faulty(self, *arguments):
    if {when}:
        secret = {secret!r}
        raise RuntimeError("the test broke it " + secret + chr(27) + "]52;c;aGk=")
    return whole(self, *arguments)
module.{name} = faulty
from code_assistant.__main__ import main
main()
"""


def faulty_program(module: str, name: str, when: str) -> list[str]:
    """The program with a fault in it, and the key at hand."""
    return [sys.executable, "-c", FAULTY.format(module=module, name=name, when=when, secret=KEY)]


@pytest.mark.parametrize(
    ("module", "name", "when", "has_sandbox"),
    [
        pytest.param("app", "CodeAssistantApp.action_details", "True", HAS_BUBBLEWRAP, id="an action"),
        pytest.param(
            *("main_screen", "MainScreen.show", "self.view.is_mounted and arguments[0].queue", False),
            id="a paint, without a sandbox",
        ),
    ],
)
def test_safe_x5_o1_k1_a_crash_restores_the_terminal_too(
    program: Program,
    server: ScriptedServer,
    trees: CommandTrees,
    module: str,
    name: str,
    when: str,
    has_sandbox: bool,
) -> None:
    program.environ["ANTHROPIC_API_KEY"] = KEY
    server.keys = {KEY}
    server.script_default([turn(*trees.calls()), turn(text("unreachable"))])
    command = [*faulty_program(module, name, when), "--permission-mode", "yolo"]
    with opened(program, command=command if has_sandbox else [*command, "--no-sandbox"]) as screen:
        screen.wait_ready()
        screen.ask("go")
        trees.wait(has_sandbox=has_sandbox)
        screen.ask("this waits")
        screen.press("ctrl+o")
        assert screen.finish() == 1
        trees.wait_until_gone()
        assert screen.modes.is_restored, screen.modes
        assert screen.is_cooked
    assert "the test broke it" in screen.after_screen
    assert unsafe(screen.written) == []
    assert KEY.encode() not in screen.written


def test_a_fault_behind_the_screen_is_told_and_a_new_conversation_works(
    program: Program, server: ScriptedServer
) -> None:
    program.environ["ANTHROPIC_API_KEY"] = KEY
    server.keys = {KEY}
    server.script_default([turn(text("Hello.")), turn(text("Hello again."))])
    command = faulty_program("bridge", "Bridge._take_response", "'go' in str(self._transcript.blocks)")
    with opened(program, command=command) as screen:
        screen.wait_ready()
        screen.ask("go")
        screen.wait_for("a fault of the program", "the test broke it")
        screen.wait_idle()
        screen.ask("This stays.")
        screen.wait(lambda: screen.text.count("a fault of the program") == 2, "told again")
        screen.wait_draft("This stays.")
        screen.press("ctrl+c")
        screen.wait_draft("")
        screen.ask("/new")
        screen.wait_gone("a fault of the program")
        screen.ask("hi")
        screen.wait_for("Hello")
        screen.ask("/quit")
        assert screen.finish() == 0
    assert unsafe(screen.written) == []
    assert KEY.encode() not in screen.written


def test_enter_that_was_typed_before_the_program_is_there_sends(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("Good morning."))])
    with opened(program) as screen:
        assert screen.is_cooked
        screen.send("hello\r")
        screen.wait_for("Good morning.")
        assert screen.draft == ""
        screen.press("ctrl+d")
        assert screen.finish() == 0
    assert server.requests[0].body["messages"][-1]["content"][0]["text"] == "hello"
