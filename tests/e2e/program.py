"""Runs the installed program as a person would: its own process, a home of its own, pipes or a terminal."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HANG_GUARD = 60
COMMAND = [sys.executable, "-m", "code_assistant"]


@dataclass(frozen=True)
class Finished:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


class Program:
    """One person's machine: a home, a folder with code, the variables of the shell."""

    def __init__(self, home: Path, folder: Path, url: str, key: str | None = "test-key") -> None:
        self.command = COMMAND
        self.home = home
        self.folder = folder
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": url,
            "PYTHONDONTWRITEBYTECODE": "1",
            # What is tried again has tests of its own; these would only wait.
            "CODE_ASSISTANT_REQUEST__MAX_RETRIES": "0",
            # Commands run in the sandbox; where a test meets them lies beside the folder.
            "CODE_ASSISTANT_SANDBOX__WRITABLE": str(home.parent),
            # Nothing of a test belongs into somebody's keyring.
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        }
        if key is not None:
            self.environ["ANTHROPIC_API_KEY"] = key

    def without_own_tools(self) -> None:
        """Run under the bare interpreter from now on: programs beside the environment's own are not found then."""
        self.command = [os.path.realpath(sys.executable), "-m", "code_assistant"]
        self.environ["PYTHONPATH"] = os.pathsep.join(sys.path)

    def run(self, *arguments: str, stdin: str | int | None = None, folder: Path | None = None) -> Finished:
        """Run it to its end. Standard input is a text, a descriptor, or nothing."""
        return self._finished([*self.command, *arguments], stdin, folder)

    def shell(self, command: str) -> Finished:
        """Run a line of shell in which `code-assistant` is the program."""
        return self._finished(["sh", "-c", command.replace("code-assistant", shlex.join(self.command))], None, None)

    def python(self, *arguments: str) -> Finished:
        return self._finished([self.command[0], *arguments], None, None)

    def _finished(self, command: list[str], stdin: str | int | None, folder: Path | None) -> Finished:
        text = stdin.encode() if isinstance(stdin, str) else None
        descriptor = subprocess.DEVNULL if stdin is None else stdin if isinstance(stdin, int) else None
        done = subprocess.run(
            command,
            cwd=folder or self.folder,
            env=self.environ,
            capture_output=True,
            timeout=HANG_GUARD,
            check=False,
            input=text,
            stdin=descriptor,
        )
        return Finished(done.returncode, done.stdout.decode(), done.stderr.decode())

    @contextlib.contextmanager
    def started(self, *arguments: str, stdin: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen(
            [*self.command, *arguments],
            cwd=self.folder,
            env=self.environ,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    @contextlib.contextmanager
    def in_terminal(self, *arguments: str) -> Iterator[Terminal]:
        pid, descriptor = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(self.command[0], [*self.command, *arguments], self.environ)
        terminal = Terminal(pid, descriptor)
        try:
            yield terminal
        finally:
            terminal.close()


class Terminal:
    """A program in a real pseudo-terminal, and every byte it wrote there."""

    def __init__(self, pid: int, descriptor: int) -> None:
        self._pid = pid
        self._descriptor = descriptor
        self._code: int | None = None
        self.written = b""

    def read_until(self, seen: Callable[[bytes], bool]) -> None:
        """Read until the bytes so far satisfy the test; the end of the program ends it too."""
        deadline = time.monotonic() + HANG_GUARD
        while not seen(self.written):
            if not select.select([self._descriptor], [], [], deadline - time.monotonic())[0]:
                raise TimeoutError(f"the terminal shows only {self.written!r}")
            try:
                chunk = os.read(self._descriptor, 65536)
            except OSError:
                # Linux says EIO when the other side of the terminal is gone.
                chunk = b""
            if not chunk:
                return
            self.written += chunk

    def press(self, keys: bytes) -> None:
        os.write(self._descriptor, keys)

    def finish(self) -> int:
        """Read to the end; gives the exit code."""
        self.read_until(lambda written: False)
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._code

    def close(self) -> None:
        if self._code is None:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._descriptor)
