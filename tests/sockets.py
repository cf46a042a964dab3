"""Which sockets a process and all it has started listen on."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from tests.processes import children_of

SOCKET = re.compile(r"socket:\[(\d+)\]")
# As the kernel writes it in its tables: the state of a listening TCP socket, and a flag of a listening Unix socket.
LISTENING = "0A"
ACCEPTS = 0x10000


def tree_of(pid: int) -> Iterator[int]:
    """A process and all below it."""
    yield pid
    for child in children_of(pid):
        yield from tree_of(child.pid)


def listening_sockets(pid: int) -> list[str]:
    """Those that this process holds, one line of the kernel's tables for each."""
    own = _inodes(pid)
    return [line for inode, line in _listening(pid) if inode in own]


def _inodes(pid: int) -> set[str]:
    found: set[str] = set()
    try:
        names = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        # It ended while we looked.
        return found
    for name in names:
        try:
            match = SOCKET.fullmatch(os.readlink(f"/proc/{pid}/fd/{name}"))
        except OSError:
            continue
        if match is not None:
            found.add(match[1])
    return found


def _listening(pid: int) -> Iterator[tuple[str, str]]:
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for fields in _rows(pid, table):
            # A UDP socket that is bound and connected to nobody takes what anybody sends.
            is_open = fields[3] == LISTENING if table.startswith("tcp") else fields[2].endswith(":0000")
            if is_open:
                yield fields[9], f"{table}: {fields[1]}"
    for fields in _rows(pid, "unix"):
        if int(fields[3], 16) & ACCEPTS:
            yield fields[6], f"unix: {' '.join(fields[7:])}"


def _rows(pid: int, table: str) -> Iterator[list[str]]:
    try:
        lines = Path(f"/proc/{pid}/net/{table}").read_text().splitlines()
    except OSError:
        return
    yield from (line.split() for line in lines[1:])
