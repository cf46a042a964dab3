"""The paint tick, on a clock and a loop that the test moves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise

import pytest

from code_assistant.tui import painter as module
from code_assistant.tui.painter import SECONDS_BETWEEN, SECONDS_FOR_KEY, SECONDS_WHILE_TYPING, Painter

STARVED = 4 * SECONDS_WHILE_TYPING


class Handle:
    def __init__(self, at: float, call: Callable[[], None]) -> None:
        self.at = at
        self.call = call
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class FakeLoop:
    """Time passes only in `pass_time`, which runs what is due on its way."""

    def __init__(self) -> None:
        self.now = 100.0
        self._handles: list[Handle] = []

    def time(self) -> float:
        return self.now

    def call_later(self, seconds: float, call: Callable[[], None]) -> Handle:
        assert seconds >= 0
        handle = Handle(self.now + seconds, call)
        self._handles.append(handle)
        return handle

    @property
    def timers(self) -> list[Handle]:
        return [handle for handle in self._handles if not handle.is_cancelled]

    def pass_time(self, seconds: float) -> None:
        end = self.now + seconds
        while due := [handle for handle in self.timers if handle.at <= end]:
            first = min(due, key=lambda handle: handle.at)
            self._handles.remove(first)
            self.now = max(self.now, first.at)
            first.call()
        self.now = end


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> FakeLoop:
    fake = FakeLoop()
    monkeypatch.setattr(module.asyncio, "get_running_loop", lambda: fake)
    assert asyncio.get_running_loop() is fake
    return fake


class Painted:
    def __init__(self, loop: FakeLoop) -> None:
        self.times: list[float] = []
        self.painter = Painter(lambda: self.times.append(loop.now), loop.time)


def test_many_changes_are_one_paint(loop: FakeLoop) -> None:
    painted = Painted(loop)
    for _ in range(100):
        painted.painter.request()
    assert len(loop.timers) == 1
    loop.pass_time(1)
    assert len(painted.times) == 1


def test_the_first_change_is_shown_at_once_and_the_next_ones_in_their_tick(loop: FakeLoop) -> None:
    painted = Painted(loop)
    for _ in range(200):
        painted.painter.request()
        loop.pass_time(0.005)
    assert painted.times[0] == 100.0
    gaps = [after - before for before, after in pairwise(painted.times)]
    assert all(gap >= SECONDS_BETWEEN - 1e-9 for gap in gaps)
    in_a_second = 1 / SECONDS_BETWEEN
    assert in_a_second * 0.8 <= len(painted.times) <= in_a_second + 1


def test_nothing_ticks_when_nothing_happens(loop: FakeLoop) -> None:
    painted = Painted(loop)
    assert loop.timers == []
    painted.painter.request()
    loop.pass_time(1)
    assert loop.timers == []
    painted.painter.key_pressed()
    assert loop.timers == []
    assert len(painted.times) == 1


def test_a_key_goes_first(loop: FakeLoop) -> None:
    painted = Painted(loop)
    painted.painter.request()
    loop.pass_time(0)
    painted.painter.request()
    loop.pass_time(SECONDS_BETWEEN - 0.001)
    painted.painter.key_pressed()
    pressed = loop.now
    loop.pass_time(1)
    assert painted.times[1] == pytest.approx(pressed + SECONDS_FOR_KEY)


def test_what_is_waited_for_does_not_wait_for_its_turn(loop: FakeLoop) -> None:
    painted = Painted(loop)
    painted.painter.request()
    loop.pass_time(0.001)
    painted.painter.request()
    painted.painter.request(soon=True)
    assert len(loop.timers) == 1
    loop.pass_time(1)
    assert painted.times == [100.0, pytest.approx(100.001)]


def test_typing_makes_paints_rarer(loop: FakeLoop) -> None:
    painted = Painted(loop)
    for number in range(300):
        painted.painter.request()
        if number % 20 == 0:
            painted.painter.key_pressed()
        loop.pass_time(0.005)
    gaps = [after - before for before, after in pairwise(painted.times)]
    assert all(gap >= SECONDS_WHILE_TYPING - 1e-9 for gap in gaps[1:])


def test_keys_without_end_never_starve_it(loop: FakeLoop) -> None:
    """As when a key is held down."""
    painted = Painted(loop)
    for _ in range(2000):
        painted.painter.key_pressed()
        painted.painter.request()
        loop.pass_time(0.005)
    gaps = [after - before for before, after in pairwise(painted.times)]
    assert max(gaps) <= STARVED + SECONDS_FOR_KEY + 1e-9
    assert len(painted.times) >= 2000 * 0.005 / (STARVED + SECONDS_FOR_KEY) - 1


def test_closed_it_paints_no_more_and_sets_no_timer(loop: FakeLoop) -> None:
    painted = Painted(loop)
    painted.painter.request()
    painted.painter.close()
    assert loop.timers == []
    painted.painter.request()
    assert loop.timers == []
    loop.pass_time(1)
    assert painted.times == []


def test_what_painting_asks_for_is_painted_in_the_next_tick(loop: FakeLoop) -> None:
    times: list[float] = []

    def paint() -> None:
        times.append(loop.now)
        if len(times) < 3:
            painter.request()

    painter = Painter(paint, loop.time)
    painter.request()
    loop.pass_time(1)
    assert [round(time - 100, 3) for time in times] == [0, SECONDS_BETWEEN, 2 * SECONDS_BETWEEN]
    assert loop.timers == []
