"""What a command finds when it runs: its exact text, its environment, its folder, no input and no terminal."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.commands.environment import command_environment
from code_assistant.workspace.commands.running import Command
from code_assistant.workspace.commands.shell import Shell
from code_assistant.workspace.commands.supervisor import Supervisor
from tests.hang_guard import HANG_GUARD
from tests.unit.workspace.commands.support import Engine, change_supervision


async def test_output_exit_code_and_duration(engine: Engine) -> None:
    finished = await engine.run("echo out; echo err >&2; exit 3")
    assert finished.output.parts.head == "out\nerr\n"
    assert (finished.ending.status, finished.timed_out) == (3, False)
    assert finished.ending.duration > 0
    assert finished.ending.remarks == ()


@pytest.mark.parametrize(("text", "status"), [("true", 0), ("false", 1), ("no-such-program", 127), ("kill $$", -15)])
async def test_the_status_is_the_shell_s_own(engine: Engine, text: str, status: int) -> None:
    assert (await engine.run(text)).ending.status == status


EXACT = [
    """echo "a 'b'" 'c "d"' \\$HOME `echo "$((1+1))"`""",
    "echo one\necho two\n\n\techo three",
    "-e",
    "--version",
    "# only a comment",
    "echo 'é€😀\u200b\u202e\x01\x7f\r'",
    "echo a  b   c ",
    "\n\n",
    "cat <<'END'\n  kept  \nEND\n",
    ": " + "x" * 29_998,
    ": " + "😀" * 29_998,
]


@pytest.mark.parametrize("text", EXACT, ids=range(len(EXACT)))
async def test_safe_b6_the_shell_is_given_the_exact_bytes(
    engine: Engine, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listening = tmp_path / "listening"
    listening.write_text('#!/bin/sh\nprintf "%s|" "$@" > got\n')
    listening.chmod(0o700)
    monkeypatch.setattr("code_assistant.workspace.commands.running.shell", lambda: Shell(str(listening)))
    assert (await engine.run(text)).ending.status == 0
    assert (engine.folder / "got").read_bytes() == b"-c|--|" + text.encode() + b"|"


async def test_safe_b6_the_longest_command_runs(engine: Engine) -> None:
    assert (await engine.run("exit 5 # " + "😀" * 29_991)).ending.status == 5


async def test_safe_b6_a_leading_dash_is_no_option(engine: Engine) -> None:
    finished = await engine.run("-c 'touch x'")
    assert finished.ending.status == 127
    assert list(engine.folder.iterdir()) == []


async def test_without_bash_whatever_sh_is_runs_it(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("code_assistant.workspace.commands.running.shell", lambda: Shell("/bin/sh"))
    assert await engine.text("-x 2>&1; echo $0; echo '-n'") != ""
    assert (await engine.run("exit 7")).ending.status == 7


async def test_a_shell_that_is_not_there_is_said(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("code_assistant.workspace.commands.running.shell", lambda: Shell("/no/such/shell"))
    with pytest.raises(WorkspaceError, match="could not be started: No such file or directory"):
        await engine.run("true")
    assert (await engine.commands.close()) is None


async def test_safe_s5_the_environment_is_exactly_ours(engine: Engine) -> None:
    environment = {**command_environment(os.environ), "TZ": "a=b\nc", "LANG": "é"}
    engine.supervisor.environment = environment
    printed = await engine.text("env -0")
    found = dict(entry.split("=", 1) for entry in printed.split("\u2400") if entry)
    # Of these bash makes its own.
    own = {"PWD": str(engine.folder), "SHLVL": found["SHLVL"], "_": found["_"]}
    assert found == {**environment, **own}
    for path in ("/proc/$$/environ", "/proc/$PPID/environ"):
        names = (await engine.text(f"tr '\\0' '\\n' < {path} | cut -d= -f1")).split()
        assert not any("KEY" in name or "TOKEN" in name for name in names)


async def test_safe_s5_no_start_up_file_is_read(engine: Engine, tmp_path: Path) -> None:
    for name in (".bashrc", ".bash_profile", ".profile"):
        (tmp_path / name).write_text("echo hidden\n")
    engine.supervisor.environment["HOME"] = str(tmp_path)
    assert await engine.text("echo shown") == "shown\n"


async def test_safe_o4_there_is_no_input(engine: Engine) -> None:
    assert await engine.text("cat; readlink /proc/self/fd/0; read line; echo $?") == "/dev/null\n1\n"


async def test_safe_o4_there_is_no_terminal(engine: Engine) -> None:
    finished = await engine.run("(echo x > /dev/tty) 2>&1; tty; test -t 0 || test -t 1 || test -t 2 || echo none")
    assert "No such device or address" in finished.output.parts.head
    assert finished.output.parts.head.endswith("not a tty\nnone\n")


IN_TERMINAL = """
import asyncio, os, sys
from pathlib import Path
from code_assistant.workspace.spill import SpillFolder
from tests.unit.workspace.commands.support import Engine

async def main():
    engine = Engine(Path("/"), SpillFolder(Path("/nowhere")))
    result = await engine.run("ps -o tty= -p $$; echo stray > /dev/tty")
    await engine.close()
    print(repr((result.output.parts.head.split()[0], result.ending.status)))

asyncio.run(main())
"""


def test_safe_o4_a_program_with_a_terminal_keeps_it_to_itself() -> None:
    pid, descriptor = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", IN_TERMINAL])
    shown = b""
    try:
        while data := os.read(descriptor, 4096):
            shown += data
    except OSError:
        # Linux says EIO when the other side of the terminal is gone.
        pass
    finally:
        os.close(descriptor)
        os.waitpid(pid, 0)
    assert shown == b"('?', 1)\r\n"


async def test_it_has_a_group_of_its_own_in_its_keepers_session_and_no_descriptor_of_ours(engine: Engine) -> None:
    stat = (await engine.text("cat /proc/$$/stat")).split()
    pid, parent, group, session = stat[0], *stat[3:6]
    assert (pid, parent) == (group, session)
    assert await engine.text("ls /proc/$$/fd; true") == "0\n1\n2\n"


async def test_no_signal_is_ignored_or_blocked(engine: Engine) -> None:
    printed = await engine.text("grep -E 'Sig(Blk|Ign)' /proc/self/status")
    # The C library keeps 32 and 33 for itself.
    for line in printed.splitlines():
        assert int(line.split()[1], 16) & ~(0b11 << 31) == 0, line


async def test_it_runs_in_its_folder(engine: Engine) -> None:
    inner = engine.folder / "sub folder é"
    inner.mkdir()
    finished = await engine.commands.run(Command("pwd -P", inner), engine.spill, lambda _: None, HANG_GUARD)
    assert finished.output.parts.head == f"{inner}\n"


@pytest.mark.parametrize("swapped", ["folder", "parent"])
async def test_safe_p3_a_folder_swapped_for_a_link_is_refused(engine: Engine, tmp_path: Path, swapped: str) -> None:
    inner, outside = engine.folder / "parent" / "inner", tmp_path / "outside" / "inner"
    inner.mkdir(parents=True)
    outside.mkdir(parents=True)
    command = Command("touch here", inner)
    victim = inner if swapped == "folder" else inner.parent
    victim.rename(tmp_path / "moved")
    victim.symlink_to(outside if swapped == "folder" else outside.parent)
    with pytest.raises(WorkspaceError, match="its folder is no longer what it was"):
        await engine.commands.run(command, engine.spill, lambda _: None, HANG_GUARD)
    assert list(outside.iterdir()) == []


async def test_a_folder_that_is_gone_is_said(engine: Engine) -> None:
    missing = Command("true", engine.folder / "gone")
    with pytest.raises(WorkspaceError, match="its folder is no longer what it was"):
        await engine.commands.run(missing, engine.spill, lambda _: None, HANG_GUARD)
    with pytest.raises(WorkspaceError, match="its folder is no longer what it was"):
        await engine.commands.start_in_background(missing, engine.spill)
    assert engine.commands.news() == ()


async def test_invalid_text_nul_bytes_and_progress_bars_come_as_they_are(engine: Engine) -> None:
    finished = await engine.run(r"printf 'a\377\0b\n10%%\r100%%\n'")
    assert finished.output.parts.head == "a\ufffd\u2400b\n10%\r100%\n"


async def test_a_command_that_closes_its_output_goes_on(engine: Engine) -> None:
    finished = await engine.run("echo said; exec >&- 2>&-; touch after; exit 4")
    assert (finished.output.parts.head, finished.ending.status) == ("said\n", 4)
    assert (engine.folder / "after").exists()


async def test_words_written_after_the_shell_has_ended_are_kept(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_supervision(monkeypatch, "keeper.SECONDS_TO_FINISH = 60")
    # Nobody waits for tee, whose input ends only with the shell.
    finished = await engine.run("exec > >(tee log); echo words")
    assert finished.output.parts.head == "words\n"
    assert (finished.ending.status, finished.ending.left_running) == (0, False)


def test_the_supervisor_s_arguments_and_environment_hold_no_key() -> None:
    """K1: by what the kernel shows of it."""
    code = (
        "import asyncio; from pathlib import Path\n"
        "from code_assistant.workspace.spill import SpillFolder\n"
        "from tests.unit.workspace.commands.support import Engine\n"
        "async def main():\n"
        "    engine = Engine(Path('/'), SpillFolder(Path('/nowhere')))\n"
        "    print(await engine.text('cat /proc/$PPID/cmdline /proc/$PPID/environ'))\n"
        "    await engine.close()\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "ANTHROPIC_API_KEY": "sk-ant-secret"},
        capture_output=True,
        text=True,
        timeout=HANG_GUARD,
        check=True,
    )
    assert "supervision.main" in done.stdout
    assert "sk-ant-secret" not in done.stdout
    assert "ANTHROPIC" not in done.stdout


async def test_a_signal_ends_the_shell_s_name_is_given(engine: Engine) -> None:
    finished = await engine.run("kill -SEGV $$")
    assert finished.ending.status == -signal.SIGSEGV
    assert finished.ending.words == "ended by SIGSEGV"


async def test_a_closed_supervisor_starts_nothing() -> None:
    supervisor = Supervisor({})
    await supervisor.close()
    with pytest.raises(WorkspaceError, match="session is ending"):
        supervisor.take()
