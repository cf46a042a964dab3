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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.forked_runs import forked_run
from tests.hang_guard import HANG_GUARD
from tests.trusting import trust_folder

COMMAND = [sys.executable, "-m", "code_assistant"]
SDK = ("anthropic", "anthropic.lib.bedrock", "anthropic.lib.vertex")
INTERPRETER_VARIABLES = {
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    # Nothing of a test belongs into somebody's keyring.
    "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
}


@dataclass(frozen=True)
class Finished:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


class Program:
    """One person's machine: a home, a folder with code, the variables of the shell.

    Whatever folder it is started in has been trusted before, unless `trusts` is turned off.
    """

    def __init__(self, home: Path, folder: Path, url: str, key: str | None = "test-key-1") -> None:
        self.command = COMMAND
        self.trusts = True
        self.home = home
        self.folder = folder
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "ANTHROPIC_BASE_URL": url,
            # What is tried again has tests of its own; these would only wait.
            "CODE_ASSISTANT_REQUEST__MAX_RETRIES": "0",
            # Commands run in the sandbox; where a test meets them lies beside the folder.
            "CODE_ASSISTANT_SANDBOX__WRITABLE": str(folder.parent),
            **INTERPRETER_VARIABLES,
        }
        if key is not None:
            self.environ["ANTHROPIC_API_KEY"] = key

    def without_own_tools(self) -> None:
        """Run under the bare interpreter from now on: programs beside the environment's own are not found then."""
        self.command = [os.path.realpath(sys.executable), "-m", "code_assistant"]
        self.environ["PYTHONPATH"] = os.pathsep.join(sys.path)

    def trust(self, arguments: Sequence[str] = (), folder: Path | None = None) -> None:
        """The folder that it is started in, and those that are named."""
        named = [Path(each) for each in arguments if os.path.isabs(each) and Path(each).is_dir()]
        for each in (folder or self.folder, *named) if self.trusts else ():
            trust_folder(each, self.environ)

    def run(self, *arguments: str, stdin: str | int | None = None, folder: Path | None = None) -> Finished:
        """Run it to its end, without loading it anew each time. Standard input is a text, a descriptor, or nothing."""
        if self.command != COMMAND or self._own_interpreter_variables() != INTERPRETER_VARIABLES:
            return self._finished([*self.command, *arguments], stdin, folder)
        self.trust(arguments, folder)
        given = {"arguments": arguments, "environ": self.environ, "folder": str(folder or self.folder)}
        # The package looks at its own variable when it is loaded.
        uses_sdk = self.environ.get("CODE_ASSISTANT_ANTHROPIC__TRANSPORT") == "sdk"
        loads_sdk = uses_sdk and "ANTHROPIC_LOG" not in self.environ
        return Finished(*forked_run(given, stdin, SDK if loads_sdk else ()))

    def _own_interpreter_variables(self) -> dict[str, str]:
        """What Python looks at before it runs anything."""
        return {name: value for name, value in self.environ.items() if name.startswith(("PYTHON", "LC_", "LANG"))}

    def shell(self, command: str) -> Finished:
        """Run a line of shell in which `code-assistant` is the program."""
        return self._finished(["sh", "-c", command.replace("code-assistant", shlex.join(self.command))], None, None)

    def python(self, *arguments: str) -> Finished:
        return self._finished([self.command[0], *arguments], None, None)

    def _finished(self, command: list[str], stdin: str | int | None, folder: Path | None) -> Finished:
        self.trust(command[1:], folder)
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
        self.trust(arguments)
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
        self.trust(arguments)
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
