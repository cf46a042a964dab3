"""--record and --replay as a person uses them: a run is kept in a file, and repeats without network or key."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.e2e.program import Program
from tests.fakes.script import call, status, text, turn
from tests.fakes.server import ScriptedServer

NOWHERE = "http://127.0.0.1:1"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def offline(program: Program) -> None:
    """No server, no key, and no way to either."""
    del program.environ["ANTHROPIC_API_KEY"]
    program.environ["ANTHROPIC_BASE_URL"] = NOWHERE


def test_a_run_repeats_without_network_or_key(program: Program, server: ScriptedServer, file: Path) -> None:
    server.script_default([turn(call("read_files", {"paths": ["tax.py"]})), turn(text("The rate is 0.2."))])
    arguments = ("-p", "What is the rate?", "--output-format", "json")
    before = program.run(*arguments, "-m", "haiku", "--record", str(file))
    assert before.code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "test-key-1" not in file.read_text()
    asked = len(server.requests)
    offline(program)
    after = program.run(*arguments, "--replay", str(file))
    assert (after.code, after.err) == (0, "")
    assert len(server.requests) == asked == 2
    (first,), (second,) = before.lines, after.lines
    own = {"session_id", "uuid", "duration_ms", "duration_api_ms"}
    assert {key: value for key, value in second.items() if key not in own} == {
        key: value for key, value in first.items() if key not in own
    }
    assert second["result"] == "The rate is 0.2."
    streamed = program.run("-p", "What is the rate?", "--output-format", "stream-json", "--replay", str(file))
    assert streamed.lines[0]["model"] == "claude-haiku-5-5"


def test_what_sub_agents_did_repeats(program: Program, server: ScriptedServer, file: Path) -> None:
    for number in range(3):
        read = turn(call("read_files", {"paths": ["tax.py"]}))
        server.script(f"look {number}", [read, turn(text(f"Seen {number}."))])
    spawns = turn(*(call("spawn_agent", {"instructions": f"look {number}"}) for number in range(3)))
    server.script_default([spawns, turn(text("All seen."))])
    assert program.run("-p", "go", "--record", str(file)).out == "All seen.\n"
    offline(program)
    again = program.run("-p", "go", "--replay", str(file), "--output-format", "json")
    assert again.code == 0
    assert again.lines[0]["result"] == "All seen."
    assert again.lines[0]["tree_usage"]["input_tokens"] == 800


def test_a_refused_key_is_refused_again(program: Program, server: ScriptedServer, file: Path) -> None:
    server.script_default([status(401, "authentication_error", "invalid x-api-key")])
    before = program.run("-p", "hi", "--record", str(file))
    offline(program)
    after = program.run("-p", "hi", "--replay", str(file))
    assert before.code == after.code == 3
    assert after.err == before.err


def test_a_key_in_what_is_said_is_not_in_the_file(program: Program, server: ScriptedServer, file: Path) -> None:
    server.script_default([turn(text(pieces=["It is test", "-key-1."]))])
    assert program.run("-p", "Say test-key-1", "--record", str(file)).code == 0
    assert "test-key-1" not in file.read_text()
    again = program.run("-p", "Say test-key-1", "--replay", str(file))
    assert (again.code, again.out) == (0, "It is [key removed].\n")


def test_another_question_is_not_in_the_recording(program: Program, server: ScriptedServer, file: Path) -> None:
    server.script_default([turn(text("Hello."))])
    assert program.run("-p", "hi", "--record", str(file)).code == 0
    again = program.run("-p", "What else?", "--replay", str(file))
    assert again.code == 1
    assert "has no answer to request 1 of a conversation with claude-sonnet-5-5 that begins 'What else?'" in again.err
    assert len(server.requests) == 1


def test_a_damaged_end_is_told(program: Program, server: ScriptedServer, file: Path) -> None:
    server.script_default([turn(text("Hello."))])
    assert program.run("-p", "hi", "--record", str(file)).code == 0
    with file.open("a") as opened:
        opened.write('{"type":"Delta')
    again = program.run("-p", "hi", "--replay", str(file))
    assert (again.code, again.out) == (0, "Hello.\n")
    assert "is damaged after line" in again.err


def test_what_cannot_be_recorded_or_replayed(program: Program, server: ScriptedServer, file: Path) -> None:
    file.write_text("precious")
    for arguments, words in (
        (("--record", str(file)), "is there already and is not written over"),
        (("--record", str(file.parent / "none" / "run")), "No such file or directory"),
        (("--replay", str(file)), "is not a recording"),
        (("--replay", str(file.parent / "none")), "There is no recording"),
        (("--replay", str(file), "--record", str(file)), "do not go together"),
        (("--replay", str(file), "-m", "haiku"), "the model is the recorded one"),
        (("--record", ""), "take the name of a file"),
        (("--record", "~nobody-has-this-name/run"), "a user that there is not"),
        (("--record",), "expected one argument"),
    ):
        done = program.run("-p", "hi", *arguments)
        assert (done.code, done.out) == (2, ""), arguments
        assert words in done.err
    assert file.read_text() == "precious"
    assert server.requests == []
