"""The processes of a search: what they know of the person's environment, and their certain end."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

SECONDS_TO_DRAIN = 2.0
PIPE_BYTES = 1 << 20
ALWAYS_PASSED = ("PATH", "HOME", "LANG")


def environment_with(*names: str) -> dict[str, str]:
    """The least that a program needs, and none of our keys."""
    return {name: os.environ[name] for name in (*ALWAYS_PASSED, *names) if name in os.environ}


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
