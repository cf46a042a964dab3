"""Finding and signalling everything below a process, whatever sessions and groups it has split into."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from code_assistant.workspace.commands.supervision.kernel import LIBRARY

PR_SET_NAME = 15
PR_SET_CHILD_SUBREAPER = 36

FIRST_PAUSE = 0.01
LONGEST_PAUSE = 0.5


class Process(NamedTuple):
    pid: int
    parent: int
    group: int
    session: int
    has_ended: bool


class Patience:
    """How long to wait for what was killed: not at all while new processes appear, longer and longer otherwise."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._known: frozenset[int] = frozenset()

    def take(self, processes: list[Process]) -> None:
        pids = frozenset(process.pid for process in processes)
        if pids <= self._known:
            self.seconds = min(max(self.seconds * 1.5, FIRST_PAUSE), LONGEST_PAUSE)
        else:
            self.seconds = 0.0
        self._known = pids


def become_subreaper(name: bytes) -> bool:
    """Be the one to whom orphans below fall; False where there is no such thing.

    The name is for process lists, and keeps us from being hit by a command that ends all that is called python.
    """
    if sys.platform != "linux":
        return False
    LIBRARY.prctl(PR_SET_NAME, name, 0, 0, 0)
    return LIBRARY.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def descendants(root: int, without: frozenset[int] = frozenset()) -> list[Process]:
    """Everything below, except the given children and what is below them.

    As it is at this moment; one that forks while we look may be missed, so look again until all are gone.
    """
    below: dict[int, list[Process]] = {}
    for process in _processes():
        below.setdefault(process.parent, []).append(process)
    found: list[Process] = []
    waiting = [root]
    while waiting:
        children = [child for child in below.get(waiting.pop(), []) if child.pid not in without]
        found += children
        waiting += [child.pid for child in children]
    return found


def child_of(parent: int) -> int:
    """One that it has; 0 for none, and for that."""
    if parent == 0:
        return 0
    with suppress(OSError), open(f"/proc/{parent}/task/{parent}/children", "rb") as file:  # noqa: PTH123 - as below
        return int((file.read().split() or [b"0"])[0])
    # Not every kernel tells it so quickly.
    return next((process.pid for process in _processes() if process.parent == parent), 0)


def session_members(session: int) -> list[Process]:
    return [process for process in _processes() if process.session == session and not process.has_ended]


def signal_all(processes: list[Process], *numbers: int) -> None:
    """By group, because that is one step for the kernel, in which no member can fork away.

    Every command begins a group in its keeper's session, so that no group holds anything but descendants of it, the
    keeper's own aside: one of them can have gone there.
    """
    own = os.getpgrp()
    for number in numbers:
        for group in {process.group for process in processes} - {own}:
            signal_group(group, number)
        for process in processes:
            if process.group == own:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process.pid, number)


def signal_group(group: int, number: int) -> None:
    # Gone already, or become another user's: then nothing can be done from here.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _processes() -> Iterator[Process]:
    with suppress(FileNotFoundError), os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdigit():
                # Gone since.
                with suppress(OSError):
                    yield _process(int(entry.name))


def _process(pid: int) -> Process:
    with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - pathlib takes long to import
        status = file.read()
    # The name stands in parentheses and may hold anything, parentheses included.
    state, parent, group, session, *_ = status[status.rindex(b")") + 2 :].split(maxsplit=4)
    return Process(pid, int(parent), int(group), int(session), state == b"Z")
