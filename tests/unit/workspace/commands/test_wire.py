"""What is said between the processes arrives as it was sent; process lists are read rightly."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.workspace.commands.reports import Reports
from code_assistant.workspace.commands.supervision.descendants import (
    FIRST_PAUSE,
    LONGEST_PAUSE,
    Patience,
    Process,
    descendants,
)
from code_assistant.workspace.commands.supervision.wire import LENGTH, Request, unpacked

WORDS = st.binary(max_size=20).map(lambda data: data.replace(b"\0", b""))


@settings(max_examples=200, derandomize=True, deadline=None)
@given(WORDS, WORDS, st.lists(WORDS, max_size=5), st.lists(WORDS, max_size=5), st.booleans())
def test_safe_b6_a_request_arrives_as_it_was_sent(
    folder: bytes, program: bytes, arguments: list[bytes], environment: list[bytes], has_guard: bool
) -> None:
    request = Request(folder, program, tuple(arguments), tuple(environment), has_guard=has_guard)
    packed = request.packed()
    assert LENGTH.unpack(packed[: LENGTH.size]) == (len(packed) - LENGTH.size,)
    assert unpacked(packed[LENGTH.size :]) == request


@settings(max_examples=50, derandomize=True, deadline=None)
@given(st.integers(1, 12))
def test_reports_may_come_in_pieces(size: int) -> None:
    data = b"session 12\nstarted 0\nbegun 0\nexited 768\nleft-running 0\ngone 0\n"
    reports = Reports(asyncio.Event())
    for at in range(0, len(data), size):
        reports.add(data[at : at + size])
    assert (reports.session, reports.status, reports.is_over) == (12, 3, True)
    assert reports.ending(0, was_ended=False, may_live_on=False).left_running


def test_a_process_may_have_any_name() -> None:
    name = ") R 1 1 1 ("
    code = f"import ctypes; ctypes.CDLL(None).prctl(15, {name.encode()!r}, 0, 0, 0); print(flush=True); input()"
    process = subprocess.Popen([sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        (found,) = [each for each in descendants(os.getpid()) if each.pid == process.pid]
        assert found == Process(process.pid, os.getpid(), os.getpgid(process.pid), os.getsid(process.pid), False)
        assert descendants(os.getpid(), without=frozenset([process.pid])) == []
    finally:
        process.communicate(b"\n")


def test_while_new_processes_appear_nobody_waits() -> None:
    def living(*pids: int) -> list[Process]:
        return [Process(pid, 1, pid, pid, False) for pid in pids]

    patience = Patience()
    for pids in ((1, 2), (2, 3), (4,)):
        patience.take(living(*pids))
        assert patience.seconds == 0
    patience.take(living(4))
    assert patience.seconds == FIRST_PAUSE
    for _ in range(50):
        patience.take(living(4))
    assert patience.seconds == LONGEST_PAUSE
    patience.take(living(4, 5))
    assert patience.seconds == 0
