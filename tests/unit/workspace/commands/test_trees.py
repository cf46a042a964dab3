"""Nothing a command started lives when its call has returned, however it had split and whatever it ignores."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.processes import children_of, processes_with, until, until_no_children
from tests.unit.workspace.commands.support import Engine

# Each keeps `{0}` in the arguments of everything it starts, prints `up` when all of it runs, and then runs on.
TREES = {
    "one process": "echo up; exec sleep {0}",
    "child": "sleep {0} & echo up; wait",
    "grandchildren": "bash -c 'bash -c \"sleep {0} & sleep {0} & echo up; wait\" & wait' & wait",
    "own session": "setsid sleep {0} & echo up; sleep {0}",
    "double fork": "(setsid sleep {0} &); (sleep {0} &); echo up; sleep {0}",
    "sessions": "setsid bash -c 'setsid bash -c \"setsid sleep {0} & sleep {0} & echo up; wait\" & wait' & sleep {0}",
    "ignores TERM": "trap '' TERM HUP INT; sleep {0} & echo up; sleep {0}; sleep {0}; : {0}",
    "all ignore TERM": "trap '' TERM; (setsid sleep {0} &); setsid sleep {0} & echo up; while :; do sleep {0}; done",
    "stopped": "sleep {0} & kill -STOP $!; echo up; kill -STOP $$; : {0}",
    "ignores TERM and stopped": "trap '' TERM; sleep {0} & kill -STOP $!; echo up; kill -STOP $$; : {0}",
    "closes its output": "sleep {0} & echo up; exec >&- 2>&-; sleep {0}",
    "output to a file": "sleep {0} > log 2>&1 & echo up; sleep {0} > log",
    "starts more when told": "trap 'setsid sleep {0} & sleep {0}' TERM; echo up; while :; do sleep 0.01; done; : {0}",
    "coprocess": "coproc sleep {0}; echo up; sleep {0}",
}


@pytest.mark.parametrize("tree", TREES)
async def test_safe_o1_o2_nothing_lives_after_a_cancel(engine: Engine, marker: str, tree: str) -> None:
    async with engine.running(TREES[tree].format(marker)) as task:
        assert processes_with(marker)
        task.cancel()
        await asyncio.wait({task})
        # At once: the call returns only when all are gone.
        assert processes_with(marker) == []
        assert task.cancelled()


@pytest.mark.parametrize("tree", ["double fork", "all ignore TERM", "stopped", "closes its output"])
async def test_safe_o1_nothing_lives_after_a_time_out(engine: Engine, marker: str, tree: str) -> None:
    finished = await engine.run(TREES[tree].format(marker), seconds=0.5)
    assert processes_with(marker) == []
    assert finished.timed_out
    assert not finished.ending.may_live_on


@pytest.mark.parametrize("tree", TREES)
async def test_safe_o1_nothing_lives_after_the_session(engine: Engine, marker: str, tree: str) -> None:
    background = await engine.background(TREES[tree].format(marker))
    while "up\n" not in (await background.look(60)).text:
        assert background.running.is_running
    async with engine.running(TREES[tree].format(marker)) as task:
        supervisor = engine.supervisor_pid
        await engine.close()
        assert processes_with(marker) == []
        assert not any(each.pid == supervisor for each in children_of(os.getpid()))
        assert not (await task).ending.may_live_on


async def test_safe_o1_what_is_left_when_the_shell_ends_is_ended_and_said(engine: Engine, marker: str) -> None:
    finished = await engine.run(f"sleep {marker} & (setsid sleep {marker} &); nohup sleep {marker} & echo done; exit 0")
    assert processes_with(marker) == []
    assert finished.output.parts.head.endswith("done\n")
    assert (finished.ending.status, finished.ending.left_running) == (0, True)
    assert "left running" in finished.ending.remarks[0]


async def test_an_obeying_process_is_asked_to_end_before_it_is_killed(engine: Engine, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    await engine.cancelled(
        f"trap 'echo asked > {tmp_path}/said; exit 0' TERM; echo up; while :; do read < {fifo}; done"
    )
    assert (tmp_path / "said").read_text() == "asked\n"


HOPPER = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
end = time.monotonic() + 60
print("up", flush=True)
while time.monotonic() < end:
    if os.fork():
        os._exit(0)
    os.setsid()
"""
BRANCHER = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
living = 0
print("up", flush=True)
for _ in range(2000):
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
        os._exit(0)
    living += 1
    if living > 150:
        os.wait()
time.sleep(60)
"""


@pytest.mark.parametrize("storm", [HOPPER, BRANCHER], ids=["moves on", "grows"])
async def test_safe_o1_a_storm_of_forks_is_ended(engine: Engine, marker: str, tmp_path: Path, storm: str) -> None:
    """Bounded: it ends by itself after a minute, and is never more than 152 processes."""
    script = tmp_path / "storm.py"
    script.write_text(storm)
    await engine.cancelled(f"exec {sys.executable} -S -E {script} {marker}")
    assert processes_with(marker) == []


async def test_no_zombie_and_no_descriptor_is_left_after_many_commands(engine: Engine, marker: str) -> None:
    await engine.run("true")
    before = sorted(os.listdir("/proc/self/fd"))
    supervisor = engine.supervisor_pid
    at_rest = 8
    await until(lambda: len(os.listdir(f"/proc/{supervisor}/fd")) == at_rest)
    for number in range(50):
        if number % 5 == 0:
            await engine.cancelled(f"(setsid sleep {marker} &); echo up; sleep {marker}")
        elif number % 5 == 1:
            await engine.run(f"(sleep {marker} &); exit 1")
        else:
            await engine.run("echo x; (exit 3)")
    assert sorted(os.listdir("/proc/self/fd")) == before
    await until_no_children(supervisor)
    assert [each.pid for each in children_of(os.getpid())] == [supervisor]
    await until(lambda: len(os.listdir(f"/proc/{supervisor}/fd")) == at_rest)
