"""`code-assistant doctor` as a person runs it: on a fresh machine, with what is broken, without network."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.program import Finished, Program
from tests.fakes.server import ScriptedServer


def levels(done: Finished) -> dict[str, list[str]]:
    """The levels that each title got."""
    found: dict[str, list[str]] = {}
    for line in done.out.splitlines()[:-1]:
        level, title = line[:9].strip(), line[9:24].strip()
        found.setdefault(title, []).append(level)
    return found


def own_folder(program: Program) -> Path:
    folder = program.home / ".config" / "code-assistant"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_a_fresh_machine(program: Program, server: ScriptedServer) -> None:
    """Nothing is set, so that there are notes and no problems; nothing is made, and nothing is sent."""
    del program.environ["ANTHROPIC_API_KEY"]
    program.trusts = False
    done = program.run("doctor")
    assert (done.code, done.err) == (0, "")
    found = levels(done)
    assert found["keys"] == found["model"] == found["trust"] == ["note"]
    assert set(found) == {
        "program",
        "trust",
        "settings",
        "models",
        "keys",
        "keyring",
        "model",
        "service",
        "local servers",
        "config folder",
        "state folder",
        "git",
        "ripgrep",
        "sandbox",
        "terminal",
        "themes",
    }
    assert done.out.endswith("\nNothing is in the way.\n")
    assert list(program.home.iterdir()) == []
    assert server.connections == 0
    assert "\x1b" not in done.out


def test_all_is_in_order(program: Program, server: ScriptedServer) -> None:
    done = program.run("doctor")
    assert done.code == 0
    assert levels(done)["service"] == ["ok"]
    assert "Anthropic answers and takes the key" in done.out
    assert "ANTHROPIC_API_KEY (environment)" in done.out
    assert "test-key-1" not in done.out
    assert len(server.requests) == 1


def test_a_refused_key(program: Program) -> None:
    program.environ["ANTHROPIC_API_KEY"] = "wrong-key-0123456789"
    done = program.run("doctor")
    assert (done.code, done.err) == (1, "")
    assert levels(done)["service"] == ["problem"]
    assert "refuses the key (HTTP 401). Check ANTHROPIC_API_KEY." in done.out
    assert done.out.endswith("\n1 problem.\n")
    assert "wrong-key" not in done.out


def test_no_network(program: Program) -> None:
    program.environ["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:1"
    done = program.run("doctor")
    assert done.code == 1
    assert "127.0.0.1:1 cannot be reached" in done.out


def test_what_is_broken_is_told_and_the_rest_is_checked(program: Program, server: ScriptedServer) -> None:
    folder = own_folder(program)
    (folder / "config.toml").write_text('model = "test-key-1\n')
    (folder / "models.toml").write_text("[models.x]\n")
    (folder / "keys.json").write_text("{}")
    (folder / "keys.json").chmod(0o644)
    (folder / "themes").mkdir()
    (folder / "themes" / "mine.toml").write_text("\x1b[31m")
    done = program.run("doctor")
    assert (done.code, done.err) == (1, "")
    found = levels(done)
    assert found["settings"] == found["models"] == found["kept keys"] == ["problem"]
    assert found["model"] == found["themes"] == ["note"]
    assert found["git"] == ["ok"]
    assert "service" not in found
    assert server.connections == 0
    assert "test-key-1" not in done.out
    assert "\x1b" not in done.out


def test_keys_and_escapes_in_files_are_not_shown(program: Program) -> None:
    (own_folder(program) / "config.toml").write_text('"test-key-1" = 1\n"\\u001b[31m" = 2\n')
    done = program.run("doctor")
    assert levels(done)["settings"] == ["note", "note"]
    assert "test-key-1" not in done.out
    assert "[key removed]" in done.out
    assert "\x1b" not in done.out


def test_a_key_that_is_none(program: Program) -> None:
    program.environ["ANTHROPIC_API_KEY"] = "t\u00e9st-key"
    done = program.run("doctor")
    assert done.code == 1
    assert levels(done)["keys"] == ["problem"]
    assert "t\u00e9st" not in done.out


@pytest.mark.parametrize(("no_color", "is_coloured"), [(False, True), (True, False)])
def test_colours_in_a_terminal_only(program: Program, no_color: bool, is_coloured: bool) -> None:
    program.environ["TERM"] = "xterm-256color"
    if no_color:
        program.environ["NO_COLOR"] = "1"
    with program.in_terminal("doctor") as terminal:
        assert terminal.finish() == 0
    assert (b"\x1b[32m" in terminal.written) is is_coloured
    assert b"terminal       xterm-256color" in terminal.written


def test_a_folder_of_that_name_is_a_folder(program: Program) -> None:
    (program.folder / "doctor").mkdir()
    done = program.run("doctor")
    assert done.code == 2
    assert "The screen needs a terminal" in done.err


def test_doctor_stands_by_itself(program: Program) -> None:
    for arguments in (("doctor", "--debug"), ("-p", "hi", "doctor"), ("--trust", "doctor")):
        done = program.run(*arguments)
        assert (done.code, done.out) == (2, "")
        assert "doctor stands by itself" in done.err


def test_a_reader_that_leaves_is_no_fault(program: Program) -> None:
    done = program.shell("code-assistant doctor | head -c 1; echo")
    assert (done.code, done.err) == (0, "")
