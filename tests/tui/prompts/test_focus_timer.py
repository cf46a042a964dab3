"""One timer while something waits, none when nothing does."""

from __future__ import annotations

import asyncio

from code_assistant.tui.prompts.focus_timer import FocusTimer
from code_assistant.tui.prompts.safe_typing import SafeTyping
from tests.tui.prompts.host import Clock


async def test_it_moves_when_it_is_time_and_waits_no_longer() -> None:
    clock, moved = Clock(), list[str]()
    safe_typing = SafeTyping(clock)

    def move(request_id: str) -> bool:
        moved.append(request_id)
        return True

    timer = FocusTimer(safe_typing, clock, move)
    timer.check()
    assert not timer.is_waiting
    safe_typing.composer_changed(is_empty=True, has_focus=True)
    safe_typing.painted("a", has_focus=False)
    timer.check()
    assert timer.is_waiting
    clock.now += 0.1
    timer.look()
    assert timer.is_waiting and moved == []
    clock.now += 0.3
    timer.look()
    assert not timer.is_waiting and moved == ["a"]
    assert safe_typing.next_move() is None
    timer.close()


async def test_its_time_comes_by_itself() -> None:
    loop = asyncio.get_running_loop()
    safe_typing = SafeTyping(loop.time)
    moved = asyncio.Event()

    def move(request_id: str) -> bool:
        moved.set()
        return True

    timer = FocusTimer(safe_typing, loop.time, move)
    safe_typing.composer_changed(is_empty=True, has_focus=True)
    safe_typing.painted("a", has_focus=False)
    timer.check()
    await moved.wait()
    assert not timer.is_waiting


async def test_where_focus_cannot_move_it_tries_again_at_the_next_change() -> None:
    clock = Clock()
    safe_typing = SafeTyping(clock)
    timer = FocusTimer(safe_typing, clock, lambda request_id: False)
    safe_typing.composer_changed(is_empty=True, has_focus=True)
    safe_typing.painted("a", has_focus=False)
    clock.now += 5
    timer.look()
    assert not timer.is_waiting and safe_typing.next_move() is not None
