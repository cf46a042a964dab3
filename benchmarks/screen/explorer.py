"""The offline explorer in the program itself: from Enter to the first sub-agent on the screen, and to the answer."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.interleaved import RUNS
from benchmarks.rows import Row
from benchmarks.screen.start import CALM_SECONDS, FIRST_FRAME, program
from benchmarks.screen.terminal import Terminal, in_terminal
from benchmarks.search import build_tree
from code_assistant.llm.offline.words import SUGGESTED_PROMPTS
from tests.trusting import trust_folder

FIRST_LINE_LIMIT_MS = 1000
ANSWER_LIMIT_MS = 5000
# How every sub-agent of the explorer is called, and what stands at the end of its answer.
AGENT = "explore-1"
LAST_WORDS = "Ask next:"


def _ask(terminal: Terminal) -> tuple[float, float]:
    terminal.until_seen(FIRST_FRAME)
    terminal.let(CALM_SECONDS)
    pressed = terminal.press(f"{SUGGESTED_PROMPTS[0]}\r")
    first = terminal.until_seen(AGENT) - pressed
    return first, terminal.until_seen(LAST_WORDS) - pressed


def measure() -> list[Row]:
    taken: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as tree:
        build_tree(Path(tree))
        environ = {"PATH": os.environ["PATH"], "HOME": home}
        trust_folder(Path(tree), environ)
        for run in range(RUNS + 1):
            with in_terminal([*program(), "-m", "offline"], environ, tree) as terminal:
                seconds = _ask(terminal)
            # The first time warms caches.
            if run:
                taken.append(seconds)
    first, answer = (median(each[at] for each in taken) * 1000 for at in (0, 1))
    return [
        Row("screen: offline overview, 5 000 files, first sub-agent", first, "ms", FIRST_LINE_LIMIT_MS),
        Row("screen: offline overview, 5 000 files, whole answer", answer, "ms", ANSWER_LIMIT_MS),
    ]
