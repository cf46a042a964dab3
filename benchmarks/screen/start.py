"""From the start of the program to the first key on the screen, and from Enter to the model's first words."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.interleaved import RUNS
from benchmarks.rows import Row
from benchmarks.screen.terminal import Terminal, in_terminal, python
from tests.fakes.script import text, turn
from tests.fakes.server import ScriptedServer
from tests.trusting import trust_folder

ECHO_LIMIT = 1.4
CALM_LIMIT_MS = 120
AT_ONCE_LIMIT_MS = 500
CALM_SECONDS = 2.0
ANSWER = "Zwölfklang"
# Stands in the last row of the first frame.
FIRST_FRAME = "shift+tab"


def program() -> list[str]:
    return [str(Path(sys.executable).parent / "code-assistant")]


def environ_of(server: ScriptedServer, home: str) -> dict[str, str]:
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "test-key",
    }
    # Wherever it is started: the question of trust is not what is measured.
    for folder in (Path(home), Path.cwd()):
        trust_folder(folder, environ)
    return environ


def _ask(terminal: Terminal, calm: float) -> float:
    """Seconds from Enter to the model's first words."""
    terminal.until_seen(FIRST_FRAME)
    terminal.let(calm)
    pressed = terminal.press("hi\r")
    return terminal.until_seen(ANSWER) - pressed


def measure() -> list[Row]:
    with ScriptedServer() as server, tempfile.TemporaryDirectory() as home:
        server.script_default([turn(text(f"{ANSWER} it is."))] * 100)
        environ = environ_of(server, home)

        def ours(what: Callable[[Terminal], float]) -> float:
            with in_terminal(program(), environ, home) as terminal:
                return what(terminal)

        def minimal() -> float:
            with in_terminal(python("benchmarks.screen.minimal"), environ) as terminal:
                return terminal.until_first_echo() - terminal.started

        contenders = {
            "minimal": minimal,
            "echo": lambda: ours(lambda terminal: terminal.until_first_echo() - terminal.started),
            "calm": lambda: ours(lambda terminal: _ask(terminal, CALM_SECONDS)),
            "at once": lambda: ours(lambda terminal: _ask(terminal, 0)),
        }
        seconds: dict[str, list[float]] = {name: [] for name in contenders}
        for run in range(RUNS + 1):
            for name, contender in contenders.items():
                taken = contender()
                # The first time warms caches.
                if run:
                    seconds[name].append(taken)
    middle = {name: median(values) for name, values in seconds.items()}
    return [
        Row("screen: first echoed key, minimal app", middle["minimal"] * 1000, "ms"),
        Row("screen: first echoed key, ours", middle["echo"] * 1000, "ms"),
        Row("screen: first echoed key", middle["echo"] / middle["minimal"], "x minimal app", ECHO_LIMIT),
        Row("screen: Enter to first words, 2 s after start", middle["calm"] * 1000, "ms", CALM_LIMIT_MS),
        Row("screen: Enter to first words, at once", middle["at once"] * 1000, "ms", AT_ONCE_LIMIT_MS),
    ]
