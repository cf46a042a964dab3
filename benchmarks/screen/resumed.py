"""A long session taken up again in the program itself: from the first frame to its last words."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.interleaved import RUNS
from benchmarks.resuming import LIMIT_MS, SESSION, write_session
from benchmarks.rows import Row
from benchmarks.screen.start import FIRST_FRAME, program
from benchmarks.screen.terminal import in_terminal
from code_assistant.events import MAIN, Notice
from code_assistant.session.lines import event_line
from tests.trusting import trust_folder

LAST_WORDS = "These are the very last words."


def measure() -> list[Row]:
    taken: list[float] = []
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        store = write_session(Path(home) / ".local/state/code-assistant")
        with (store.folder / SESSION / "session.jsonl").open("ab") as file:
            file.write(event_line(Notice(MAIN, "info", LAST_WORDS), 1_700_000_000.0, MAIN, str))
        environ = {"PATH": os.environ["PATH"], "HOME": home}
        trust_folder(Path(folder), environ)
        for run in range(RUNS + 1):
            with in_terminal([*program(), "-m", "offline", "--resume", SESSION], environ, folder) as terminal:
                first = terminal.until_seen(FIRST_FRAME)
                seconds = terminal.until_seen(LAST_WORDS) - first
            # The first time warms caches.
            if run:
                taken.append(seconds)
    shown = median(taken) * 1000
    return [Row("screen: 10 000 messages taken up again, first frame to their last screen", shown, "ms", LIMIT_MS)]
