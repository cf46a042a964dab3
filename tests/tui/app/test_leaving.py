"""Leaving, at the worst of times: it is awaited, and nothing of ours is left behind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.fakes.script import Gate, after, call, hold, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD
from tests.processes import new_marker, processes_with
from tests.tui.app.harness import HeldBackstage, Scene, scene

Situation = Callable[[Scene, ScriptedServer, str], Awaitable[None]]


async def idle(s: Scene, server: ScriptedServer, marker: str) -> None:
    await s.pilot.pause()


async def mid_stream(s: Scene, server: ScriptedServer, marker: str) -> None:
    server.script_default([turn(text(pieces=["Half an answer", hold(Gate()), " more"]))])
    await s.send("go")
    await s.until_shown("Half an answer")


async def before_the_answer(s: Scene, server: ScriptedServer, marker: str) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(text("Never.")))])
    await s.send("go")
    await gate.until_reached()
    await s.send("queued")
    await s.send("queued, too")


async def mid_command(s: Scene, server: ScriptedServer, marker: str) -> None:
    server.script_default([turn(call("execute_command", {"command": f"echo begun; sleep {marker}"}))])
    await s.press("shift+tab")
    await s.send("/permissions")
    await s.until_dialog()
    await s.type("yolo")
    await s.press("enter")
    await s.send("go")
    await s.until_shown("│ begun")
    assert processes_with(marker)


async def background_command(s: Scene, server: ScriptedServer, marker: str) -> None:
    command = call("execute_command", {"command": f"sleep {marker}", "background": True})
    server.script_default([turn(command), turn(text("It runs."))])
    await s.send("go")
    await s.answer("y")
    await s.until_shown("It runs.")
    # Its program may still be about to take the place of ours.
    await s.until(lambda: processes_with(marker), "it runs")


async def own_command(s: Scene, server: ScriptedServer, marker: str) -> None:
    await s.send(f"!echo begun; sleep {marker}")
    await s.until_shown("│ begun")
    assert processes_with(marker)


async def open_prompt(s: Scene, server: ScriptedServer, marker: str) -> None:
    server.script_default([turn(call("execute_command", {"command": f"sleep {marker}"}))])
    await s.send("go")
    await s.until_prompt()
    await s.wait(0.2)


async def open_question(s: Scene, server: ScriptedServer, marker: str) -> None:
    server.script_default([turn(call("ask_user", {"question": "Which?", "choices": []}))])
    await s.send("go")
    await s.answer("t")
    await s.type("half an ans")


async def open_window(s: Scene, server: ScriptedServer, marker: str) -> None:
    await s.send("/theme")
    await s.until_dialog()


async def open_completion(s: Scene, server: ScriptedServer, marker: str) -> None:
    await s.type("look at @ta")


SITUATIONS: tuple[Situation, ...] = (
    idle,
    mid_stream,
    before_the_answer,
    mid_command,
    background_command,
    own_command,
    open_prompt,
    open_question,
    open_window,
    open_completion,
)


class Leftovers:
    """What is there now and may be there later; everything else must be gone by then."""

    def __init__(self) -> None:
        self._tasks = asyncio.all_tasks()
        self._timers = self._live_timers()
        self._threads = set(threading.enumerate())

    @staticmethod
    def _live_timers() -> set[asyncio.TimerHandle]:
        scheduled: list[asyncio.TimerHandle] = asyncio.get_running_loop()._scheduled  # type: ignore[attr-defined]
        return {timer for timer in scheduled if not timer.cancelled()}

    def check(self, marker: str) -> None:
        assert asyncio.all_tasks() - self._tasks == set()
        assert self._live_timers() - self._timers == set()
        threads = {thread for thread in threading.enumerate() if not thread.name.startswith("asyncio_")}
        assert threads - self._threads == set()
        assert processes_with(marker) == []


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
async def test_nothing_is_left(server: ScriptedServer, tmp_path: Path, situation: Situation) -> None:
    marker = new_marker()
    before = Leftovers()
    async with scene(server, tmp_path) as s:
        await situation(s, server, marker)
        async with asyncio.timeout(HANG_GUARD):
            await s.app.leave()
        # Already now, and not only when Textual has cancelled what it knows of.
        assert processes_with(marker) == []
        assert s.app.core.session is None
        assert not any(worker.group == "core" and worker.is_running for worker in s.app.workers)
    before.check(marker)


async def test_leaving_while_the_session_is_being_opened(server: ScriptedServer, tmp_path: Path) -> None:
    may_open = asyncio.Event()
    before = Leftovers()
    async with scene(server, tmp_path, may_open=may_open) as s:
        backstage = s.app.backstage
        assert isinstance(backstage, HeldBackstage)
        await s.until(backstage.is_opening.is_set, "it is being opened")
        await s.send("early")
        leaving = asyncio.create_task(s.app.leave())
        await s.pilot.pause()
        assert not leaving.done()
        may_open.set()
        async with asyncio.timeout(HANG_GUARD):
            await leaving
        assert s.app.core.session is None
    before.check(new_marker())
    assert server.requests == []


async def test_leaving_in_the_first_moment(server: ScriptedServer, tmp_path: Path) -> None:
    before = Leftovers()
    async with scene(server, tmp_path, may_open=asyncio.Event()) as s:
        leaving = asyncio.create_task(s.app.leave())
        s.app.backstage._may_open.set()  # type: ignore[attr-defined]
        async with asyncio.timeout(HANG_GUARD):
            await leaving
    before.check(new_marker())


async def test_leaving_twice_is_leaving_once(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asyncio.gather(s.app.leave(), s.app.leave())
        s.app.begin_leaving()
        await s.until(lambda: not s.app.is_running, "it has left")


async def test_leaving_while_a_new_conversation_begins(server: ScriptedServer, tmp_path: Path) -> None:
    before = Leftovers()
    async with scene(server, tmp_path) as s:
        await mid_stream(s, server, "")
        async with asyncio.timeout(HANG_GUARD):
            await asyncio.gather(s.app.start_over(), s.app.leave())
        assert s.app.core.session is None
    before.check(new_marker())


async def test_what_was_said_last_is_there_for_the_farewell(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("The answer."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_idle()
        await s.press("ctrl+d")
        await s.until(lambda: not s.app.is_running, "it quits")
        assert s.app.bridge.last_answer == "The answer."
