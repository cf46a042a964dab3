"""Pilot waits until the app has nothing left to do, which the app knows, not until the processor looks idle.

Textual's own pilot takes a process for idle that got no processor for 20 ms: on a busy machine it goes on too early,
on a quiet one each key costs 40 ms.
"""

from __future__ import annotations

import asyncio
from typing import Any

from textual import app as textual_app
from textual import pilot as textual_pilot
from textual.app import App, ScreenStackError
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

# What an app does for ever, such as a paint that asks for the next one, is not waited for.
ROUNDS = 100


async def settled(pilot: Pilot[Any]) -> None:
    """Until all messages are handled, what they ask for is laid out and painted, and nobody is still leaving."""
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


def settle_pilots() -> None:
    textual_app.wait_for_idle = _once  # pyright: ignore[reportPrivateImportUsage]
    textual_pilot.wait_for_idle = _once  # pyright: ignore[reportPrivateImportUsage]
    Pilot.press = _press  # type: ignore[method-assign]
    Pilot.pause = _pause  # type: ignore[method-assign]
