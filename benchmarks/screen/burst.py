"""100,000 tokens at once: until the screen is final, beside Textual's `Log`; and what the program holds after it."""

from __future__ import annotations

import tempfile
import time
from itertools import islice
from statistics import median

from benchmarks.interleaved import RUNS
from benchmarks.rows import Row
from benchmarks.screen.control import held
from benchmarks.screen.sample import tokens
from benchmarks.screen.start import FIRST_FRAME, environ_of, program
from benchmarks.screen.terminal import FOCUS_LOST, in_terminal
from tests.fakes.script import text, turn
from tests.fakes.server import ScriptedServer

TIME_LIMIT = 1.5
MEMORY_LIMIT_MB = 130
TOKENS = 100_000
END = "the-very-end"
QUIET_SECONDS = 0.4
MEMORY_RUNS = 3


def _burst(module: str) -> float:
    """Seconds until the last of it is on the screen and nothing changes there any more."""
    with held(module) as subject:
        terminal = subject.terminal
        terminal.until_first_echo()
        # A key that is still on its way would bring the focus back.
        terminal.let(0.5)
        # Without the focus no cursor blinks, and whatever is written belongs to the text.
        terminal.press(FOCUS_LOST)
        terminal.until_quiet(1.0)
        terminal.forget()
        ordered = time.perf_counter()
        subject.order("say", tokens=TOKENS, end=f"\n\n{END}")
        terminal.until_seen(END)
        return terminal.until_quiet(QUIET_SECONDS) - ordered


def _memory() -> tuple[float, float]:
    """Of the real program, after the real way from the server: seconds until it is all there, and megabytes."""
    with ScriptedServer() as server, tempfile.TemporaryDirectory() as home:
        server.script_default([turn(text(pieces=[*islice(tokens(), TOKENS), f"\n\n{END}"]))])
        with in_terminal(program(), environ_of(server, home), home) as terminal:
            terminal.until_seen(FIRST_FRAME)
            terminal.let(2.0)
            terminal.forget()
            pressed = terminal.press("hi\r")
            seen = terminal.until_seen(END)
            terminal.let(1.0)
            return seen - pressed, terminal.memory


def measure() -> list[Row]:
    seconds: dict[str, list[float]] = {"floor": [], "stage": []}
    for _ in range(RUNS):
        for name, values in seconds.items():
            values.append(_burst(f"benchmarks.screen.{name}"))
    ends, memories = zip(*(_memory() for _ in range(MEMORY_RUNS)), strict=True)
    log, ours = median(seconds["floor"]), median(seconds["stage"])
    return [
        Row("burst: 100,000 tokens, Textual's Log", log * 1000, "ms"),
        Row("burst: 100,000 tokens, ours", ours / log, "x Log", TIME_LIMIT),
        Row("burst: 100,000 tokens from the server", median(ends) * 1000, "ms"),
        Row("burst: memory after it", median(memories), "MB", MEMORY_LIMIT_MB),
    ]
