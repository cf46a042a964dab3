"""Until the person has said that they trust a folder, the kernel is asked for nothing of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.hostile_folder import RULES, STRACE, Trace, lay_traps, read_trace, traced
from tests.e2e.program import Program
from tests.e2e.screen.pty_screen import PtyScreen, opened
from tests.e2e.screen.terminal_bytes import unsafe
from tests.e2e.screen.test_prompts import seen_long_enough
from tests.fakes.script import text, turn
from tests.fakes.server import ScriptedServer

needs_strace = pytest.mark.skipif(STRACE is None, reason="strace is not installed")
QUESTION = "This folder is new here"


def answer(screen: PtyScreen, key: str) -> None:
    screen.wait_for(QUESTION)
    screen.press("f8")
    screen.wait_for("┏", "[w Work without trusting it]")
    seen_long_enough(screen)
    screen.press(key)


def run_traced(program: Program, key: str, tmp_path: Path, *arguments: str) -> Trace:
    """To the question, one answer, then to the end; another answer than to quit is followed until all is quiet."""
    log = tmp_path / f"trace-{key}"
    with opened(program, command=[*traced(program, log), *arguments]) as screen:
        # Keys that are typed before are kept, and complete nothing.
        screen.wait_for(QUESTION)
        screen.type("@A")
        screen.wait_draft("@A")
        screen.press("ctrl+c")
        answer(screen, key)
        if key != "q":
            screen.wait_ready()
            screen.wait_gone(QUESTION)
            screen.press("ctrl+d")
        assert screen.finish() == 0
    return read_trace(log, program.folder)


@needs_strace
def test_safe_t1_until_the_answer_nothing_is_opened_started_or_called(program: Program, tmp_path: Path) -> None:
    marker = lay_traps(program.folder)
    program.trusts = False
    trace = run_traced(program, "q", tmp_path)
    assert trace.opened_in(program.folder) == set()
    assert len(trace.started) == 1
    assert trace.called == []
    assert not marker.exists()


@needs_strace
def test_safe_t1_without_trust_nothing_of_it_counts_and_with_it_the_right_things_do(
    program: Program, tmp_path: Path
) -> None:
    marker = lay_traps(program.folder)
    program.trusts = False
    without = run_traced(program, "w", tmp_path, "--continue")
    assert without.opened_in(program.folder) - {".", *RULES} == set()
    # The program itself, and the trial whether there is a sandbox.
    assert {Path(each).name for each in without.started} <= {"code-assistant", "bwrap", "true"}
    assert without.called == []
    trusting = run_traced(program, "t", tmp_path)
    assert {"AGENTS.md", "notes.md", ".git/HEAD", ".code-assistant/config.toml", ".mcp.json"} <= trusting.opened_in(
        program.folder
    )
    never = {".env", ".envrc", "package.json", "sitecustomize.py", "json.py", ".python-version", ".nvmrc"}
    assert not never & trusting.opened_in(program.folder)
    assert not any(str(program.folder) in each for each in trusting.started)
    assert not marker.exists()


def test_the_question_in_a_terminal(program: Program, server: ScriptedServer, tmp_path: Path) -> None:
    """A folder whose name would clear the screen, a narrow terminal; what is kept is not asked again."""
    folder = tmp_path / "sh\x1b[2J\nop"
    program.folder.rename(folder)
    (folder / ".mcp.json").write_text("{}")
    (tmp_path / "link").symlink_to(folder)
    program.folder, program.trusts = tmp_path / "link", False
    server.script_default([turn(text("Done."))])
    with opened(program, size=(40, 24)) as screen:
        answer(screen, "t")
        screen.wait_ready()
        screen.ask("go")
        screen.wait_for("Done.")
        screen.press("ctrl+d")
        assert screen.finish() == 0
        assert unsafe(screen.written) == []
        # Where the name is broken into rows depends on what stands before it.
        assert {"␛", "␊"} <= set(screen.written.decode())
    with opened(program) as screen:
        screen.wait_ready()
        assert QUESTION not in screen.text
        screen.press("ctrl+d")
        assert screen.finish() == 0
