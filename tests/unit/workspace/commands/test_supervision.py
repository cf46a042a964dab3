"""Those who look after commands are killed or stopped, and so is the program: nothing lives on, the next one runs."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.commands import running, supervisor
from code_assistant.workspace.commands.ending import Ending
from code_assistant.workspace.commands.environment import command_environment
from code_assistant.workspace.commands.running import Command
from code_assistant.workspace.commands.supervisor import Supervisor
from code_assistant.workspace.commands.table import Commands
from tests.processes import (
    HANG_GUARD,
    children_of,
    processes_with,
    say,
    until,
    until_gone,
    until_no_children,
    wait_until_gone,
)
from tests.unit.workspace.commands.support import SUPERVISOR_PID, Engine, Heard, change_supervision

SILENT_ONCE_STARTED = (
    "import time; spawn = keeper.os.posix_spawn; "
    "keeper.os.posix_spawn = lambda *words, **options: (spawn(*words, **options), time.sleep(900))[0]"
)
TREE = "(setsid sleep {0} &); setsid sleep {0} & sleep {0} & "


async def killing(engine: Engine, marker: str, whom: str, tree: str = TREE) -> Ending:
    """How a command ends that kills those who look after it, once the keeper has said whom it keeps."""
    kill = f"until [ -e go ]; do sleep 0.05; done; kill -KILL {whom}"
    background = await engine.background(f"{tree.format(marker)} {kill}; sleep {marker}")
    await background.running.has_started()
    (engine.folder / "go").touch()
    assert await background.running.wait(HANG_GUARD)
    return background.running.ending


async def test_safe_o1_a_killed_keeper_costs_its_command_only(engine: Engine, marker: str, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    async with engine.running(f"echo up; read line < {fifo}; echo $line") as other:
        ending = await killing(engine, marker, "$PPID")
        assert processes_with(marker) == []
        assert ending.watch_was_killed
        assert not ending.is_good
        assert "everything it had started was ended" in ending.remarks[0]
        await say(fifo, "still here\n")
        done = await other
        assert (done.output.parts.head, done.ending.status) == ("up\nstill here\n", 0)


async def test_safe_o1_a_killed_supervisor_costs_what_runs_and_the_next_one_runs(engine: Engine, marker: str) -> None:
    await engine.run("true")
    first = engine.supervisor_pid
    async with engine.running(f"{TREE.format(marker)} trap '' TERM; echo up; sleep {marker}; sleep {marker}") as other:
        assert (await killing(engine, marker, SUPERVISOR_PID)).watch_was_killed
        assert (await other).ending.watch_was_killed
        assert processes_with(marker) == []
    assert await engine.text("echo again") == "again\n"
    assert engine.supervisor_pid != first


async def test_a_supervisor_killed_at_rest_is_not_missed(engine: Engine) -> None:
    await engine.run("true")
    for _ in range(3):
        first = engine.supervisor_pid
        os.kill(first, signal.SIGKILL)
        # A zombie has closed its descriptors.
        await until(lambda pid=first: any(each.state == "Z" for each in children_of(os.getpid()) if each.pid == pid))
        assert await engine.text("echo again") == "again\n"
        assert engine.supervisor_pid != first
    assert len(children_of(os.getpid())) == 1


async def test_safe_o1_both_killed_the_command_s_own_session_is_ended(engine: Engine, marker: str) -> None:
    ending = await killing(engine, marker, f"{SUPERVISOR_PID} $PPID", "sleep {0} & ")
    assert processes_with(marker) == []
    assert ending.watch_was_killed


async def test_safe_o1_both_killed_before_anything_was_said_of_the_command(
    engine: Engine, marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_supervision(monkeypatch, SILENT_ONCE_STARTED)
    with pytest.raises(WorkspaceError, match="was killed before it could say"):
        await engine.run(f"kill -KILL {SUPERVISOR_PID} $PPID; sleep {marker} & exec sleep {marker}")
    assert processes_with(marker) == []


async def test_safe_o1_what_hides_in_its_keepers_own_group_is_ended_alone(engine: Engine, marker: str) -> None:
    hide = f"import os; os.setpgid(0, {{}}); print('up', flush=True); os.execlp('sleep', 'sleep', '{marker}')"
    background = await engine.background(f'{sys.executable} -S -c "{hide.format("$PPID")}" & exec sleep {marker}')
    while "up\n" not in (await background.look(60)).text:
        assert background.running.is_running
    await background.running.end()
    assert processes_with(marker) == []
    assert background.running.ending.status == -signal.SIGTERM


@pytest.mark.parametrize("stopped", ["$PPID", SUPERVISOR_PID, f"{SUPERVISOR_PID} $PPID"], ids=["keeper", "up", "both"])
async def test_safe_o1_stopping_them_does_not_help(engine: Engine, marker: str, stopped: str) -> None:
    await engine.cancelled(f"{TREE.format(marker)} kill -STOP {stopped}; echo up; sleep {marker}")
    assert processes_with(marker) == []
    assert await engine.text("echo again") == "again\n"


@pytest.mark.parametrize("stopped", ["$PPID", SUPERVISOR_PID], ids=["keeper", "supervisor"])
async def test_safe_o1_a_session_ends_when_they_are_stopped(engine: Engine, marker: str, stopped: str) -> None:
    wait = "until [ -e go ]; do sleep 0.05; done"
    background = await engine.background(f"{TREE.format(marker)} {wait}; kill -STOP {stopped}; echo up; sleep {marker}")
    (engine.folder / "go").touch()
    while "up\n" not in (await background.look(60)).text:
        assert background.running.is_running
    await engine.close()
    assert processes_with(marker) == []
    assert children_of(os.getpid()) == []


async def test_safe_o1_a_keeper_stopped_before_it_said_that_the_command_runs(
    engine: Engine, marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_supervision(monkeypatch, SILENT_ONCE_STARTED)
    monkeypatch.setattr(running, "SECONDS_TO_START", 2)
    with pytest.raises(WorkspaceError, match="did not start within 2 seconds"):
        await engine.run(f"{TREE.format(marker)} kill -STOP $PPID; sleep {marker}")
    assert processes_with(marker) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGTSTP, signal.SIGUSR1])
async def test_they_do_not_end_because_somebody_says_so(engine: Engine, number: signal.Signals) -> None:
    watch = SUPERVISOR_PID
    assert await engine.text(f"kill -{int(number)} $PPID {watch}; kill -{int(number)} $PPID {watch}; echo on") == "on\n"


PROGRAM = """
import asyncio, sys
from pathlib import Path
from code_assistant.workspace.spill import SpillFolder
from tests.unit.workspace.commands.support import Engine, Heard
from tests.hang_guard import HANG_GUARD

async def main(folder, *commands):
    engine = Engine(Path(folder), SpillFolder(Path(folder) / "private" / "spill"))
    heard = [Heard() for _ in commands]
    async with asyncio.TaskGroup() as group:
        for text, each in zip(commands, heard):
            group.create_task(engine.run(text, heard=each))
        for each in heard:
            await each.until("up")
        print("running", flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGSEGV])
def test_safe_o1_nothing_lives_when_the_program_is_killed(marker: str, tmp_path: Path, sent: signal.Signals) -> None:
    """Without any chance for the program to do something about it, and even if the keeper cannot."""
    tree = TREE.format(marker)
    commands = [
        f"{tree} echo up; sleep {marker}",
        f"trap '' TERM; {tree} echo up; while :; do sleep {marker}; done",
        f"{tree} kill -STOP $$; : {marker}",
        f"{tree} echo up; kill -STOP $PPID; sleep {marker}",
    ]
    commands[2] = f"echo up; {commands[2]}"
    program = subprocess.Popen([sys.executable, "-c", PROGRAM, tmp_path, *commands], stdout=subprocess.PIPE)
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == b"running\n"
        (watch,) = children_of(program.pid)
        keepers = children_of(watch.pid)
        assert (watch.name, len(keepers)) == ("command-watch", len(commands))
        program.send_signal(sent)
        program.wait(HANG_GUARD)
        wait_until_gone(marker)
        for each in (watch, *keepers):
            asyncio.run(until_gone(each.pid))
    finally:
        program.kill()
        program.communicate()


async def test_one_supervisor_serves_the_agents_of_a_session(engine: Engine, marker: str) -> None:
    other = Commands(engine.supervisor)
    await engine.background(f"sleep {marker}")
    background = await other.start_in_background(engine.command(f"sleep {marker}"), engine.spill)
    assert len(children_of(os.getpid())) == 1
    assert len(children_of(engine.supervisor_pid)) == 2
    # Closing one ends its own commands and none of the other's.
    await engine.commands.close()
    assert len(processes_with(marker)) == 1
    assert background.running.is_running
    finished = await other.run(engine.command("exit 3"), engine.spill, Heard(), HANG_GUARD)
    assert finished.ending.status == 3
    # The session forgot one: its supervisor's end is the end of that, too.
    await engine.supervisor.close()
    assert processes_with(marker) == []
    assert children_of(os.getpid()) == []
    assert await background.running.wait(HANG_GUARD)
    assert background.running.ending.watch_was_killed


async def test_a_command_that_does_not_start_in_time_is_said(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(running, "SECONDS_TO_START", 0.05)
        change_supervision(patched, "import time; time.sleep(900)")
        with pytest.raises(WorkspaceError, match=r"did not start within 0\.05 seconds"):
            await engine.run("touch began")
    assert await engine.text("ls; echo again") == "again\n"


async def test_a_supervisor_that_cannot_be_started_is_said(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    with monkeypatch.context() as patched:
        patched.setattr(supervisor.sys, "executable", "/no/such/python")
        with pytest.raises(WorkspaceError, match="No command can be started: No such file or directory"):
            await engine.run("true")
    assert sorted(os.listdir("/proc/self/fd")) == before
    with monkeypatch.context() as patched:
        patched.setattr(supervisor, "PROGRAM", "raise SystemExit(1)")
        with pytest.raises(WorkspaceError, match="was killed before it could say"):
            await engine.run("true")
    assert await engine.text("echo again") == "again\n"


async def test_a_machine_that_cannot_fork_is_said(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    change_supervision(monkeypatch, "supervision.os.fork = lambda: (_ for _ in ()).throw(OSError(11, ''))")
    with pytest.raises(WorkspaceError, match="could not be started: Resource temporarily unavailable"):
        await engine.run("true")


async def test_a_supervisor_without_free_descriptors_says_no_and_serves_on(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_supervision(
        monkeypatch, "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16)); import errno"
    )
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_outcome(engine, "sleep 0.3; echo x")) for _ in range(20)]
    outcomes = [task.result() for task in tasks]
    assert {"x\n"} < set(outcomes)
    assert "The process that was to look after the command was killed" in "".join(outcomes)
    assert await engine.text("echo again") == "again\n"


async def _outcome(engine: Engine, text: str) -> str:
    try:
        return await engine.text(text)
    except WorkspaceError as error:
        return str(error)


async def test_without_subreapers_the_process_group_is_ended(
    engine: Engine, marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on systems that have neither them nor /proc: what splits off is out of reach there."""
    change_supervision(
        monkeypatch,
        "keeper.become_subreaper = supervision.become_subreaper = lambda name: False; "
        "keeper.descendants = lambda root: []; supervision.descendants = lambda root, without: []",
    )
    await engine.cancelled(f"trap '' TERM; sleep {marker} & echo up; sleep {marker}; sleep {marker}")
    await until(lambda: processes_with(marker) == [])
    finished = await engine.run(f"sleep {marker} & exit 3")
    await until(lambda: processes_with(marker) == [])
    assert (finished.ending.status, finished.ending.left_running) == (3, True)
    assert (await engine.run("exit 4")).ending.left_running is False


async def test_the_program_s_other_processes_are_none_of_its_business(engine: Engine, marker: str) -> None:
    process = await asyncio.create_subprocess_exec("sleep", marker)
    assert (await killing(engine, marker, "$PPID")).watch_was_killed
    assert len(processes_with(marker)) == 1
    process.kill()
    await process.wait()


def test_it_starts_with_little() -> None:
    """What it imports is what every first command waits for, and every keeper is a copy of."""
    code = (
        "import sys; sys.path.append(sys.argv[1]); "
        "import code_assistant.workspace.commands.supervision.main; print(*sys.modules)"
    )
    printed = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, Path(__file__).parents[4]], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {"asyncio", "dataclasses", "logging", "pathlib", "pydantic", "subprocess"} & {*printed} == set()


async def test_an_environment_too_large_is_said(tmp_path: Path, engine: Engine) -> None:
    large = Supervisor({**command_environment(os.environ), "LC_NOTE": "x" * 200_000})
    commands = Commands(large)
    with pytest.raises(WorkspaceError, match="could not be started: Argument list too long"):
        await commands.run(Command("true", tmp_path), engine.spill, Heard(), HANG_GUARD)
    await commands.close()
    await large.close()


async def test_the_keepers_of_ended_commands_are_reaped(engine: Engine) -> None:
    for _ in range(5):
        await engine.run("true")
    await until_no_children(engine.supervisor_pid)
