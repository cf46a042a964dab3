"""While it works: stopping, queueing, commands of the person's own, and what is done when a turn fails."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.e2e.program import Program
from tests.e2e.screen.pty_screen import opened
from tests.e2e.screen.requests import prompts
from tests.e2e.screen.terminal_bytes import unsafe
from tests.fakes.script import Gate, call, cut, hold, status, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD
from tests.processes import new_marker, wait_until_gone, wait_until_there
from tests.tui.app.harness import NOBODY, write_models

WAITING = "1 approval waiting (f8)"


def test_escape_stops_the_innermost_thing_only(program: Program, server: ScriptedServer, tmp_path: Path) -> None:
    started, marker = tmp_path / "started", new_marker()
    os.mkfifo(started)
    silence, prompt = Gate("silence"), Gate("prompt")
    tree = program.folder / "tree"
    tree.write_text(f"#!/bin/sh\n(setsid sleep {marker} &)\necho up > {started}\nexec sleep {marker}1\n")
    tree.chmod(0o755)
    running = {"command": "./tree"}
    server.script_default(
        [
            turn(text(pieces=["So far", hold(silence)])),
            turn(call("execute_command", running)),
            turn(call("write_file", {"path": "asked.txt", "content": "x"})),
            turn(text("Back again."), hold(prompt)),
        ]
    )
    with opened(program, "--allow", "Bash") as screen:
        screen.wait_ready()
        # Nothing is worked on: nothing happens, and the draft stays.
        screen.type("a draft")
        screen.press("escape")
        screen.send("!")
        screen.wait_draft("a draft!")
        assert server.requests == []
        assert "Interrupted" not in screen.text
        screen.press("ctrl+c")
        screen.wait_draft("")
        # While text streams, with the key as old terminals send it.
        screen.ask("one")
        screen.wait_for("So far")
        screen.press("bare escape")
        screen.wait_for("Interrupted.")
        screen.wait_idle()
        assert server.requests[0].wait_closed(HANG_GUARD)
        assert "So far" in screen.text
        # While a command runs: its processes are gone.
        screen.ask("two")
        assert started.read_text() == "up\n"
        wait_until_there(marker, 2)
        screen.wait_for("◐ Running")
        screen.press("escape")
        screen.wait(lambda: screen.text.count("Interrupted.") == 2, "interrupted again")
        screen.wait_idle()
        wait_until_gone(marker)
        # In a prompt: it is hidden and still waits. Once more: the turn ends, and with it the prompt.
        screen.ask("three")
        screen.wait_for(WAITING)
        screen.press("f8")
        screen.wait_for("┏")
        screen.press("escape")
        screen.wait_gone("Allow once")
        assert WAITING in screen.text
        assert len(server.requests) == 3
        # What is open above the composer goes first.
        screen.send("/mod")
        screen.wait_for("choose the model")
        screen.press("escape")
        screen.wait_gone("choose the model")
        assert screen.draft == "/mod"
        assert WAITING in screen.text
        screen.press("escape")
        screen.wait(lambda: screen.text.count("Interrupted.") == 3, "interrupted once more")
        screen.wait_idle()
        screen.wait(lambda: "approval" not in screen.activity, "nothing waits")
        assert screen.draft == "/mod"
        screen.press("ctrl+c", "f8")
        screen.ask("four")
        screen.wait_for("Back again.")
        assert len(server.requests) == 4
        assert not (program.folder / "asked.txt").exists()
        screen.press("ctrl+d")
        assert screen.finish() == 0
    assert server.problems == []
    assert prompts(server)[0].endswith("one")


def test_what_is_sent_while_it_works_waits_and_can_be_taken_back(program: Program, server: ScriptedServer) -> None:
    rest = Gate("rest")
    server.script_default([turn(text("First.")), turn(text("Begun."), hold(rest)), turn(text("Then four."))])
    with opened(program) as screen:
        # Sent before there is a session: it waits for that, too.
        screen.ask("zero")
        screen.wait_for("First.")
        screen.wait_idle()
        screen.ask("one")
        screen.wait_for("Begun.")
        for words in ("two", "three"):
            screen.ask(words)
            screen.wait_draft("")
        screen.wait_for("queued · up takes them back")
        screen.wait(lambda: any(row.strip().endswith("three") for row in screen.rows), "both of them")
        screen.press("up")
        screen.wait_draft("two\nthree")
        screen.wait_gone("queued")
        screen.press("ctrl+c")
        screen.wait_draft("")
        screen.ask("four")
        screen.wait_for("queued")
        rest.open()
        screen.wait_for("Then four.")
        screen.wait_idle()
        screen.wait_gone("queued")
        # What was sent before is found again.
        screen.press("up")
        screen.wait_draft("four")
        screen.press("up", "up", "up")
        screen.wait_draft("one")
    assert prompts(server) == ["zero", "one", "four"]
    assert server.problems == []


def test_a_command_of_the_persons_own(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("I know."))])
    with opened(program) as screen:
        screen.wait_ready()
        screen.ask("!echo hi; exit 3")
        screen.wait_for("Ran echo hi; exit 3  exit 3")
        screen.wait_idle()
        assert server.requests == []
        screen.ask("What was that?")
        screen.wait_for("I know.")
    told = "\n".join(prompts(server))
    assert "$ echo hi; exit 3\nhi\n" in told
    assert told.endswith("What was that?")


def test_a_failed_turn_can_be_tried_again(program: Program, server: ScriptedServer) -> None:
    busy = status(529, "overloaded_error", "\x1b]52;c;aGk=\x07[/foo]\u202e busy", {"retry-after": "30"})
    server.script_default(
        [
            busy,
            turn(text("Half an answer"), cut()),
            turn(text("I look."), call("read_files", {"paths": ["tax.py"]})),
            status(400, "invalid_request_error", "no [@click=app.quit]good[/]"),
            turn(text("At last.")),
            turn(text("Fine.")),
        ]
    )
    with opened(program) as screen:
        screen.wait_ready()
        screen.ask("Do it.")
        screen.wait_for("busy", "Press Enter")
        screen.wait_idle()
        assert screen.draft == ""
        screen.press("enter")
        screen.wait_for("Half an answer", "The connection broke")
        screen.wait_idle()
        screen.press("enter")
        screen.wait_for("I look.", "no [@click=app.quit]good[/]")
        screen.wait_idle()
        screen.press("enter")
        screen.wait_for("At last.")
        screen.wait_idle()
        assert screen.text.count("› Do it.") == 1
        # Nothing failed any more: Enter alone does nothing.
        screen.press("enter")
        screen.ask("And now?")
        screen.wait_for("Fine.")
    said = [[each["role"] for each in request.body["messages"]] for request in server.requests]
    asked, looked = ["user"], ["user", "assistant", "user"]
    assert said == [asked, asked, asked, looked, looked, [*looked, "assistant", "user"]]
    assert [prompts(server, number) for number in range(5)] == [["Do it."]] * 5
    assert prompts(server) == ["Do it.", "And now?"]
    assert server.problems == []
    assert unsafe(screen.written) == []


def test_without_a_key_the_explorer_works(program: Program, server: ScriptedServer) -> None:
    """A new machine: the first screen, the suggested prompt, sub-agents, an answer with references, all for real."""
    del program.environ["ANTHROPIC_API_KEY"]
    write_models(program.home, NOBODY)
    (program.folder / "README.md").write_text("# Shop\n\nA shop that computes taxes.\n")
    for name in ("docs", "shop", "tests"):
        (program.folder / name).mkdir()
        for number in range(4):
            (program.folder / name / f"part{number}.py").write_text(f"def {name}_{number}():\n    return {number}\n")
    with opened(program) as screen:
        screen.wait_for("how to begin?", "Explore offline", "Anthropic key")
        screen.press("enter")
        screen.wait_draft("Give me an overview of this code base")
        screen.press("enter")
        screen.wait_for("offline explorer (no language model)", "README.md:")
        screen.wait_idle()
        screen.ask("where is shop_2 defined?")
        screen.wait_for("shop/part2.py:1")
        screen.signal(signal.SIGTERM)
        assert screen.finish() == 143
    assert server.requests == []


def test_a_key_that_is_entered_is_nowhere_on_the_terminal(program: Program, server: ScriptedServer) -> None:
    del program.environ["ANTHROPIC_API_KEY"]
    write_models(program.home, NOBODY)
    key = "sk-entered-here-0123456789"
    server.keys = {key}
    server.script_default([turn(text(f"I know {key}."))])
    with opened(program) as screen:
        screen.wait_for("how to begin?")
        screen.send("anthropic")
        screen.wait_for("› anthropic")
        screen.press("enter")
        screen.wait_for("Key for Anthropic")
        screen.send(key)
        screen.wait_for(f"{len(key)} characters")
        screen.press("enter")
        screen.wait_for("The key is kept in", "claude-sonnet-5-5")
        screen.ask("Do you?")
        screen.wait_for("I know [key removed].")
        screen.signal(signal.SIGTERM)
        assert screen.finish() == 143
        assert key.encode() not in screen.written
    assert server.requests[-1].headers["authorization"] == f"Bearer {key}"


def test_settings_that_are_not_right_are_told(program: Program, server: ScriptedServer) -> None:
    folder = program.home / ".config" / "code-assistant"
    (folder / "themes").mkdir(parents=True)
    (folder / "config.toml").write_text('modle = "x\\u001b]52;c;aGk="\n[keys]\ndetails = "ctrl+y"\n')
    (folder / "themes" / "broken\x1b[31m.toml").write_text("name = [")
    (program.folder / ".code-assistant").mkdir()
    (program.folder / ".code-assistant" / "config.toml").write_text('[anthropic]\nbase_url = "http://evil.example"\n')
    server.script_default([turn(call("read_files", {"paths": ["tax.py"]})), turn(text("Done."))])
    with opened(program) as screen:
        screen.wait_for("modle", "model", "base_url", "broken")
        screen.wait_ready()
        screen.ask("go")
        screen.wait_for("Done.")
        screen.wait_idle()
        # A key of the person's own.
        screen.press("ctrl+y")
        screen.wait_for("RATE = 0.2")
    assert unsafe(screen.written) == []
    (folder / "config.toml").write_text("limits = 3\n")
    done = program.run("-p", "go")
    assert done.code == 2
    with opened(program) as screen:
        assert screen.finish() == 2
        assert "limits" in screen.text
        assert screen.is_cooked
