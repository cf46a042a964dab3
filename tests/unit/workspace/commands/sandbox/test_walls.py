"""What commands cannot do between the walls of bubblewrap, by trying."""

from __future__ import annotations

import os
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from code_assistant.workspace.commands.sandbox.hidden import hidden_places
from code_assistant.workspace.commands.sandbox.sandbox import Sandbox
from code_assistant.workspace.commands.supervision.landlock import VERSION_WITH_SCOPES, version
from code_assistant.workspace.spill import SpillFolder
from tests.hang_guard import HANG_GUARD
from tests.unit.workspace.commands.sandbox.world import SECRET, WalledEngine, World, needs_bubblewrap
from tests.unit.workspace.commands.support import Engine

pytestmark = needs_bubblewrap

# Each must fail, or come to nothing outside; {0} is a folder outside, {1} the home, {2} a port, {3} a process of ours.
HOSTILE = {
    "write outside": "echo x > {0}/file",
    "append outside": "echo x >> {0}/file",
    "create outside": "echo x > {0}/new",
    "make a folder outside": "mkdir {0}/made",
    "delete outside": "rm -rf {0}/folder {0}/file",
    "rename outside": "mv {0}/file {0}/other",
    "modes outside": "chmod 777 {0}/file {0}",
    "times outside": "touch {0}/file",
    "attributes outside": 'python3 -c \'import os; os.setxattr("{0}/file", "user.x", b"x")\'',
    "truncate outside": "truncate -s 0 {0}/file",
    "hard link into the workspace": "ln {0}/file here && echo x > here",
    "link out of the workspace": "ln -s {0}/file way && echo x > way",
    "link to a folder outside": "ln -s {0} dir && echo x > dir/new",
    "by the root of a process": "echo x > /proc/self/root{0}/new",
    "by the folder of a process": "cd {0} && echo x > /proc/self/cwd/new",
    "start-up files": "echo x >> {1}/.bashrc; echo x > {1}/.profile",
    "own state": "echo x > {1}/state/key",
    "mount over": "mount -t tmpfs none {0}",
    "mount writable": "mount -o remount,rw,bind {0}",
    "namespaces of its own": "unshare -Urm sh -c 'mount -o remount,rw,bind / ; umount -l {0}; echo x > {0}/new'",
    "chroot": "chroot / sh -c 'echo x > {0}/new'",
    "make a device": "mknod {0}/disk b 8 0 || mknod disk b 8 0",
    # Each with the value that it has: where the walls did not hold, nothing would change.
    "kernel settings": "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern",
    "memory of the kernel": "cat /sys/kernel/mm/ksm/run > /sys/kernel/mm/ksm/run",
    "groups of processes": "mkdir /sys/fs/cgroup/mine",
    "kill others": "kill -9 {3}",
    "look into others": "cat /proc/{3}/environ; test -e /proc/{3} && cat /proc/{3}/cmdline | grep -q pytest",
    "sockets of services": "ls -A /run/docker.sock /run/user /run/dbus /run/systemd/private",
    "type into the terminal": 'python3 -c \'import fcntl; fcntl.ioctl(open("/dev/tty"), 0x5412, b"x")\'',
    "write to the terminal": "echo x > /dev/tty",
}


def _script(world: World, port: int) -> str:
    values = (world.outside, world.home, port, os.getpid())
    lines = [f"( {words.format(*values)} ) >/dev/null 2>&1 && echo 'DID: {name}'" for name, words in HOSTILE.items()]
    return "\n".join([*lines, "echo end"])


@pytest.mark.parametrize("is_read_only", [False, True], ids=["workspace", "read-only"])
async def test_safe_s1_nothing_outside_changes(walled: WalledEngine, world: World, is_read_only: bool) -> None:
    walled.is_read_only = is_read_only
    inside = None if is_read_only else world.workspace
    before = world.tree(without=inside)
    printed = await walled.text(_script(world, 0))
    assert printed == "end\n", printed
    assert world.tree(without=inside) == before


async def test_the_attacks_would_work_without_walls(world: World, spill: SpillFolder) -> None:
    """Or the table above proves nothing. Only those that stay in the world are tried."""
    engine = Engine(world.workspace, spill)
    names = ["write outside", "create outside", "rename outside", "link out of the workspace", "start-up files"]
    names += ["hard link into the workspace", "by the root of a process", "modes outside"]
    for name in names:
        words = HOSTILE[name].format(world.outside, world.home, 0, 0)
        (world.outside / "file").write_text("as it was")
        assert (await engine.run(words)).ending.is_good, name
    await engine.close()


@pytest.mark.parametrize("is_read_only", [False, True], ids=["workspace", "read-only"])
async def test_safe_s1_secrets_cannot_be_read(walled: WalledEngine, world: World, is_read_only: bool) -> None:
    walled.is_read_only = is_read_only
    home = world.home
    printed = await walled.text(
        f"cat {home}/.ssh/id {home}/.aws/credentials {home}/.netrc {home}/state/key; grep -r {SECRET} {home}; "
        f"ls -A {home}/.ssh {home}/state; cat {home}/.bashrc"
    )
    assert SECRET not in printed
    assert "# as it was" in printed


async def test_safe_s1_only_the_workspace_and_a_tmp_of_its_own_can_be_written(
    walled: WalledEngine, world: World
) -> None:
    assert await walled.text("echo a > new && mkdir -p deep/er && echo b > deep/er/file && cat new && pwd") == (
        f"a\n{world.workspace}\n"
    )
    assert (world.workspace / "deep/er/file").read_text() == "b\n"
    # It lasts from command to command, and nobody else sees it.
    mine = Path("/tmp") / world.base.name
    await walled.text(f"echo kept > {mine}; echo $TMPDIR > where")
    assert await walled.text(f"cat {mine}") == "kept\n"
    assert mine.name not in os.listdir(mine.parent)
    assert (world.workspace / "where").read_text() == "/tmp\n"


async def test_safe_s1_read_only_lets_nothing_but_tmp_be_written(walled: WalledEngine, world: World) -> None:
    walled.is_read_only = True
    before = world.tree()
    printed = await walled.text(
        "echo a > new; rm code.py; chmod 0 code.py; echo > /tmp/x && echo tmp; cat code.py; "
        "echo > /dev/shm/x && echo shm"
    )
    assert "tmp\npass\nshm\n" in printed
    assert world.tree() == before


async def test_safe_s1_read_only_has_no_network(walled: WalledEngine, world: World, spill: SpillFolder) -> None:
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        port = listener.getsockname()[1]
        name = f"\0walls-{world.base.name}"
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(name)
        abstract.listen()
        knock = (
            f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached; "
            f"python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"\\0{name[1:]}\")' && echo reached; "
            "true"
        )
        walled.is_read_only = True
        assert "reached" not in await walled.text(knock)
        without = WalledEngine(world, world.sandbox(network=False), spill)
        assert "reached" not in await without.text(knock)
        await without.close()
        listener.settimeout(0)
        abstract.settimeout(0)
        for each in (listener, abstract):
            with pytest.raises(BlockingIOError):
                each.accept()
        walled.is_read_only = False
        printed = await walled.text(knock)
        # With a network its ports are there; what is no file is kept back by the kernel, if it is new enough.
        assert printed.count("reached") == (1 if version() >= VERSION_WITH_SCOPES else 2)
        listener.settimeout(HANG_GUARD)
        listener.accept()[0].close()


async def test_a_workspace_below_tmp_is_there_and_its_neighbours_are_not(
    tmp_path: Path, world: World, spill: SpillFolder
) -> None:
    (tmp_path / "neighbour").write_text("n")
    world.workspace = tmp_path / "ws"
    world.workspace.mkdir()
    engine = WalledEngine(world, world.sandbox(), spill)
    assert await engine.text("echo x > made && ls; ls ..") == "made\nws\n"
    engine.is_read_only = True
    assert "Read-only" in await engine.text("echo x > more")
    assert os.listdir(world.workspace) == ["made"]
    await engine.close()


async def test_folders_that_the_person_named_can_be_written(world: World, spill: SpillFolder) -> None:
    cache = world.home / ".cache"
    cache.mkdir()
    engine = WalledEngine(world, world.sandbox(others=(cache, world.home / "missing")), spill)
    assert await engine.text(f"echo x > {cache}/made && echo done") == "done\n"
    await engine.close()


async def test_safe_s2_where_it_runs_makes_nothing_writable(walled: WalledEngine, world: World) -> None:
    before = world.tree()
    for folder in (world.outside, world.home, Path("/")):
        walled.folder = folder
        assert await walled.text("pwd; (echo x > made) 2>/dev/null || echo no") == f"{folder}\nno\n"
    assert world.tree() == before


async def test_safe_s2_a_folder_above_home_is_never_writable(world: World, spill: SpillFolder) -> None:
    world.workspace = world.base
    engine = WalledEngine(world, world.sandbox(), spill)
    before = world.tree()
    await engine.text("echo x > a; echo x >> home/.bashrc; echo x > home/project/new")
    assert world.tree() == before
    await engine.close()


async def test_safe_s2_in_a_home_folder_start_up_files_stay_as_they_are(world: World, spill: SpillFolder) -> None:
    world.workspace = world.home
    engine = WalledEngine(world, world.sandbox(), spill)
    before = world.tree(without=world.home / "project")
    printed = await engine.text(
        "echo x >> .bashrc; echo x > .zshenv; mkdir .config; ln -sf /etc/passwd .profile; echo x > project/new; "
        "mv .bashrc gone; cat .ssh/id; echo end"
    )
    assert world.tree(without=world.home / "project") == before
    assert (world.home / "project/new").exists()
    assert SECRET not in printed
    await engine.close()


async def test_safe_s4_what_fails_later_is_not_run_bare(world: World, spill: SpillFolder, tmp_path: Path) -> None:
    sandbox: Sandbox = world.sandbox()
    engine = WalledEngine(world, sandbox, spill)
    assert await sandbox.find_out() == "bubblewrap"
    # As if the system had begun to forbid it.
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n")
    broken.chmod(0o755)
    sandbox._start = (str(broken),)  # pyright: ignore[reportPrivateUsage]
    finished = await engine.run("touch ran")
    assert finished.ending.status == 1
    assert finished.output.parts.head == "bwrap: No permissions\n", "however often it was tried"
    assert not (world.workspace / "ran").exists()
    await engine.close()


def test_only_files_and_folders_are_hidden_and_none_of_the_workspace(tmp_path: Path) -> None:
    home, workspace = tmp_path / "home", tmp_path / "dotfiles"
    home.mkdir()
    workspace.mkdir()
    (workspace / "npmrc").write_text("x")
    (home / ".npmrc").symlink_to(workspace / "npmrc")
    (home / ".bash_history").symlink_to("/dev/null")
    (home / ".netrc").write_text("x")
    (home / ".ssh").mkdir()
    assert hidden_places(home, (), (workspace,)) == (home / ".ssh", home / ".netrc")
    # Where the home folder itself is opened its keys stay hidden.
    assert home / ".ssh" in hidden_places(home, (), (home,))


async def test_endings_are_told_as_without_walls(walled: WalledEngine, marker: str) -> None:
    assert (await walled.run("exit 7")).ending.status == 7
    left = (await walled.run(f"sleep {marker} & echo up")).ending
    assert (left.status, left.left_running) == (0, True)
    quick = (await walled.run("echo a > >(cat > late)")).ending
    assert not quick.left_running
    assert (walled.folder / "late").read_text() == "a\n"


async def test_safe_s5_the_environment_is_the_allow_list(walled: WalledEngine) -> None:
    walled.supervisor.environment = {"PATH": "/usr/bin:/bin", "HOME": "/root", "LANG": "C"}
    printed = await walled.text("env -u _ -u SHLVL -u PWD -u OLDPWD env")
    assert set(printed.split()) == {"PATH=/usr/bin:/bin", "HOME=/root", "LANG=C", "TMPDIR=/tmp"}
