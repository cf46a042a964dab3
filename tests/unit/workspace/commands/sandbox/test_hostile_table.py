"""The commands that are never proved, run for real between the walls of bubblewrap: whatever they do stays inside."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import socket
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from code_assistant.workspace.spill import SpillFolder
from tests.hang_guard import HANG_GUARD
from tests.unit.permissions.shell.hostile import hostile_commands
from tests.unit.workspace.commands.sandbox import table_runner
from tests.unit.workspace.commands.sandbox.world import WalledEngine, World, needs_bubblewrap
from tests.unit.workspace.commands.support import Engine

pytestmark = [needs_bubblewrap, pytest.mark.timeout(2 * HANG_GUARD)]

SHELLS = 4
# Not that of an environment, which may lie below /tmp, of which commands have their own.
INTERPRETER = os.path.realpath(sys.executable)
RUNNER = "table_runner.py"
SURROGATE = re.compile("[\ud800-\udfff]")
# Places of the network that the commands name; whoever got through would be seen at our own port.
ELSEWHERE = ("1.2.3.4/80", "1.2.3.4/53")
CONNECTING = (
    "echo x > /dev/tcp/127.0.0.1/{0}",
    "curl --noproxy '*' http://127.0.0.1:{0}",
    "wget -q -O- http://127.0.0.1:{0}",
    "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {0}))'",
    "python3 -c 'import socket; socket.create_connection((\"::1\", {0}))'",
)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Listens where commands are led to; whoever connected stays in its queue."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening


@pytest.fixture
def hostile_world(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """With files of the names that the commands use, and a home that is not the person's."""
    monkeypatch.setenv("HOME", str(world.home))
    for name in ("a", "b", "x", "c.py"):
        (world.workspace / name).write_text("as it was\n")
    (world.workspace / "sub").mkdir()
    world.make_repository()
    return world


def is_runnable(command: str) -> bool:
    """Whether it can be handed to a shell at all."""
    return "\0" not in command and not SURROGATE.search(command)


def table(port: int) -> list[str]:
    """The hostile commands, those that go to the network led to our own port."""
    commands = [command for _, command in hostile_commands() if is_runnable(command)]
    for place in ELSEWHERE:
        commands = [command.replace(place, f"127.0.0.1/{port}") for command in commands]
    return [*commands, *(command.format(port) for command in CONNECTING)]


async def require_walls(walled: WalledEngine, world: World, listener: socket.socket) -> None:
    """Before anything else: if the walls do not stand, nothing hostile is run."""
    await walled.run(f"touch {world.outside}/canary {world.home}/canary; rm -f {world.home}/.bashrc")
    await walled.run(CONNECTING[0].format(listener.getsockname()[1]))
    assert not (world.outside / "canary").exists()
    assert not (world.home / "canary").exists()
    assert (world.home / ".bashrc").exists()
    assert connections(listener) == 0
    # The devices that are seen are not those of the machine.
    assert await walled.text("test -e /dev/sda || test -e /dev/vda || test -e /dev/mem || echo none") == "none\n"


def written_lists(folder: Path, commands: list[str]) -> list[Path]:
    """The commands dealt out to the shells, and beside them what runs them; commands can read these only."""
    folder.mkdir()
    shutil.copy(table_runner.__file__, folder / RUNNER)
    lists = [folder / f"{number}.json" for number in range(SHELLS)]
    for number, listed in enumerate(lists):
        listed.write_text(json.dumps(commands[number::SHELLS]))
    return lists


async def run_all(walled: WalledEngine, listed: Path) -> None:
    """In one shell as long as that lives: some commands end whatever they can reach, and with it the shell."""
    first = 0
    while True:
        words = f"exec {INTERPRETER} -I {listed.with_name(RUNNER)} {listed} {first}"
        printed = (await walled.text(words)).split()
        assert printed, "each shell begins with the first that is left"
        if printed[-1] == "end":
            return
        first = int(printed[-1]) + 1


def connections(listener: socket.socket) -> int:
    count = 0
    while True:
        try:
            listener.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


@pytest.mark.parametrize("is_read_only", [False, True], ids=["workspace", "read-only"])
async def test_safe_s1_all_hostile_commands_change_nothing_outside_and_reach_nobody(
    hostile_world: World, spill: SpillFolder, listener: socket.socket, is_read_only: bool
) -> None:
    # Who may only read has no network, whatever the settings say.
    walled = WalledEngine(hostile_world, hostile_world.sandbox(network=is_read_only), spill)
    walled.is_read_only = is_read_only
    lists = written_lists(hostile_world.base / "lists", table(listener.getsockname()[1]))
    inside = None if is_read_only else hostile_world.workspace
    before = hostile_world.tree(without=inside)
    try:
        await require_walls(walled, hostile_world, listener)
        await asyncio.gather(*(run_all(walled, listed) for listed in lists))
    finally:
        await walled.close()
    assert hostile_world.tree(without=inside) == before
    assert connections(listener) == 0
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


async def test_the_listener_would_see_a_connection(
    hostile_world: World, spill: SpillFolder, listener: socket.socket
) -> None:
    engine = Engine(hostile_world.workspace, spill)
    await engine.run(CONNECTING[0].format(listener.getsockname()[1]))
    await engine.close()
    assert connections(listener) == 1
