"""Runs of the program as forks of one that is loaded already; there is one for all tests of this process."""

from __future__ import annotations

import functools
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.hang_guard import HANG_GUARD

ROOT = Path(__file__).parents[2]
ANSWER_BYTES = 1000


def forked_run(
    given: Mapping[str, Any], stdin: str | int | None, packages: tuple[str, ...] = ()
) -> tuple[int, str, str]:
    """To its end, and that of whoever else holds its standard streams; gives its exit code, output and errors.

    The packages are those that it would load when it wants them, and has loaded already.
    """
    (from_out, out), (from_err, err) = os.pipe(), os.pipe()
    to_input: int | None = None
    if isinstance(stdin, str):
        its_input, to_input = os.pipe()
    else:
        its_input = os.open(os.devnull, os.O_RDONLY) if stdin is None else os.dup(stdin)
    connection = _ready_program(packages)
    socket.send_fds(connection, [json.dumps(given).encode()], [its_input, out, err])
    for descriptor in (its_input, out, err):
        os.close(descriptor)
    with ThreadPoolExecutor(3) as streams:
        written = [streams.submit(_read, descriptor) for descriptor in (from_out, from_err)]
        if isinstance(stdin, str) and to_input is not None:
            streams.submit(_write, to_input, stdin.encode())
        pid = _answer(connection)["pid"]
        try:
            code = _answer(connection)["code"]
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            _ready_program.cache_clear()
            raise
    output, errors = (each.result().decode() for each in written)
    return code, output, errors


@functools.cache
def _ready_program(packages: tuple[str, ...]) -> socket.socket:
    """It lives as long as somebody may ask it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(HANG_GUARD)
    with theirs:
        command = [sys.executable, "-m", "tests.e2e.ready_program", str(theirs.fileno()), *packages]
        environ = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run(command, cwd=ROOT, env=environ, pass_fds=[theirs.fileno()], check=True, timeout=HANG_GUARD)
    return ours


def _answer(connection: socket.socket) -> dict[str, int]:
    told = connection.recv(ANSWER_BYTES)
    assert told, "the program that was ready is gone"
    return json.loads(told)


def _read(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as opened:
        return opened.read()


def _write(descriptor: int, data: bytes) -> None:
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
    except BrokenPipeError:
        # Nobody wanted to read it.
        return
