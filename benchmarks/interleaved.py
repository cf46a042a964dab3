"""Medians of interleaved runs: the machine is noisy, so contenders take turns and the middle one counts."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from statistics import median

RUNS = 5


def medians(contenders: Mapping[str, Callable[[], object]], runs: int = RUNS) -> dict[str, float]:
    """Seconds per contender; each runs once more before, so that caches are warm."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for run in range(runs + 1):
        for name, contender in contenders.items():
            started = time.perf_counter()
            contender()
            if run:
                times[name].append(time.perf_counter() - started)
    return {name: median(values) for name, values in times.items()}


async def async_medians(
    contenders: Mapping[str, Callable[[], Awaitable[object]]], runs: int = RUNS
) -> dict[str, float]:
    """The same for contenders that share a running loop."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for run in range(runs + 1):
        for name, contender in contenders.items():
            started = time.perf_counter()
            await contender()
            if run:
                times[name].append(time.perf_counter() - started)
    return {name: median(values) for name, values in times.items()}
