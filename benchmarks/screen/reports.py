"""Twenty sub-agents that report at once: how soon keys are shown, and whether an event costs the same at the end."""

from __future__ import annotations

import time
from statistics import median

from benchmarks.rows import Row
from benchmarks.screen.control import held

AGENTS = 20
EVENTS_PER_SECOND = 50
SECONDS = 8
SECONDS_BETWEEN_KEYS = 0.15
ECHO_LIMIT_MS = 60
GROWTH_LIMIT = 1.3
RUNS = 3


def run(echoes: list[float]) -> list[float]:
    """What an event cost in each second."""
    with held("benchmarks.screen.stage") as subject:
        terminal = subject.terminal
        terminal.until_first_echo()
        terminal.until_quiet(0.5)
        began = time.perf_counter()
        subject.order("report", agents=AGENTS, rate=EVENTS_PER_SECOND, seconds=SECONDS)
        number = 0
        while time.perf_counter() - began < SECONDS - 2 * SECONDS_BETWEEN_KEYS:
            number += 1
            terminal.let(SECONDS_BETWEEN_KEYS)
            echoes.append(terminal.echo(number))
        return subject.answer()["costs"]


def measure() -> list[Row]:
    echoes: list[float] = []
    costs = [run(echoes) for _ in range(RUNS)]
    early = median(each for one in costs for each in one[1:3])
    late = median(each for one in costs for each in one[-2:])
    slowest = sorted(echoes)[round(0.95 * (len(echoes) - 1))]
    return [
        Row("reports: key echo p50, 20 agents at 50 events/s", median(echoes) * 1000, "ms"),
        Row("reports: key echo p95, 20 agents at 50 events/s", slowest * 1000, "ms", ECHO_LIMIT_MS),
        Row("reports: an event", early * 1_000_000, "µs"),
        Row("reports: an event, five seconds later", late / early, "x early", GROWTH_LIMIT),
    ]
