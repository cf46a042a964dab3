"""Looking at the processes of this machine: who lives, by a marker in the arguments or by the parent."""

from __future__ import annotations

import asyncio
import errno
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from tests.hang_guard import HANG_GUARD

# Between two looks, while waiting for something that no event can tell.
PAUSE = 0.01


@dataclass(frozen=True)
class Process:
    pid: int
    name: str
    state: str
    parent: int


def new_marker() -> str:
    """A number that stands in no other process's arguments; as seconds for `sleep` it is long, but not for ever."""
    return f"900.{uuid4().int % 10**15:015d}"


def processes() -> Iterator[Process]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                text = (entry / "stat").read_text(errors="replace")
            except OSError:
                # It ended while we looked.
                continue
            before, _, after = text.rpartition(")")
            state, parent = after.split()[:2]
            name = before.partition("(")[2]
            yield Process(int(entry.name), name, state, int(parent))


def children_of(pid: int) -> list[Process]:
    return [each for each in processes() if each.parent == pid]


def _with(marker: str) -> Iterator[tuple[Process, str]]:
    """All living processes that hold a marker, and their command lines."""
    for process in processes():
        try:
            line = Path(f"/proc/{process.pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if marker in line and process.state != "Z":
            yield process, line


def processes_with(marker: str) -> list[str]:
    """The command lines of all living processes that hold a marker."""
    return [line for _, line in _with(marker)]


def is_enclosed(marker: str) -> bool:
    """Whether some that hold a marker see no other processes than those of a sandbox."""
    return bool({_namespace(process.pid) for process, _ in _with(marker)} - {_namespace(os.getpid()), None})


def _namespace(pid: int) -> str | None:
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except FileNotFoundError:
        # It ended while we looked.
        return None


def wait_until(is_so: Callable[[], bool], found: Callable[[], object] = lambda: None) -> None:
    """Look again and again, for what no event can tell; `found` is what is said should it never be so."""
    deadline = time.monotonic() + HANG_GUARD
    while not is_so():
        assert time.monotonic() < deadline, found()
        time.sleep(PAUSE)


def wait_until_there(marker: str, number: int) -> None:
    """Until at least so many processes that hold a marker have come to be."""
    wait_until(lambda: len(processes_with(marker)) >= number, lambda: processes_with(marker))


def wait_until_gone(marker: str) -> None:
    wait_until(lambda: not processes_with(marker), lambda: processes_with(marker))


async def until(is_so: Callable[[], bool]) -> None:
    """Look again and again, for what no event can tell."""
    deadline = time.monotonic() + HANG_GUARD
    while not is_so():
        assert time.monotonic() < deadline
        await asyncio.sleep(PAUSE)


async def until_no_children(pid: int) -> None:
    """Also no zombie."""
    await until(lambda: not children_of(pid))


async def until_gone(pid: int) -> None:
    """Or until only init has still to take note of its end."""
    await until(lambda: not any(each.pid == pid and each.state != "Z" for each in processes()))


async def met_at(fifo: Path) -> int:
    """A fifo opened for writing when somebody reads there. A thread that waits for that could never be called off."""
    opened: list[int] = []

    def is_read() -> bool:
        try:
            opened.append(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
        except OSError as error:
            assert error.errno == errno.ENXIO, error
        return bool(opened)

    await until(is_read)
    return opened[0]


async def say(fifo: Path, words: str) -> None:
    """Let whoever reads there go on. One fifo for each word: a second reader may meet the end of the first word."""
    descriptor = await met_at(fifo)
    os.write(descriptor, words.encode())
    os.close(descriptor)
