"""What must run unasked: it is proved, and then run for real, after which nothing has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from code_assistant.permissions.shell.analysing import analyse
from code_assistant.permissions.shell.globs import FolderNames
from code_assistant.permissions.shell.reading_environment import reading_environment
from tests.unit.permissions.shell.everyday import build_workspace, everyday_commands, state_of
from tests.unit.permissions.shell.support import verdict

FOLDERS = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin")
# The shell did not find it, or could not run it; git was not given what it knows.
WRONG = {126, 127, 129}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    folder = tmp_path_factory.mktemp("everyday") / "workspace"
    folder.mkdir()
    build_workspace(folder)
    return folder


def test_safe_b3_everyday_commands_are_proved(workspace: Path) -> None:
    commands = everyday_commands()
    assert len(commands) >= 250
    asked = {
        command: judged.reason
        for command in commands
        if not (judged := verdict(command, FolderNames(workspace))).is_read_only
    }
    assert not asked


def test_safe_b1_what_was_proved_changes_nothing_when_it_runs(workspace: Path) -> None:
    commands = [command for command in everyday_commands() if _is_installed(command)]
    before = state_of(workspace)
    codes = _run(commands, workspace)
    after = state_of(workspace)
    assert after == before, _culprits(commands, workspace, before)
    wrong = {command: code for command, code in zip(commands, codes, strict=True) if code in WRONG}
    assert not wrong


def _is_installed(command: str) -> bool:
    programs = [member.program for member in analyse(command).members]
    builtins = {"cd", "type", "command", "time", "["}
    path = os.pathsep.join(FOLDERS)
    return all(program in builtins or shutil.which(program or "", path=path) for program in programs)


def _run(commands: Sequence[str], folder: Path) -> list[int]:
    """All of them in one shell, each in a shell of its own below it; their exit codes."""
    script = "".join(f"(\n{command}\n) </dev/null >/dev/null 2>&1\necho $?\n" for command in commands)
    environment = {"HOME": str(folder.parent), "LANG": "C.UTF-8", "TERM": "dumb", **reading_environment(FOLDERS)}
    inner = ["bash", "-c", script]
    # Only the workspace can be written, so that what would be written elsewhere fails, and what is written here shows.
    walls = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", str(folder), str(folder)]
    has_walls = shutil.which("bwrap") and subprocess.run([*walls, "true"], capture_output=True).returncode == 0
    ran = subprocess.run(
        [*walls, "--unshare-net", *inner] if has_walls else inner,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ran.returncode == 0, ran.stderr
    return [int(code) for code in ran.stdout.split()]


def _culprits(commands: Sequence[str], folder: Path, before: object) -> str:
    """Which of them change something: each by itself in a workspace made anew."""
    found: list[str] = []
    for command in commands:
        shutil.rmtree(folder)
        folder.mkdir()
        build_workspace(folder)
        fresh = state_of(folder)
        _run([command], folder)
        if state_of(folder) != fresh:
            found.append(command)
    return f"something was changed by {found}"
