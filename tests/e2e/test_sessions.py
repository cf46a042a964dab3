"""Going on with an earlier conversation without a screen, and what happens when it cannot be kept or opened."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from code_assistant.session.index import list_sessions
from tests.e2e.program import Finished, Program
from tests.fakes.script import Gate, call, hold, text, turn
from tests.fakes.server import LoggedRequest, ScriptedServer
from tests.hang_guard import HANG_GUARD


def _can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode == 0


needs_mounts = pytest.mark.skipif(not _can_mount(), reason="a file system of one's own cannot be mounted here")
NOT_KEPT = "This conversation is not being kept whole any more: "


def sessions(program: Program) -> Path:
    return program.home / ".local" / "state" / "code-assistant" / "sessions"


def asked(program: Program, *arguments: str) -> Finished:
    done = program.run(*arguments, "--output-format", "json")
    assert done.code == 0, done.err
    return done


def session_of(done: Finished) -> str:
    return done.lines[-1]["session_id"]


def spoken(request: LoggedRequest) -> list[tuple[str, str]]:
    """Who said what, tool calls and results included."""
    return [(message["role"], _words(block)) for message in request.body["messages"] for block in message["content"]]


def _words(block: dict[str, Any]) -> str:
    match block["type"]:
        case "text":
            return block["text"]
        case "tool_use":
            return f"call {block['name']}"
        case _:
            return f"result {json.dumps(block.get('content'))}"


def script(server: ScriptedServer) -> None:
    looks = turn(text("I look."), call("read_files", {"paths": ["tax.py"]}))
    server.script_default([looks, turn(text("It is 0.2.")), turn(text("Yes.")), turn(text("Still."))])


def check_carried(server: ScriptedServer, *later: tuple[str, str]) -> None:
    said = spoken(server.requests[-1])
    assert said[:3] == [("user", "what rate?"), ("assistant", "I look."), ("assistant", "call read_files")]
    assert "RATE = 0.2" in said[3][1]
    assert said[4:] == [("assistant", "It is 0.2."), *later]
    assert server.problems == []


def test_safe_r1_continue_goes_on_with_the_last_conversation_of_the_folder(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    script(server)
    first = asked(program, "-p", "what rate?")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    server.script("other", [turn(text("No."))])
    asked(program, "-p", "other folder", str(elsewhere))
    second = asked(program, "--continue", "-p", "sure?")
    assert second.lines[-1]["result"] == "Yes."
    check_carried(server, ("user", "sure?"))
    third = asked(program, "--continue", "-p", "and now?")
    check_carried(server, ("user", "sure?"), ("assistant", "Yes."), ("user", "and now?"))
    assert session_of(first) == session_of(second) == session_of(third)
    assert len(list_sessions(sessions(program))) == 2


def test_safe_r1_resume_takes_the_beginning_of_an_id(program: Program, server: ScriptedServer) -> None:
    script(server)
    session_id = session_of(asked(program, "-p", "what rate?"))
    done = asked(program, "--resume", session_id[:8].upper(), "-p", "sure?")
    assert session_of(done) == session_id
    check_carried(server, ("user", "sure?"))


def test_a_fork_goes_on_in_a_copy(program: Program, server: ScriptedServer) -> None:
    script(server)
    session_id = session_of(asked(program, "-p", "what rate?"))
    before = (sessions(program) / session_id / "session.jsonl").read_bytes()
    done = asked(program, "--resume", session_id, "--fork", "-p", "sure?")
    assert session_of(done) != session_id
    check_carried(server, ("user", "sure?"))
    assert (sessions(program) / session_id / "session.jsonl").read_bytes() == before
    asked(program, "--resume", session_id, "-p", "and?")
    check_carried(server, ("user", "and?"))


def test_ids_that_mean_nothing_or_too_much(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("ok"))])
    session_id = session_of(asked(program, "-p", "hi"))
    other = session_id[:-1] + ("0" if session_id[-1] != "0" else "1")
    shutil.copytree(sessions(program) / session_id, sessions(program) / other)
    path = sessions(program) / other / "session.jsonl"
    path.write_text(path.read_text().replace(session_id, other))
    requests = len(server.requests)
    for arguments, words in [
        (("--resume", session_id[:8]), f"2 sessions begin with '{session_id[:8]}'. Write more of the id."),
        (("--resume", "0000-1"), "There is no session '0000-1'."),
        (("--resume", "00000000-0000-4000-8000-000000000000"), "There is no session"),
        (("--continue", str(program.home)), "No conversation was held in"),
    ]:
        done = program.run(*arguments, "-p", "hi")
        assert (done.code, done.out) == (2, ""), done.err
        assert words in done.err
        assert done.err.count("\n") == 1
    assert len(server.requests) == requests


def test_safe_r11_a_session_that_is_open_elsewhere(program: Program, server: ScriptedServer) -> None:
    gate = Gate("answer")
    server.script_default([turn(text("One."), hold(gate)), turn(text("Two."))])
    with program.started("-p", "go", "--output-format", "stream-json") as process:
        gate.wait_reached()
        assert process.stdout is not None
        session_id = json.loads(process.stdout.readline())["session_id"]
        refused = program.run("--resume", session_id, "-p", "more")
        assert refused.code == 2
        assert f"open in another program (process {process.pid})" in refused.err
        assert f"code-assistant --resume {session_id} --fork" in refused.err
        as_json = program.run("--continue", "-p", "more", "--output-format", "json")
        assert (as_json.code, as_json.lines[-1]["is_error"]) == (2, True)
        # A copy can be gone on with meanwhile: of it nothing is under way.
        copied = asked(program, "--resume", session_id, "--fork", "-p", "more")
        assert copied.lines[-1]["result"] == "Two."
        gate.open()
        process.communicate(timeout=HANG_GUARD)
    assert process.returncode == 0
    assert server.problems == []


def test_safe_r2_a_damaged_file_is_mended_and_said(program: Program, server: ScriptedServer) -> None:
    script(server)
    session_id = session_of(asked(program, "-p", "what rate?"))
    path = sessions(program) / session_id / "session.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b'"type":"ToolResultsAdded"' in line)
    damaged = b"".join([*lines[:at], b"\0" * 100 + b"\n", *lines[at + 1 :]])
    path.write_bytes(damaged)
    done = program.run("--continue", "-p", "sure?")
    assert (done.code, done.out) == (0, "Yes.\n")
    assert "1 damaged line was left out of this session; the file as it was is kept at " in done.err
    (kept,) = path.parent.glob("*.kept")
    assert kept.read_bytes() == damaged
    assert "was lost" in spoken(server.requests[-1])[3][1]
    assert server.problems == []


def test_a_session_of_a_later_version_is_left_alone(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("ok"))])
    session_id = session_of(asked(program, "-p", "hi"))
    path = sessions(program) / session_id / "session.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"version":2', b'"version":3', 1))
    before = path.read_bytes()
    done = program.run("--resume", session_id, "-p", "hi")
    assert done.code == 2
    assert path.read_bytes() == before


def test_safe_k2_all_is_private_whatever_the_umask(program: Program, server: ScriptedServer) -> None:
    spawn = call("spawn_agent", {"instructions": "look", "agent": "explore"}, id="c1")
    server.script("look", [turn(text("Seen."))])
    server.script_default([turn(spawn), turn(text("ok"))])
    done = program.shell("umask 000; code-assistant -p hi")
    assert (done.code, done.out) == (0, "ok\n")
    state = program.home / ".local" / "state" / "code-assistant"
    found = list(sessions(program).rglob("*"))
    assert {"session.jsonl", "c1.jsonl", "lock"} <= {path.name for path in found}
    for path in (state, sessions(program), *found):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_safe_k2_a_key_is_not_in_the_session(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("Your key is test-key-1, isn't it?"))])
    asked(program, "-p", "my key is test-key-1")
    (path,) = sessions(program).glob("*/session.jsonl")
    assert b"test-key-1" not in path.read_bytes()


def test_safe_k2_links_in_the_place_of_sessions_are_refused(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    server.script_default([turn(text("ok"))] * 3)
    session_id = session_of(asked(program, "-p", "hi"))
    elsewhere = tmp_path / "moved"
    (sessions(program) / session_id).rename(elsewhere)
    (sessions(program) / session_id).symlink_to(elsewhere)
    before = (elsewhere / "session.jsonl").read_bytes()
    assert program.run("--resume", session_id, "-p", "hi").code == 2
    (sessions(program) / session_id).unlink()
    elsewhere.rename(sessions(program) / session_id)
    whole = tmp_path / "whole"
    sessions(program).rename(whole)
    sessions(program).symlink_to(whole)
    refused = program.run("--continue", "-p", "hi")
    assert refused.code == 2
    assert "symlink" in refused.err
    fresh = program.run("-p", "hi")
    assert (fresh.code, fresh.out) == (0, "ok\n")
    assert fresh.err.count(NOT_KEPT) == 1
    assert (whole / session_id / "session.jsonl").read_bytes() == before
    assert [path.name for path in whole.glob("*-*")] == [session_id]


def children_script(server: ScriptedServer, rounds: int = 1) -> None:
    """Three sub-agents that read, and a long answer."""
    for number in range(3):
        reads = turn(text("Reading."), call("read_files", {"paths": ["tax.py"]}))
        server.script(f"look {number}", [reads, turn(text(f"Seen {number}. " * 200))] * rounds)
    spawns = [call("spawn_agent", {"instructions": f"look {number}"}, id=f"c{number}") for number in range(3)]
    server.script_default([turn(*spawns), turn(text("All seen. " * 500)), turn(text("Yes."))])


def check_one_warning(done: Finished, reason: str) -> None:
    assert (done.code, done.out) == (0, "All seen. " * 500 + "\n"), done.err
    assert done.err.count(NOT_KEPT) == 1, done.err
    assert f"{NOT_KEPT}{reason}. It goes on" in done.err


@pytest.mark.parametrize("blocks", [0, 4, 24])
def test_safe_r12_a_file_that_may_not_grow_costs_one_warning(
    program: Program, server: ScriptedServer, blocks: int
) -> None:
    children_script(server)
    check_one_warning(program.shell(f"ulimit -f {blocks}; code-assistant -p go"), "File too large")
    for path in sessions(program).rglob("*.jsonl"):
        for line in path.read_bytes().splitlines(keepends=True)[:-1]:
            json.loads(line)
    if blocks >= 4:
        # What there is of it can be gone on with.
        done = program.run("--continue", "-p", "more")
        assert done.code == 0, done.err
    assert server.problems == []


@needs_mounts
@pytest.mark.parametrize("size", ["16k", "32k"])
def test_safe_r12_a_full_disk_costs_one_warning(program: Program, server: ScriptedServer, size: str) -> None:
    children_script(server)
    state = program.home / ".local"
    state.mkdir()
    program_line = f"mount -t tmpfs -o size={size} tmpfs {shlex.quote(str(state))} && code-assistant --trust -p go"
    check_one_warning(program.shell(f"unshare -rm sh -c {shlex.quote(program_line)}"), "No space left on device")


@needs_mounts
def test_safe_r12_a_home_that_is_only_read_costs_one_warning(program: Program, server: ScriptedServer) -> None:
    children_script(server)
    home = shlex.quote(str(program.home))
    line = f"mount --bind {home} {home} && mount -o remount,ro,bind {home} && code-assistant -p go"
    done = program.shell(f"unshare -rm sh -c {shlex.quote(line)}")
    assert (done.code, done.out) == (0, "All seen. " * 500 + "\n"), done.err
    assert done.err.count(NOT_KEPT) == 1
    assert "Read-only file system" in done.err


HAMMER = """
import sys
from pathlib import Path
from code_assistant.events import MAIN, PromptStarted
from code_assistant.messages import Message, Text
from code_assistant.secrets import Masker
from code_assistant.session.store import SessionStore
folder, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = SessionStore(folder, Masker(()))
own = {}
print("ready", flush=True)
sys.stdin.readline()
for number in range(count):
    files = store.new(Path("/" + name), None)
    for prompt in range(3):
        files.main.write(PromptStarted(MAIN, f"p{prompt}", Message("user", (Text(f"{name} {number}"),))))
        own[files.header.id] = f"{name} {number}"
        listed = {each.id: each.title for each in store.list()}
        assert own.items() <= listed.items(), (own, listed)
    files.close()
    if number % 5 == 4:
        store.delete(files.header.id)
        del own[files.header.id]
print(len(own), flush=True)
"""


def test_safe_r11_two_programs_at_one_store_lose_and_mix_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "sessions"
    commands = [[sys.executable, "-c", HAMMER, str(folder), name, "25"] for name in ("one", "two")]
    running = [subprocess.Popen(each, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for each in commands]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    assert [process.communicate(timeout=HANG_GUARD)[0] for process in running] == [b"20\n", b"20\n"]
    assert [process.returncode for process in running] == [0, 0]
    listed = list_sessions(folder)
    assert sorted(each.title for each in listed) == sorted(
        f"{name} {number}" for name in ("one", "two") for number in range(25) if number % 5 != 4
    )
    assert all(each.folder == "/" + each.title.split()[0] for each in listed)
    json.loads((folder / "index.json").read_bytes())
    assert not list(folder.glob("index.json.*"))


def test_without_a_prompt_nothing_is_left(program: Program) -> None:
    del program.environ["ANTHROPIC_API_KEY"]
    assert program.run("-p", "hi").code == 3
    assert not sessions(program).exists()


def test_a_name_that_is_no_id_never_reaches_the_disk(program: Program) -> None:
    program.trusts = False
    done = program.run("--resume", "../../etc", "-p", "hi")
    assert done.code == 2
    assert re.search("no id of a session", done.err)
    assert not os.path.lexists(program.home / ".local")
