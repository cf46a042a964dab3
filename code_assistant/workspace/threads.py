"""File work off the event loop, in threads that stop soon after the one who waits has gone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

ResultT = TypeVar("ResultT")


class StopRequested(Exception):
    """Raised inside a worker thread whose result nobody waits for any more."""


class StopFlag:
    """Set by the waiting side, looked at by the worker between small steps."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def stop(self) -> None:
        self._event.set()

    def check(self) -> None:
        if self._event.is_set():
            raise StopRequested


NOBODY_STOPS = StopFlag()


async def in_thread(work: Callable[[StopFlag], ResultT]) -> ResultT:
    """Run the work in a thread; when this coroutine ends for whatever reason, the work is told to stop."""
    flag = StopFlag()
    try:
        return await asyncio.to_thread(work, flag)
    finally:
        flag.stop()


async def in_thread_to_its_end(work: Callable[[StopFlag], ResultT]) -> ResultT:
    """The same for work that must not outlive its caller: a cancel sets the flag and waits for the end."""
    flag = StopFlag()
    running = asyncio.get_running_loop().run_in_executor(None, work, flag)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        flag.stop()
        await asyncio.wait((running,))
        raise
