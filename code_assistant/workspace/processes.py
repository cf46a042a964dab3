"""The processes of a search: what they know of the person's environment, and their certain end."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import cache

from code_assistant.workspace.commands.environment import SYSTEM_FOLDERS

SECONDS_TO_DRAIN = 2.0
PIPE_BYTES = 1 << 20
SECONDS_TO_TRY = 2.0
ALWAYS_PASSED = ("PATH", "HOME", "LANG")


def environment_with(*names: str) -> dict[str, str]:
    """The least that a program needs, and none of our keys."""
    return {name: os.environ[name] for name in (*ALWAYS_PASSED, *names) if name in os.environ}


async def tied(name: str, program: str, *arguments: str) -> tuple[str, tuple[str, ...]]:
    """What to execute, and with which words, so that the kernel ends the program should ours be killed.

    Where that cannot be had it is the program itself: it ends when it next writes to us, or has done its work.
    """
    tie = await asyncio.to_thread(_tie)
    return (program, (name, *arguments)) if tie is None else (tie, (*_words_of(tie), program, *arguments))


@cache
def _tie() -> str | None:
    """A small program of util-linux, if it knows how: there are older ones, and others of the same name."""
    import subprocess

    for folder in SYSTEM_FOLDERS:
        tie = f"{folder}/setpriv"
        if os.access(tie, os.X_OK):
            try:
                tried = subprocess.run(
                    [*_words_of(tie), tie, "--version"],
                    executable=tie,
                    env=environment_with(),
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=SECONDS_TO_TRY,
                    check=False,
                )
            except (OSError, subprocess.TimeoutExpired):
                return None
            return tie if tried.returncode == 0 else None
    return None


def _words_of(tie: str) -> tuple[str, ...]:
    return (tie, "--pdeathsig", "KILL", "--")


@asynccontextmanager
async def killed(process: Process) -> AsyncGenerator[None]:
    """At the end of the block the process is gone with all of its group; it must have been started as a session."""
    has_ended = False
    try:
        yield
        has_ended = process.returncode is not None
    finally:
        if not has_ended:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        await _drained(process)


async def _drained(process: Process) -> None:
    try:
        async with asyncio.timeout(SECONDS_TO_DRAIN):
            # Pipes are closed only after what is left in them was read.
            for stream in (process.stdout, process.stderr):
                while stream is not None and await stream.read(PIPE_BYTES):
                    pass
            await process.wait()
    except TimeoutError:
        # Something that left the group still holds a pipe; nobody needs to hear of it.
        pass
    finally:
        # There is no public way to close the pipes from our side.
        process._transport.close()  # pyright: ignore
