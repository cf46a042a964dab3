"""Pilot waits until the app has nothing left to do, which the app knows, not until the processor looks idle.

Textual's own pilot takes a process for idle that got no processor for 20 ms: on a busy machine it goes on too early,
on a quiet one each key costs 40 ms.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual import app as textual_app
from textual import pilot as textual_pilot
from textual.app import App, ScreenStackError
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from code_assistant.tui.composer.composer import Composer

# What an app does for ever, such as a paint that asks for the next one, is not waited for.
ROUNDS = 100
# What goes on in threads is, unless a test holds it there: so often, and so long each time.
LOOKS, SECONDS_A_LOOK = 200, 0.005
# Workers that are over in a moment; others last as long as a window is open, or as the session.
SHORT_WORK = frozenset({"sending", "reading", "reading a call", "agents", "older"})


async def settled(pilot: Pilot[Any]) -> None:
    """Until all messages are handled, what they ask for is laid out and painted, and nobody is still leaving."""
    for _ in range(LOOKS):
        await _messages_handled(pilot)
        work = _short_work(pilot.app)
        if not work:
            return
        await asyncio.wait(work, timeout=SECONDS_A_LOOK, return_when=asyncio.FIRST_COMPLETED)


def _short_work(app: App[Any]) -> set[asyncio.Task[Any]]:
    """What waits for threads, and is over in a moment."""
    try:
        composers = app.screen.query(Composer)
    except ScreenStackError:
        return set()
    workers = [worker for worker in app.workers if worker.group in SHORT_WORK and not worker.is_finished]
    found = {worker._task for worker in workers if worker._task is not None}
    return found.union(*(composer._tasks for composer in composers))


async def _messages_handled(pilot: Pilot[Any]) -> None:
    for _ in range(ROUNDS):
        if not await pilot._wait_for_screen():
            return
        await pilot.app.animator.wait_until_complete()
        try:
            screen: Screen[Any] = pilot.app.screen
        except ScreenStackError:
            return
        # What would wait for a timer of its own.
        if pilot.app._resize_event is not None:
            pilot.app._check_resize()
        screen._on_timer_update()
        if not _is_busy(pilot.app, screen):
            return


def _is_busy(app: App[Any], screen: Screen[Any]) -> bool:
    widgets = screen.walk_children(Widget, with_self=True)
    return bool(screen._callbacks) or any(_has_work(each) for each in (app, *widgets))


def _has_work(pump: MessagePump) -> bool:
    is_leaving = isinstance(pump, Widget) and pump._pruning
    return is_leaving or not pump._message_queue.empty() or bool(pump._next_callbacks)


async def _press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.app._press_keys((key,))
        await settled(pilot)


async def _pause(pilot: Pilot[Any], delay: float | None = None) -> None:
    if delay is not None:
        await asyncio.sleep(delay)
    await settled(pilot)


async def _once(_: float = 0) -> None:
    await asyncio.sleep(0)


def settle_pilots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textual_app, "wait_for_idle", _once)
    monkeypatch.setattr(textual_pilot, "wait_for_idle", _once)
    monkeypatch.setattr(Pilot, "press", _press)
    monkeypatch.setattr(Pilot, "pause", _pause)
