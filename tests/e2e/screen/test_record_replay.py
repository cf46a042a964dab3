"""--record and --replay with the screen: what was seen can be seen again, without network or key."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.program import Program
from tests.e2e.screen.pty_screen import opened
from tests.fakes.script import call, text, turn
from tests.fakes.server import ScriptedServer


def test_a_session_repeats_on_the_screen(program: Program, server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default(
        [turn(call("read_files", {"paths": ["tax.py"]})), turn(text("The rate is 0.2.")), turn(text("Bye."))]
    )
    file = tmp_path / "run.jsonl"

    def talk(*arguments: str) -> None:
        with opened(program, *arguments) as screen:
            screen.wait_ready()
            screen.ask("What is the rate?")
            screen.wait_for("tax.py", "The rate is 0.2.")
            screen.wait_idle()
            screen.ask("thanks")
            screen.wait_for("Bye.")
            screen.wait_idle()
            assert "haiku" in screen.status
            screen.ask("/quit")
            assert screen.finish() == 0

    talk("--record", str(file), "-m", "haiku")
    assert len(server.requests) == 3
    del program.environ["ANTHROPIC_API_KEY"]
    program.environ["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:1"
    talk("--replay", str(file))
    assert len(server.requests) == 3


def test_a_file_that_cannot_be_used_is_told_before_the_screen(program: Program, tmp_path: Path) -> None:
    with opened(program, "--replay", str(tmp_path / "none")) as screen:
        assert screen.finish() == 2
        assert "There is no recording" in screen.written.decode()
        assert b"\x1b[?1049h" not in screen.written
