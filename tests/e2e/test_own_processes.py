"""What the program starts for itself, git and searches, ends with it: also when it is killed and can end nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from code_assistant.workspace.own_search import MAXIMUM_MEMORY
from tests.e2e.program import Program
from tests.fakes.script import Block, call, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD
from tests.processes import Process, children_of, met_at, until, until_gone
from tests.unit.workspace.commands.sandbox.world import git

pytestmark = pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is missing, which ties them to it")

# No engine that tries one way after the other comes to an end with this.
ENDLESS = call("search_files", {"pattern": "(a+)+[b]"})
# The program with a search that nothing else ends while the test looks.
PATIENT = (
    "import code_assistant.workspace.own_search as own_search; own_search.MAXIMUM_SECONDS = 900.0; "
    "from code_assistant.__main__ import main; main()"
)


async def child_of(owner: subprocess.Popen[bytes], name: str) -> int:
    found: list[Process] = []

    def is_there() -> bool:
        found[:] = [each for each in children_of(owner.pid) if each.name.startswith(name)]
        return bool(found)

    await until(is_there)
    (child,) = found
    return child.pid


async def check_end(owner: subprocess.Popen[bytes], child: int) -> None:
    """Kill the owner; the child must follow."""
    owner.kill()
    owner.wait(HANG_GUARD)
    try:
        await until_gone(child)
    except AssertionError:
        os.kill(child, signal.SIGKILL)
        raise


@pytest.mark.parametrize(
    ("name", "fifo", "asked"),
    [
        pytest.param("rg", ".ignore", call("search_files", {"pattern": "tax"}), id="rg"),
        pytest.param("git", ".git/config", call("execute_command", {"command": "git status"}), id="git"),
    ],
)
async def test_safe_o1_git_and_ripgrep_end_with_a_program_that_is_killed(
    program: Program, server: ScriptedServer, name: str, fifo: str, asked: Block
) -> None:
    """They read where nobody ever writes: by themselves they would neither end nor notice that nobody waits."""
    server.script_default([turn(asked)])
    git(program.folder, "init", "-q")
    program.trust()
    place = program.folder / fifo
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    with program.started("-p", "go") as owner:
        held = await met_at(place)
        try:
            await check_end(owner, await child_of(owner, name))
        finally:
            os.close(held)


async def test_safe_o1_a_search_of_our_own_ends_with_a_program_that_is_killed(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    program.without_own_tools()
    program.command = [program.command[0], "-c", PATIENT]
    program.environ["PATH"] = str(tmp_path / "nothing")
    (program.folder / "long.txt").write_text("a" * 5000)
    server.script_default([turn(ENDLESS)])
    with program.started("-p", "go") as owner:
        child = await child_of(owner, "python")
        # Bounded right before it begins to search; earlier than that, the end of what it reads would end it.
        await until(lambda: str(MAXIMUM_MEMORY) in Path(f"/proc/{child}/limits").read_text())
        await check_end(owner, child)
