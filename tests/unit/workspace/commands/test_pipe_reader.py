"""What is still in the pipe when a command is gone is taken; nobody can keep us reading for ever."""

from __future__ import annotations

import fcntl
import os

from code_assistant.workspace.commands.pipe_reader import MAXIMUM_DRAINED_SLICES, SLICE_BYTES, PipeReader
from tests.processes import until


async def test_what_is_left_in_a_large_pipe_is_taken_at_the_end() -> None:
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 1 << 20)
    taken = bytearray()
    pipe = PipeReader(reader, taken.extend)
    pipe.begin()
    os.write(writer, b"x" * 500_000)
    # Somebody may still hold the other end.
    pipe.close()
    os.close(writer)
    assert len(taken) == 500_000


async def test_somebody_who_writes_on_is_not_listened_to_for_ever() -> None:
    reader, writer = os.pipe()
    taken: list[int] = []

    def take(data: bytes) -> None:
        taken.append(len(data))
        os.write(writer, b"x" * SLICE_BYTES)

    pipe = PipeReader(reader, take)
    pipe.begin()
    os.write(writer, b"x")
    pipe.close()
    os.close(writer)
    assert len(taken) == MAXIMUM_DRAINED_SLICES


async def test_the_end_of_the_output_closes_it_once() -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    reader, writer = os.pipe()
    taken = bytearray()
    pipe = PipeReader(reader, taken.extend)
    pipe.begin()
    os.write(writer, b"last words")
    os.close(writer)
    await until(lambda: sorted(os.listdir("/proc/self/fd")) == before)
    assert taken == b"last words"
    pipe.close()
