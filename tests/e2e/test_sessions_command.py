"""`code-assistant sessions` as a person runs it, on sessions that the program itself has written."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.program import Program
from tests.fakes.script import Gate, call, hold, text, turn
from tests.fakes.server import ScriptedServer

DAY = 86400


def held(program: Program, server: ScriptedServer, prompt: str = "Where is the tax?", answer: str = "Here.") -> str:
    """One conversation; gives the id of its session."""
    before = {each["id"] for each in listed(program, "--all")}
    server.script_default([turn(text(answer))])
    assert program.run("-p", prompt).code == 0
    (found,) = {each["id"] for each in listed(program, "--all")} - before
    return found


def held_with_agents(program: Program, server: ScriptedServer) -> str:
    server.script("look 1", [turn(call("read_files", {"paths": ["tax.py"]}, id="r1")), turn(text("Seen the *rate*."))])
    server.script("look 2", [turn(text("Größe unbekannt."))])
    spawns = [call("spawn_agent", {"instructions": f"look {number}"}, id=f"c{number}") for number in (1, 2)]
    server.script_default([turn(*spawns), turn(text("Both seen."))])
    assert program.run("-p", "go").code == 0
    return listed(program)[0]["id"]


def listed(program: Program, *more: str) -> list[dict[str, Any]]:
    done = program.run("sessions", "list", "--json", *more)
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def folder_of(program: Program, session_id: str) -> Path:
    return program.home / ".local" / "state" / "code-assistant" / "sessions" / session_id


def make_old(program: Program, session_id: str, days: float) -> None:
    path = folder_of(program, session_id) / "session.jsonl"
    moment = path.stat().st_mtime - days * DAY
    os.utime(path, (moment, moment))


def test_nothing_was_said_yet(program: Program) -> None:
    program.trusts = False
    done = program.run("sessions")
    assert (done.code, done.err) == (0, "")
    assert done.out == "There are no sessions in this folder; --all lists those of all folders.\n"
    assert program.run("sessions", "--json").out == "[]\n"
    assert list(program.home.iterdir()) == []


def test_those_of_this_folder_or_of_all(program: Program, server: ScriptedServer, tmp_path: Path) -> None:
    here = held(program, server)
    other = tmp_path / "other"
    other.mkdir()
    server.script_default([turn(text("There."))])
    assert program.run("-p", "Somewhere \x1b[31melse", folder=other).code == 0
    assert [each["id"] for each in listed(program)] == [here]
    assert [each["title"] for each in listed(program, "--all")] == ["Somewhere \x1b[31melse", "Where is the tax?"]
    shown = program.run("sessions").out
    assert (shown[:8], shown.rstrip()[-17:]) == (here[:8], "Where is the tax?")
    everywhere = program.run("sessions", "--all").out
    assert str(other) in everywhere
    assert "Somewhere ␛[31melse" in everywhere


def test_a_copy_is_told_from_its_original(program: Program, server: ScriptedServer) -> None:
    original = held(program, server)
    server.script_default([turn(text("Again."))])
    assert program.run("--resume", original, "--fork", "-p", "And now?").code == 0
    lines = program.run("sessions").out.splitlines()
    assert len(lines) == 2
    assert [line.endswith("  (copy)") for line in lines] == [not line.startswith(original[:8]) for line in lines]
    assert {each["id"] == original: each["is_copy"] for each in listed(program)} == {True: False, False: True}


def test_damaged_ids_cost_no_more_than_themselves(program: Program, server: ScriptedServer) -> None:
    session_id = held_with_agents(program, server)
    path = folder_of(program, session_id) / "session.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"prompt_id":"', b'"prompt_id":"\xff').replace(b'"c1"', b'"c1\xff"'))
    server.script_default([turn(text("Well."))])
    for arguments in (
        ("sessions", "show", session_id),
        ("sessions", "export", session_id, "--output", "-"),
        ("--resume", session_id, "--fork", "-p", "more"),
    ):
        done = program.run(*arguments)
        assert (done.code, "Traceback" in done.err) == (0, False), done.err


def test_show_and_export(program: Program, server: ScriptedServer) -> None:
    session_id = held_with_agents(program, server)
    shown = program.run("sessions", "show", session_id[:8])
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("# go\n\n- Session: ")
    assert "· completed</summary>" in shown.out
    assert shown.out.index("<b>Read tax.py") < shown.out.index("Seen the *rate*.") < shown.out.index("Both seen.")
    written = program.run("sessions", "export", session_id, "--format", "html")
    (path,) = program.folder.glob("*-go.html")
    assert written.out == f"Written to {path}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "Seen the <em>rate</em>." in path.read_text()
    assert program.run("sessions", "export", session_id, "--output", "-").out == shown.out


def test_nothing_is_written_over_unasked(program: Program, server: ScriptedServer) -> None:
    session_id = held(program, server)
    target = program.folder / "out.md"
    target.write_text("mine")
    done = program.run("sessions", "export", session_id, "--output", "out.md")
    assert (done.code, done.out, target.read_text()) == (2, "", "mine")
    assert "Name another file. With --force it is written over." in done.err
    assert program.run("sessions", "export", session_id, "--output", "out.md", "--force").code == 0
    assert "Where is the tax?" in target.read_text()


def test_keys_stay_out(program: Program, server: ScriptedServer) -> None:
    """Also one that became a key only after it was said."""
    session_id = held(program, server, "my-later-key-1?", "It is my-later-key-1, &#27; and \x1b.")
    program.environ["OPENAI_API_KEY"] = "my-later-key-1"
    for arguments in (
        ("list",),
        ("list", "--json"),
        ("show", session_id),
        ("export", session_id, "--output", "-", "--format", "html"),
        ("search", "later"),
        ("search", "later", "--json"),
    ):
        done = program.run("sessions", *arguments)
        assert done.code == 0
        assert "my-later-key-1" not in done.out
        assert "[key removed]" in done.out
        assert "\x1b" not in done.out


def test_search_finds_what_agents_said(program: Program, server: ScriptedServer) -> None:
    session_id = held_with_agents(program, server)
    held(program, server)
    (found,) = json.loads(program.run("sessions", "search", "--json", "GRÖßE", "unbekannt").out)
    assert (found["session"]["id"], found["tool_call_id"]) == (session_id, "c2")
    done = program.run("sessions", "search", "both", "SEEN")
    assert done.out.splitlines()[0].startswith(session_id[:8])
    assert done.out.splitlines()[1:] == ["    main: Both seen."]
    assert program.run("sessions", "search", "nowhere").out == "Nothing was found.\n"


def test_deleting_needs_a_yes(program: Program, server: ScriptedServer) -> None:
    first, second = held(program, server), held(program, server, "And the rate?")
    done = program.run("sessions", "delete", first)
    assert done.code == 2
    assert "--yes" in done.err
    for key, left in ((b"\r", {first, second}), (b"n\r", {first, second}), (b"y\r", {second})):
        with program.in_terminal("sessions", "delete", first) as terminal:
            terminal.read_until(lambda written: b"for good? [y/N]" in written)
            terminal.press(key)
            assert terminal.finish() == (0 if key == b"y\r" else 2)
        assert {each["id"] for each in listed(program)} == left
    assert not folder_of(program, first).exists()
    done = program.run("sessions", "delete", second, "--yes")
    assert (done.code, done.out) == (0, "Deleted 1 session.\n")
    assert listed(program) == []


def test_all_or_nothing_where_one_is_unknown(program: Program, server: ScriptedServer) -> None:
    session_id = held(program, server)
    done = program.run("sessions", "delete", "--yes", session_id, "ffffffff-0000")
    assert done.code == 2
    assert "There is no session 'ffffffff-0000'" in done.err
    assert len(listed(program)) == 1


def test_prune(program: Program, server: ScriptedServer) -> None:
    old, new = held(program, server), held(program, server, "And the rate?")
    make_old(program, old, 40)
    done = program.run("sessions", "prune", "--older-than", "30d", "--dry-run")
    assert done.out.endswith("Would delete 1 session.\n")
    assert len(listed(program)) == 2
    assert program.run("sessions", "prune", "--older-than", "30d").code == 2
    assert program.run("sessions", "prune", "--older-than", "6w", "--yes").out == "Deleted 0 sessions.\n"
    assert program.run("sessions", "prune", "--older-than", "30d", "--yes").out == "Deleted 1 session.\n"
    assert [each["id"] for each in listed(program)] == [new]


def test_one_that_is_open_elsewhere_stays(program: Program, server: ScriptedServer) -> None:
    gate = Gate()
    server.script_default([turn(text("So far"), hold(gate))])
    with program.started("-p", "Still going"):
        gate.wait_reached()
        (session,) = listed(program)
        assert session["is_open"]
        assert "(open)" in program.run("sessions").out
        make_old(program, session["id"], 40)
        done = program.run("sessions", "delete", session["id"], "--yes")
        assert (done.code, done.out) == (2, "")
        assert "is open in another program" in done.err
        pruned = program.run("sessions", "prune", "--older-than", "30d", "--yes")
        assert (pruned.code, pruned.out) == (0, "Deleted 0 sessions.\n")
        assert "Still going" in program.run("sessions", "show", session["id"]).out
        assert len(listed(program)) == 1
    # Its end, however it came, ends the lock.
    assert program.run("sessions", "delete", session["id"], "--yes").out == "Deleted 1 session.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "abc"), "There is no session 'abc'"),
        (("show",), "ID"),
        (("lists",), "invalid choice"),
        (("list", "more"), "unrecognized arguments: more"),
        (("prune",), "--older-than"),
        (("prune", "--older-than", "soon"), "such as 12h, 30d or 8w"),
        (("export", "abc", "--format", "pdf"), "invalid choice: 'pdf'"),
        (("search", " "), "the words to look for"),
    ],
)
def test_what_cannot_work_is_said(program: Program, arguments: tuple[str, ...], words: str) -> None:
    done = program.run("sessions", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "Traceback" not in done.err


def test_an_id_that_fits_several(program: Program, server: ScriptedServer) -> None:
    session_id = held(program, server)
    copy = session_id[:-1] + ("0" if session_id[-1] != "0" else "1")
    source, target = folder_of(program, session_id), folder_of(program, copy)
    target.mkdir(mode=0o700)
    written = (source / "session.jsonl").read_bytes()
    (target / "session.jsonl").write_bytes(written.replace(session_id.encode(), copy.encode()))
    done = program.run("sessions", "show", session_id[:8])
    assert done.code == 2
    assert "2 sessions begin with" in done.err
    assert program.run("sessions", "show", copy).code == 0


def test_a_folder_of_that_name_is_a_folder(program: Program) -> None:
    (program.folder / "sessions").mkdir()
    assert "The screen needs a terminal" in program.run("sessions").err
    assert program.run("sessions", "list").code == 0


def test_help_names_it(program: Program) -> None:
    assert "code-assistant sessions " in program.run("--help").out
    done = program.run("sessions", "--help")
    assert done.code == 0
    assert "export" in done.out


def test_a_reader_that_leaves_is_no_fault(program: Program, server: ScriptedServer) -> None:
    session_id = held(program, server)
    done = program.shell(f"code-assistant sessions show {session_id} | head -c 1; echo")
    assert (done.code, done.err) == (0, "")
