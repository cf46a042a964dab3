"""The program, loaded and about to begin: each run is a fork of it, which saves what Python takes to load it.

Whatever a run is given it gets here as from a shell: arguments, variables, folder, standard streams, a process of its
own that ends as Python ends. Nothing of the screen is loaded before it is wanted, and of the services' own packages
only what is named.
"""

from __future__ import annotations

import gc
import importlib
import io
import json
import os
import random
import socket
import sys
from collections.abc import Sequence
from typing import Any

# Far more than the variables and arguments of a run.
REQUEST_BYTES = 1 << 20
LOADED = ("one_prompt", "check_setup", "headless.run", "sessions_command", "session_choice")
LOADED_WHEN_WANTED = ("textual", "anthropic", "openai", "keyring")


def main() -> None:
    # Nobody's child: tests look at their own children.
    if os.fork():
        return
    os.setsid()
    connection = socket.socket(fileno=int(sys.argv[1]))
    load(sys.argv[2:])
    while request := socket.recv_fds(connection, REQUEST_BYTES, 3):
        data, streams, _, _ = request
        if not data:
            return
        pid = os.fork()
        if pid == 0:
            connection.close()
            begin(json.loads(data), streams)
            return
        for descriptor in streams:
            os.close(descriptor)
        connection.send(json.dumps({"pid": pid}).encode())
        _, status = os.waitpid(pid, 0)
        connection.send(json.dumps({"code": os.waitstatus_to_exitcode(status)}).encode())


def load(packages: Sequence[str]) -> None:
    for name in LOADED:
        importlib.import_module(f"code_assistant.{name}")
    assert not set(LOADED_WHEN_WANTED) & set(sys.modules)
    for name in packages:
        importlib.import_module(name)
    gc.freeze()


def begin(given: dict[str, Any], streams: Sequence[int]) -> None:
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(given["folder"])
    os.environ.clear()
    os.environ.update(given["environ"])
    # As Python opens them where nobody looks at a terminal.
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(
        io.BufferedReader(io.FileIO(0, closefd=False)), errors="surrogateescape"
    )
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(1, "w", closefd=False)), errors="surrogateescape"
    )
    sys.stderr = sys.__stderr__ = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w", closefd=False)), errors="backslashreplace", line_buffering=True
    )
    sys.argv = [sys.argv[0], *given["arguments"]]
    random.seed()

    from code_assistant.__main__ import main as run_program

    run_program()


if __name__ == "__main__":
    main()
