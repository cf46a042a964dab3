"""Text and eight tools at once, with much and with nothing before: what a paint costs, and how soon keys are shown."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from statistics import median

from benchmarks.rows import Row
from benchmarks.screen.control import held

GROWTH_LIMIT = 1.3
ECHO_P50_LIMIT_MS = 20
ECHO_P95_LIMIT_MS = 50
RUNS = 5
STREAM_SECONDS = 5.0
SECONDS_BETWEEN_KEYS = 0.15
TOKENS = 100_000
MESSAGES = 2_000


@dataclass(slots=True)
class Taken:
    """All runs of one contender."""

    per_paint: list[float] = field(default_factory=list[float])
    echoes: list[float] = field(default_factory=list[float])

    @property
    def paint(self) -> float:
        """Milliseconds of processor time for each paint."""
        return median(self.per_paint) * 1000

    def echo(self, part: float) -> float:
        """Milliseconds within which that part of the keys was shown."""
        return sorted(self.echoes)[round(part * (len(self.echoes) - 1))] * 1000


def run(module: str, tokens: int, messages: int, taken: Taken, profile: str | None = None) -> None:
    with held(module) as subject:
        terminal = subject.terminal
        terminal.until_first_echo()
        subject.ask("fill", tokens=tokens, messages=messages)
        terminal.until_quiet(0.2)
        began = time.perf_counter()
        subject.order("stream", seconds=STREAM_SECONDS, **({"profile": profile} if profile else {}))
        number = 0
        while time.perf_counter() - began < STREAM_SECONDS - 2 * SECONDS_BETWEEN_KEYS:
            # The last letter was typed before the history came.
            number += 1
            terminal.let(SECONDS_BETWEEN_KEYS)
            taken.echoes.append(terminal.echo(number))
        answer = subject.answer()
        taken.per_paint.append(answer["cpu"] / answer["paints"])


def measure() -> list[Row]:
    stage, floor = "benchmarks.screen.stage", "benchmarks.screen.floor"
    contenders = {
        "log": (floor, 0, 0),
        "none": (stage, 0, 0),
        "tokens": (stage, TOKENS, 0),
        "messages": (stage, 0, MESSAGES),
    }
    taken = {name: Taken() for name in contenders}
    for _ in range(RUNS):
        for name, (module, tokens, messages) in contenders.items():
            run(module, tokens, messages, taken[name])
    log, none = taken["log"], taken["none"]
    rows = [
        Row("stream: CPU a paint, Textual's Log", log.paint, "ms"),
        Row("stream: CPU a paint, nothing before", none.paint, "ms"),
        Row("stream: CPU a paint, 100,000 tokens before", taken["tokens"].paint / none.paint, "x none", GROWTH_LIMIT),
        Row("stream: CPU a paint, 2,000 messages before", taken["messages"].paint / none.paint, "x none", GROWTH_LIMIT),
        Row("stream: key echo p50, Textual's Log", log.echo(0.5), "ms"),
        Row("stream: key echo p95, Textual's Log", log.echo(0.95), "ms"),
    ]
    names = {"none": "nothing before", "tokens": "100,000 tokens before", "messages": "2,000 messages before"}
    for name, words in names.items():
        rows.append(Row(f"stream: key echo p50, {words}", taken[name].echo(0.5), "ms", ECHO_P50_LIMIT_MS))
        rows.append(Row(f"stream: key echo p95, {words}", taken[name].echo(0.95), "ms", ECHO_P95_LIMIT_MS))
    return rows
