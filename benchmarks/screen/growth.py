"""One message more, another width, the focus gone and back: with 2,000 messages before beside 20."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from statistics import median

from benchmarks.rows import Row
from benchmarks.screen.control import Held, held
from benchmarks.screen.terminal import COLUMNS, FOCUS_GAINED, FOCUS_LOST

LIMIT = 1.3
FEW, MANY = 20, 2_000
RUNS = 15
WINDOW_SECONDS = 0.5
QUIET_SECONDS = 0.15


def _append(subject: Held) -> None:
    subject.ask("append")


class _Resize:
    def __init__(self) -> None:
        self._columns = {FEW: COLUMNS, MANY: COLUMNS}

    def __call__(self, subject: Held, messages: int) -> None:
        self._columns[messages] = 2 * COLUMNS - 20 - self._columns[messages]
        subject.terminal.resize(self._columns[messages])


def _refocus(subject: Held) -> None:
    subject.terminal.press(FOCUS_LOST)
    subject.terminal.let(WINDOW_SECONDS / 2)
    subject.terminal.press(FOCUS_GAINED)


def _cost(subject: Held, act: Callable[[], object]) -> float:
    """Milliseconds of processor time until it is quiet again."""
    before = subject.ask("look")["total"]
    act()
    subject.terminal.let(WINDOW_SECONDS)
    subject.terminal.until_quiet(QUIET_SECONDS)
    return (subject.ask("look")["total"] - before) * 1000


def measure() -> list[Row]:
    with ExitStack() as stack:
        subjects = {count: stack.enter_context(held("benchmarks.screen.stage")) for count in (FEW, MANY)}
        for count, subject in subjects.items():
            subject.terminal.until_first_echo()
            subject.ask("fill", tokens=0, messages=count)
            subject.terminal.until_quiet(QUIET_SECONDS)
        resize = _Resize()
        acts: dict[str, Callable[[int], Callable[[], object]]] = {
            "another message": lambda count: lambda: _append(subjects[count]),
            "another width": lambda count: lambda: resize(subjects[count], count),
            "focus lost and back": lambda count: lambda: _refocus(subjects[count]),
        }
        costs = {(name, count): list[float]() for name in acts for count in subjects}
        for _ in range(RUNS):
            for name, act in acts.items():
                for count, subject in subjects.items():
                    costs[name, count].append(_cost(subject, act(count)))
    rows: list[Row] = []
    for name in acts:
        few, many = median(costs[name, FEW]), median(costs[name, MANY])
        rows.append(Row(f"growth: {name}, {FEW} messages before", few, "ms"))
        rows.append(Row(f"growth: {name}, {MANY:,} messages before", many / few, f"x {FEW}", LIMIT))
    return rows
