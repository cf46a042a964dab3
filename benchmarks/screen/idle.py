"""What the open program uses while nobody does anything."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from statistics import median

from benchmarks.rows import Row
from benchmarks.screen.start import environ_of, program
from benchmarks.screen.terminal import Terminal, in_terminal, python
from tests.fakes.server import ScriptedServer

CPU_LIMIT_PERCENT = 1
MEMORY_LIMIT_MB = 70
RUNS = 3
SECONDS_AFTER_OPENING = 2.0
WATCHED_SECONDS = 10.0
# Shown once the session says how large the context of its model is.
OPENED = "ctx"


def _watch(terminal: Terminal) -> tuple[float, float]:
    """Megabytes, and percent of a core."""
    terminal.let(SECONDS_AFTER_OPENING)
    memory, before = terminal.memory, terminal.cpu
    terminal.let(WATCHED_SECONDS)
    return memory, (terminal.cpu - before) / WATCHED_SECONDS * 100


def measure() -> list[Row]:
    with ScriptedServer() as server, tempfile.TemporaryDirectory() as home:

        def run(command: Sequence[str], opened: str) -> tuple[float, float]:
            with in_terminal(command, environ_of(server, home)) as terminal:
                terminal.until_seen(opened)
                return _watch(terminal)

        pairs = [(run(python("benchmarks.screen.minimal"), "ready"), run(program(), OPENED)) for _ in range(RUNS)]
    minimal, ours = ([pair[side] for pair in pairs] for side in (0, 1))
    return [
        Row("idle: CPU, minimal app", median(cpu for _, cpu in minimal), "% of a core"),
        Row("idle: CPU, ours", median(cpu for _, cpu in ours), "% of a core", CPU_LIMIT_PERCENT),
        Row("idle: memory, minimal app", median(memory for memory, _ in minimal), "MB"),
        Row("idle: memory, ours", median(memory for memory, _ in ours), "MB", MEMORY_LIMIT_MB),
    ]
