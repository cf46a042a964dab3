"""Without a screen: what an untrusted folder gets, what --trust changes, and the command that keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.hostile_folder import RULES, STRACE, lay_traps, read_trace, traced
from tests.e2e.program import Program
from tests.fakes.script import call, text, turn
from tests.fakes.server import ScriptedServer

UNTRUSTED = "is not trusted: reading and searching only"
READING = ["glob_files", "list_files", "read_files", "search_files", "spawn_agent", "todo"]


def offered(request: Any) -> list[str]:
    return sorted(tool["name"] for tool in request.body["tools"])


def test_safe_t5_untrusted_is_reading_only_and_every_ask_is_a_no(program: Program, server: ScriptedServer) -> None:
    """Whatever mode was asked for; children have no more, whatever they are asked to be."""
    program.trusts = False
    (program.folder / "AGENTS.md").write_text("MIAOW")
    spawned = {"instructions": "Write x.", "permission_mode": "accept-edits"}
    calls = [
        call("write_file", {"path": "x", "content": "x"}),
        call("execute_command", {"command": "touch y"}),
        call("read_files", {"paths": ["/etc/hostname"]}),
        call("read_files", {"paths": ["tax.py"]}),
        call("spawn_agent", spawned),
    ]
    server.script_default([turn(*calls), turn(text("Done.")), turn(text("Done."))])
    done = program.run("-p", "go", "--permission-mode", "yolo")
    assert done.err.count(UNTRUSTED) == 1
    assert "this folder is not trusted (--trust trusts it for this run)" in done.err
    assert "yolo allows" not in done.err
    assert offered(server.requests[0]) == READING
    assert all(set(offered(request)) <= set(READING) for request in server.requests)
    told = str(server.requests[-1].body["messages"])
    assert told.count("There is no tool named") == 2
    assert "RATE = 0.2" in told
    assert "MIAOW" not in str([request.body for request in server.requests])
    assert not any((program.folder / name).exists() for name in "xy")


def test_safe_t5_with_trust_for_this_run_it_is_as_ever_and_nothing_is_stored(
    program: Program, server: ScriptedServer
) -> None:
    program.trusts = False
    (program.folder / "AGENTS.md").write_text("MIAOW")
    server.script_default([turn(text("Done."))] * 2)
    done = program.run("-p", "go", "--trust")
    assert (done.code, done.err) == (0, "")
    assert "MIAOW" in str(server.requests[-1].body["system"])
    assert "execute_command" in offered(server.requests[-1])
    assert UNTRUSTED in program.run("-p", "go", "--output-format", "json").err


# Python itself imports a few before it hands over to us, which nobody but Python could mend: see its option -P.
MODULES = ("__future__", "argparse", "asyncio", "dataclasses", "httpx", "json", "logging", "pathlib", "tomllib")


def test_safe_t1_started_as_a_module_it_imports_nothing_of_the_folder(program: Program, server: ScriptedServer) -> None:
    marker = program.folder.parent / "marker"
    for name in MODULES:
        (program.folder / f"{name}.py").write_text(f"open({str(marker)!r}, 'a').write('{name} ')\n")
    program.trusts = False
    server.script_default([turn(text("Done."))])
    done = program.python("-m", "code_assistant", "-p", "go")
    assert (done.code, done.out) == (0, "Done.\n")
    assert not marker.exists(), marker.read_text()


@pytest.mark.skipif(STRACE is None, reason="strace is not installed")
def test_safe_t1_without_a_screen_nothing_of_it_is_opened_or_started(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    marker = lay_traps(program.folder)
    program.trusts = False
    server.script_default([turn(text("Done."))] * 2)
    program.command = traced(program, tmp_path / "trace")
    assert program.run("-p", "go").out == "Done.\n"
    trace = read_trace(tmp_path / "trace", program.folder)
    assert trace.opened_in(program.folder) - {".", *RULES} == set()
    assert len(trace.started) == 1
    port = server.url.rpartition(":")[2]
    assert all(f"htons({port})" in line for line in trace.called)
    assert program.run("-p", "go", "--trust").out == "Done.\n"
    assert {"AGENTS.md", ".git/HEAD"} <= read_trace(tmp_path / "trace", program.folder).opened_in(program.folder)
    assert not marker.exists()
