"""A small world for commands to attack: a home with secrets, a workspace in it, and things outside."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from pathlib import Path

import pytest

from code_assistant.workspace.commands.background import BackgroundCommand
from code_assistant.workspace.commands.ending import Ending
from code_assistant.workspace.commands.running import Command
from code_assistant.workspace.commands.sandbox.detection import bubblewrap_works, find_bubblewrap, landlock_works
from code_assistant.workspace.commands.sandbox.policy import Confinement
from code_assistant.workspace.commands.sandbox.sandbox import Grounds, Sandbox
from code_assistant.workspace.spill import SpillFolder
from tests.hang_guard import HANG_GUARD
from tests.unit.workspace.commands.support import Engine

SECRET = "hush-0815"


def _bubblewrap_works() -> bool:
    program, place = find_bubblewrap(), Path("/var/empty") if Path("/var/empty").is_dir() else Path("/mnt")
    confinement = Confinement((), place, Path("/nowhere"), is_read_only=True, has_network=False)
    return program is not None and bubblewrap_works(program, confinement, place)


HAS_BUBBLEWRAP = _bubblewrap_works()
needs_bubblewrap = pytest.mark.skipif(not HAS_BUBBLEWRAP, reason="bubblewrap is missing, or may not be used here")
needs_landlock = pytest.mark.skipif(not landlock_works(), reason="this kernel has no Landlock")


def git(folder: Path, *words: str) -> str:
    begin = ("git", "-c", "user.name=n", "-c", "user.email=e@x", "-C", str(folder))
    return subprocess.run([*begin, *words], check=True, capture_output=True, text=True).stdout


class World:
    """`base` must not lie below /tmp, which commands have their own of."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.home = base / "home"
        self.workspace = self.home / "project"
        self.outside = base / "outside"
        self.state = self.home / "state"
        for folder in (self.workspace, self.outside / "folder", self.state, self.home / ".ssh", self.home / ".aws"):
            folder.mkdir(parents=True)
        for file in (self.home / ".ssh/id", self.home / ".aws/credentials", self.home / ".netrc", self.state / "key"):
            file.write_text(SECRET)
        (self.outside / "file").write_text("as it was")
        (self.home / ".bashrc").write_text("# as it was")
        (self.workspace / "code.py").write_text("pass\n")

    def make_repository(self) -> None:
        for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
            git(self.workspace, *words)

    def sandbox(self, *, network: bool = True, others: tuple[Path, ...] = ()) -> Sandbox:
        grounds = Grounds((self.workspace,), self.home, (self.state,), others, has_network=network)
        return Sandbox(grounds, SpillFolder(self.state / "scratch" / "1"), self.state / "stand-ins")

    def tree(self, *, without: Path | None = None) -> dict[str, str]:
        """Every entry with its kind, mode and content; of what lies below the state folder nothing."""
        return {
            str(path.relative_to(self.base)): _print_of(path)
            for path in sorted(self.base.rglob("*"))
            if not path.is_relative_to(self.state) and (without is None or not path.is_relative_to(without))
        }


class WalledEngine(Engine):
    """Commands run in the sandbox of a world."""

    def __init__(self, world: World, sandbox: Sandbox, spill: SpillFolder) -> None:
        super().__init__(world.workspace, spill)
        self.sandbox = sandbox
        self.is_read_only = False

    def command(self, text: str) -> Command:
        return Command(text, self.folder, self.sandbox, self.is_read_only)

    async def close(self) -> None:
        await super().close()
        await self.sandbox.close()


async def running(engine: WalledEngine, text: str) -> BackgroundCommand:
    """Once it has said `up`."""
    background = await engine.background(text)
    while "up\n" not in (await background.look(HANG_GUARD)).text:
        assert background.running.is_running
    return background


async def ended(background: BackgroundCommand) -> Ending:
    assert await background.running.wait(HANG_GUARD)
    return background.running.ending


def _print_of(path: Path) -> str:
    status = path.lstat()
    mode = f"{stat.S_IFMT(status.st_mode):o} {stat.S_IMODE(status.st_mode):o}"
    if path.is_symlink():
        return f"{mode} {os.readlink(path)}"
    return f"{mode} {hashlib.sha256(path.read_bytes()).hexdigest()}" if path.is_file() else mode
