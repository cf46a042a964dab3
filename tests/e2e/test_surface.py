"""What a running program shows to others: no listening socket, and its key in no file, argument or environment."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.program import HANG_GUARD, Program
from tests.e2e.screen.pty_screen import opened
from tests.fakes.script import Block, call, text, turn
from tests.fakes.server import ScriptedServer
from tests.processes import new_marker, wait_until_gone
from tests.sockets import listening_sockets, tree_of

KEY = "sk-ant-api03-Zq7Lm2Xw9Rt4Vb6Nc1Hd8Jf3Gk5Ps0Yu"


class Turn:
    """A whole turn that stops in its middle: a command in the background, a reader, and a worker with its command."""

    def __init__(self, program: Program, server: ScriptedServer, folder: Path) -> None:
        self.marker = new_marker()
        self.started, self.goes_on = folder / "started", folder / "goes-on"
        os.mkfifo(self.started)
        os.mkfifo(self.goes_on)
        program.environ["ANTHROPIC_API_KEY"] = KEY
        server.keys = {KEY}
        # In two pieces, since what a model writes into a command are its arguments.
        saying = f"printf '%s%s\\n' {KEY[:12]} {KEY[12:]}"
        holding = f"env; echo up > {self.started}; cat {self.goes_on}; {saying}"
        server.script("look", [turn(call("search_files", {"pattern": "RATE"})), turn(text(f"Seen {KEY}."))])
        server.script(
            "work",
            [
                turn(call("write_file", {"path": "note.txt", "content": "done\n"})),
                turn(call("execute_command", {"command": holding})),
                turn(text("Worked.")),
            ],
        )
        background = call("execute_command", {"command": f"sleep {self.marker}", "background": True})
        spawns = (spawn("look", agent="explore"), spawn("work", mode="default"))
        server.script_default([turn(background), turn(*spawns), turn(text(f"All done, with {KEY}."))])

    def wait_for_the_middle(self) -> None:
        with open(self.started) as told:
            assert told.read() == "up\n"

    def go_on(self) -> None:
        self.goes_on.write_text("")


def spawn(instructions: str, **more: Any) -> Block:
    return call("spawn_agent", {"instructions": instructions, **more})


def require_closed(pid: int) -> None:
    """Nobody can connect to the program, nor to what it has started."""
    tree = list(tree_of(pid))
    assert len(tree) > 3, "its supervisor and its commands are a part of it"
    assert {each: found for each in tree if (found := listening_sockets(each))} == {}


def require_private(pid: int) -> None:
    """Any user can see the arguments of a process; those of a child with the same user also its environment."""
    first, *others = tree_of(pid)
    for each in (first, *others):
        assert KEY.encode() not in _read(each, "cmdline"), each
    for each in others:
        assert KEY.encode() not in _read(each, "environ"), each
        assert b"ANTHROPIC_API_KEY" not in _read(each, "environ"), each


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        # It ended while we looked.
        return b""


def files_with_key(*folders: Path) -> list[str]:
    files = (each for folder in folders for each in folder.rglob("*") if each.is_file() and not each.is_symlink())
    return [str(each) for each in files if KEY.encode() in each.read_bytes()]


def test_a_listening_socket_would_be_seen() -> None:
    """The look itself: of each kind one."""
    with (
        socket.create_server(("127.0.0.1", 0)),
        socket.socket(socket.AF_UNIX) as unix,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
        socket.socket() as quiet,
    ):
        unix.bind("\0" + new_marker())
        unix.listen()
        datagrams.bind(("127.0.0.1", 0))
        quiet.bind(("127.0.0.1", 0))
        assert {"tcp", "udp", "unix"} <= {each.partition(":")[0] for each in listening_sockets(os.getpid())}


@pytest.mark.timeout(2 * HANG_GUARD)
def test_safe_n1_k1_a_run_without_a_screen_listens_nowhere_and_shows_no_key(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    scene = Turn(program, server, tmp_path)
    program.environ["TMPDIR"] = str(tmp_path / "tmp")
    (tmp_path / "tmp").mkdir()
    arguments = ("-p", "go", "--permission-mode", "yolo", "--debug", "--output-format", "stream-json")
    with program.started(*arguments) as process:
        scene.wait_for_the_middle()
        require_closed(process.pid)
        require_private(process.pid)
        scene.go_on()
        out, err = process.communicate(timeout=HANG_GUARD)
    assert process.returncode == 0, err
    wait_until_gone(scene.marker)
    assert (program.folder / "note.txt").read_text() == "done\n"
    assert KEY.encode() not in out + err
    for form in ("md", "html"):
        exported = program.run("sessions", "export", _session(program), "--format", form, "--output", f"out.{form}")
        assert exported.code == 0, exported.err
    written = [each for each in program.home.rglob("*") if each.is_file()]
    assert any("sessions" in each.parts for each in written)
    assert any("logs" in each.parts for each in written)
    assert files_with_key(program.home, program.folder, tmp_path / "tmp") == []


def _session(program: Program) -> str:
    (folder,) = {each.parent for each in program.home.rglob("*.jsonl") if each.parent.parent.name == "sessions"}
    return folder.name


@pytest.mark.timeout(2 * HANG_GUARD)
def test_safe_n1_the_screen_listens_nowhere(program: Program, server: ScriptedServer, tmp_path: Path) -> None:
    scene = Turn(program, server, tmp_path)
    with opened(program, "--permission-mode", "yolo") as screen:
        screen.wait_ready()
        screen.ask("go")
        scene.wait_for_the_middle()
        require_closed(screen.pid)
        require_private(screen.pid)
        scene.go_on()
        screen.wait_for("All done")
        assert [found for each in tree_of(screen.pid) for found in listening_sockets(each)] == []
    assert KEY.encode() not in screen.written
