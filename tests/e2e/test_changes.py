"""The program changes things: what runs, what is denied and said, and that nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from code_assistant.checkpoints.checkpoints import Checkpoints
from tests.e2e.program import Program
from tests.fakes.script import Gate, call, hold, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD
from tests.processes import wait_until_gone, wait_until_there
from tests.unit.checkpoints.support import anywhere
from tests.unit.workspace.commands.sandbox.world import needs_bubblewrap

EDIT = {"path": "tax.py", "edits": [{"old_text": "0.2", "new_text": "0.19"}]}


def told(server: ScriptedServer, request: int = 1) -> list[dict[str, Any]]:
    """The tool results that came with a request."""
    content = server.requests[request].body["messages"][-1]["content"]
    return [block for block in content if block["type"] == "tool_result"]


def words(result: dict[str, Any]) -> str:
    return "".join(part["text"] for part in result["content"])


def test_accepted_edits_are_made(program: Program, server: ScriptedServer) -> None:
    making = call("write_file", {"path": "new/notes.md", "content": "# Notes\n"})
    server.script_default([turn(call("edit", EDIT), making), turn(text("Done."))])
    done = program.run("-p", "go", "--permission-mode", "accept-edits")
    assert (done.code, done.out, done.err) == (0, "Done.\n", "")
    assert (program.folder / "tax.py").read_text().startswith("RATE = 0.19\n")
    assert (program.folder / "new" / "notes.md").read_text() == "# Notes\n"
    assert [result.get("is_error", False) for result in told(server)] == [False, False]


def test_safe_e5_what_was_changed_is_kept_privately_and_can_be_taken_back(
    program: Program, server: ScriptedServer
) -> None:
    before = (program.folder / "tax.py").read_bytes()
    server.script_default([turn(call("edit", EDIT)), turn(text("Done."))])
    done = program.run("-p", "go", "--permission-mode", "accept-edits", "--output-format", "json")
    session_id = json.loads(done.out)["session_id"]
    (journal,) = program.home.rglob("files.jsonl")
    assert journal.parts[-4:-1] == ("sessions", session_id, "checkpoints")
    assert all(each.stat().st_mode & 0o077 == 0 for each in (journal, *list(journal.parents)[:4]))
    assert Checkpoints(journal.parent, is_inside=anywhere).undo().changed == (program.folder.resolve() / "tax.py",)
    assert (program.folder / "tax.py").read_bytes() == before


def test_deleting_and_running_still_ask_when_edits_are_accepted(program: Program, server: ScriptedServer) -> None:
    deleting, running = call("delete_files", {"paths": ["tax.py"]}), call("execute_command", {"command": "touch x"})
    server.script_default([turn(deleting, running), turn(text("I may not."))])
    done = program.run("-p", "go", "--permission-mode", "accept-edits")
    assert (done.code, done.out) == (4, "I may not.\n")
    assert "delete_files may not delete tax.py: nobody is there" in done.err
    assert "execute_command may not run a command (touch x): nobody is there" in done.err
    assert sorted(each.name for each in program.folder.iterdir()) == ["README.md", "tax.py"]


@needs_bubblewrap
def test_no_rule_is_advised_where_none_would_help(program: Program, server: ScriptedServer) -> None:
    leaving = call("execute_command", {"command": "touch x", "outside_sandbox": True})
    server.script_default([turn(leaving), turn(text("I may not."))])
    done = program.run("-p", "go", "--allow", "Bash")
    assert "no rule lets a command out of the sandbox" in done.err
    assert "--allow allows" not in done.err
    assert not (program.folder / "x").exists()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("edit", EDIT),
        ("write_file", {"path": "new.md", "content": "x"}),
        ("delete_files", {"paths": ["tax.py"]}),
        ("execute_command", {"command": "touch new.md"}),
        ("web_fetch", {"url": "https://example.org/"}),
    ],
)
def test_in_mode_ask_nothing_is_changed_and_the_model_goes_on(
    program: Program, server: ScriptedServer, tool: str, arguments: dict[str, Any]
) -> None:
    before = {each.name: each.read_bytes() for each in program.folder.iterdir()}
    reading = call("read_files", {"paths": ["README.md"]})
    server.script_default([turn(call(tool, arguments)), turn(reading), turn(text("I read it instead."))])
    done = program.run("-p", "go")
    assert (done.code, done.out) == (0, "I read it instead.\n")
    assert f"{tool} may not" in done.err
    (denied,) = told(server)
    assert denied["is_error"] is True
    assert "Permission denied" in words(denied)
    assert "nobody is there" in words(denied)
    assert {each.name: each.read_bytes() for each in program.folder.iterdir()} == before


def test_commands_are_allowed_by_rule_or_because_they_only_read(program: Program, server: ScriptedServer) -> None:
    lines = ("touch one", "mkdir -p a | tail -1", "echo hi && ls", "touch two", "rm one", "touch one && rm one")
    commands = [call("execute_command", {"command": line}) for line in lines]
    server.script_default([turn(*commands), turn(text("ok"))])
    done = program.run("-p", "go", "--allow", "Bash(touch one)", "--allow", "Bash(mkdir:*)", "--deny", "Bash(rm:*)")
    assert [result["is_error"] for result in told(server)] == [False, False, False, True, True, True]
    assert "asked because" in done.err
    assert "the rule Bash(rm:*) denies it" in done.err


def test_git_that_reads_needs_no_rule_beside_what_rules_allow(program: Program, server: ScriptedServer) -> None:
    for line in (["init", "-q"], ["add", "."], ["-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "x"]):
        subprocess.run(["git", *line], cwd=program.folder, check=True, env=program.environ)
    lines = ("touch one && git status -s", "touch one && git config a.b c && git status -s")
    commands = [call("execute_command", {"command": line}) for line in lines]
    server.script_default([turn(*commands), turn(text("ok"))])
    done = program.run("-p", "go", "--allow", "Bash(touch one)", "--allow", "Bash(git config:*)")
    first, second = told(server)
    assert (first["is_error"], second["is_error"]) == (False, True)
    assert "?? one" in words(first)
    assert "no rule allows git status -s" in done.err


def test_rules_of_files_count_and_bad_ones_are_told(program: Program, server: ScriptedServer) -> None:
    own = program.home / ".config/code-assistant"
    own.mkdir(parents=True, exist_ok=True)
    (own / "config.toml").write_text('[permissions]\nallow = ["Bash(touch one)"]\ndeny = ["Bsh(x)"]\n')
    (program.folder / ".claude").mkdir()
    foreign = {"permissions": {"allow": ["Bash(touch two)"], "deny": ["Bash(touch three)"], "defaultMode": "yolo"}}
    (program.folder / ".claude/settings.json").write_text(json.dumps(foreign))
    lines = ("touch one", "touch two", "touch three")
    commands = [call("execute_command", {"command": line}) for line in lines]
    program.trusts = False
    # What is not trusted is not even given commands.
    for trust, expected in (((), [True, True, True]), (("--trust",), [False, False, True])):
        server.script_default([turn(*commands), turn(text("ok"))])
        done = program.run("-p", "go", *trust)
        assert [result["is_error"] for result in told(server, -1)] == expected
        assert "config.toml, deny: 'Bsh(x)'" in done.err
        assert "NOTHING IS DENIED BY IT" in done.err
        assert ("this project is not trusted" in done.err) is (not trust)


def test_a_denied_path_is_not_read_searched_listed_or_changed(program: Program, server: ScriptedServer) -> None:
    (program.folder / ".env").write_text("TOKEN=sesame\n")
    (program.folder / "link").symlink_to(".env")
    calls = [
        call("read_files", {"paths": [".env"]}),
        call("read_files", {"paths": ["link"]}),
        call("edit", {"path": ".env", "edits": [{"old_text": "sesame", "new_text": "x"}]}),
        call("write_file", {"path": "link", "content": "x"}),
        call("delete_files", {"paths": [".env"]}),
        call("search_files", {"pattern": "sesame"}),
        call("list_files", {}),
        call("glob_files", {"pattern": "**"}),
    ]
    server.script_default([turn(*calls), turn(text("ok"))])
    program.run("-p", "go", "--permission-mode", "yolo", "--deny", "Read(.env)")
    results = told(server)
    assert [result.get("is_error", False) for result in results] == [True] * 5 + [False] * 3
    for result in results[:5]:
        assert "the rule Read(.env) denies it" in words(result)
    for result in results:
        assert "TOKEN" not in words(result)
    assert (program.folder / ".env").read_text() == "TOKEN=sesame\n"


def test_plan_mode_changes_nothing_and_says_how_it_ends(program: Program, server: ScriptedServer) -> None:
    changing = [call("edit", EDIT), call("execute_command", {"command": "touch x"})]
    server.script_default([turn(*changing, call("present_plan", {"plan": "1. edit"})), turn(text("1. edit"))])
    done = program.run("-p", "go", "--permission-mode", "plan", "--allow", "Edit", "--allow", "Bash")
    assert done.out == "1. edit\n"
    assert "Plan mode is on" in server.requests[0].body["messages"][0]["content"][-1]["text"]
    edited, ran, presented = told(server)
    for result in (edited, ran):
        assert "plan mode is on, in which nothing is changed" in words(result)
    assert "Give the whole plan as your answer" in words(presented)
    assert (program.folder / "tax.py").read_text().startswith("RATE = 0.2\n")
    assert not (program.folder / "x").exists()


def test_a_question_without_a_person(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(call("ask_user", {"question": "Which?"})), turn(text("I assumed both."))])
    done = program.run("-p", "go")
    assert (done.code, done.out) == (0, "I assumed both.\n")
    assert "Nobody is there to answer" in words(told(server)[0])


def test_safe_s5_k1_commands_see_no_key_and_no_file_keeps_one(program: Program, server: ScriptedServer) -> None:
    key = "sk-ant-test-0123456789"
    program.environ |= {
        "ANTHROPIC_API_KEY": key,
        "BRAVE_API_KEY": "brave-0123456789",
        "OPENAI_API_KEY": "x",
        "LC_NOTE": f"brave-0123456789 and {key}",
        "FOO": "1",
    }
    server.keys = {key}
    # Also from the memory of all that are above: what may be read there must not get any further.
    above = "p=$PPID; while [ $p -gt 1 ]; do tr '\\0' '\\n' < /proc/$p/environ; p=$(cut -d' ' -f4 /proc/$p/stat); done"
    environment = call("execute_command", {"command": "env; cat /proc/$PPID/environ | tr '\\0' '\\n'"})
    prying = call("execute_command", {"command": f"{above}; seq 200000"})
    server.script_default([turn(environment, prying), turn(text(f"The key is {key}."))])
    done = program.run("-p", "go", "--permission-mode", "yolo", "--debug")
    assert done.code == 0
    output, pried = map(words, told(server))
    assert "PATH=" in output
    for name in ("ANTHROPIC", "BRAVE", "OPENAI", "LC_NOTE", "FOO", key, "brave-0123456789"):
        assert name not in output
    for secret in (key, "brave-0123456789"):
        assert secret not in pried
    assert key not in done.out + done.err
    for file in (*program.home.rglob("*"), *program.folder.rglob("*")):
        if file.is_file():
            content = file.read_bytes()
            assert key.encode() not in content, file
            assert b"brave-0123456789" not in content, file


def test_long_output_can_be_paged_with_read_files(program: Program, server: ScriptedServer) -> None:
    server.script_default(
        [turn(call("execute_command", {"command": "seq 1000000"})), turn(hold(gate := Gate("page"))), turn(text("ok"))]
    )
    with program.started("-p", "go", "--permission-mode", "yolo") as process:
        gate.wait_reached()
        output = words(told(server)[0])
        (spill,) = (program.home / ".local/state/code-assistant/spill").rglob("*.txt")
        assert str(spill) in output
        assert spill.read_text() == "".join(f"{number}\n" for number in range(1, 1_000_001))
        assert [each.stat().st_mode & 0o777 for each in (spill, spill.parent, spill.parent.parent)] == [
            0o600,
            0o700,
            0o700,
        ]
        gate.open()
        process.communicate(timeout=HANG_GUARD)
    assert not spill.exists()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_safe_o1_no_process_survives(
    program: Program, server: ScriptedServer, tmp_path: Path, sent: signal.Signals
) -> None:
    """A command with a child, a child in its own session, and a double fork, in front and in the background."""
    started = tmp_path / "started"
    os.mkfifo(started)
    marker = f"86{os.getpid()}{int(sent)}"
    tree = f"(setsid sleep {marker} &) ; sleep {marker}1 & setsid sh -c 'sleep {marker}2; true' & "
    commands = [
        call("execute_command", {"command": f"{tree} trap '' TERM; sleep {marker}3", "background": True}),
        call("execute_command", {"command": f"{tree} echo up > {started}; sleep {marker}4"}),
    ]
    server.script_default([turn(*commands), turn(text("unreachable"))])
    with program.started("-p", "go", "--permission-mode", "yolo") as process:
        assert started.read_text() == "up\n"
        wait_until_there(marker, 6)
        process.send_signal(sent)
        process.wait(timeout=HANG_GUARD)
        wait_until_gone(marker)
        assert process.returncode == (130 if sent != signal.SIGKILL else -signal.SIGKILL)


def test_safe_x1_b6_hostile_output_and_names_reach_the_terminal_as_stand_ins(
    program: Program, server: ScriptedServer
) -> None:
    from tests.e2e.test_terminal import HOSTILE, unsafe

    hostile = HOSTILE.replace("\x00", "")
    printing = call("execute_command", {"command": f"printf '{hostile}\\n'; exit 3"})
    making = call("write_file", {"path": f"new{hostile.replace('/', '')}.md", "content": hostile})
    denied = call("delete_files", {"paths": [f"x{hostile.replace('/', '')}"]})
    server.script_default([turn(printing, making, denied), turn(text("Done."))])
    program.environ |= {"NO_COLOR": "1"}
    with program.in_terminal("-p", "go", "--allow", "Edit", "--allow", "Bash", "--deny", "delete_files") as terminal:
        assert terminal.finish() == 4
    assert unsafe(terminal.written) == []
    assert "␛[2J".encode() in terminal.written


def test_the_tool_line_of_a_command_says_how_it_ended(program: Program, server: ScriptedServer) -> None:
    server.script_default(
        [turn(call("execute_command", {"command": "false"}), call("edit", EDIT)), turn(text("Done."))]
    )
    program.environ |= {"NO_COLOR": "1"}
    with program.in_terminal("-p", "go", "--permission-mode", "yolo") as terminal:
        assert terminal.finish() == 0
    shown = terminal.written.decode()
    assert "Ran false · exit 1 · " in shown
    assert "Edited tax.py · +1 \N{MINUS SIGN}1" in shown
