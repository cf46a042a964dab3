"""The start and the rest: what the first frame does without, and that nothing ticks while nothing happens."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from textual.message_pump import MessagePump
from textual.timer import Timer

from code_assistant.tools.builtin import BUILTIN_MODULES
from tests.e2e.program import Program
from tests.fakes.script import Gate, hold, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene

# The session is opened after the first frame, so what is loaded by then was loaded before it.
TELL_WHAT_IS_LOADED = """
import json, os, sys
from code_assistant import launch
from code_assistant.cli import run

async def open_session(self, mode, model, held=None):
    with open(sys.argv[1], "w") as file:
        json.dump(sorted(sys.modules), file)
    os._exit(0)

launch.ScreenBackstage.open_session = open_session
run([])
"""
# The collector is turned on when all was loaded that the first answer may need.
TELL_WHAT_IS_WARM = """
import json, os, sys
from code_assistant.cli import run
from code_assistant.tui import session_start

def turn_on_collector():
    with open(sys.argv[1], "w") as file:
        json.dump(sorted(sys.modules), file)
    os._exit(0)

session_start.turn_on_collector = turn_on_collector
run([])
"""
HEAVY = {"anthropic", "openai", "mcp", "httpx", "pydantic", "markdown_it", "pygments", "importlib.metadata"}
OURS_BEHIND = {"assembly", "events", "debug_log", "agent", "llm", "tools", "tui.bridge", "tui.dialogues", "tui.pickers"}
OURS_BEHIND |= {
    "tui.intake",
    "tui.opening",
    "tui.sending",
    "tui.stopping",
    "tui.transcript_wishes",
    "tui.past.past_desk",
}
OURS_BEHIND |= {"session", "resuming", "checkpoints", "exporting", "headless", "session_plan", "main_agent"}
OURS_BEHIND |= {"tui.transcript_wishes"}


def loaded_by(script: str, folder: Path) -> set[str]:
    home = folder / "home"
    home.mkdir()
    program = Program(home, folder, "http://127.0.0.1:9")
    program.command = [sys.executable, "-c", script]
    loaded = folder / "loaded.json"
    with program.in_terminal(str(loaded)) as terminal:
        assert terminal.finish() == 0, terminal.written
    return set(json.loads(loaded.read_text()))


def test_the_first_frame_waits_for_nothing_that_comes_after_it(tmp_path: Path) -> None:
    names = loaded_by(TELL_WHAT_IS_LOADED, tmp_path)
    assert "code_assistant.tui.app" in names
    assert names & (HEAVY | {f"code_assistant.{each}" for each in OURS_BEHIND}) == set()


def test_the_first_call_of_a_tool_waits_for_nothing_to_be_loaded(tmp_path: Path) -> None:
    names = loaded_by(TELL_WHAT_IS_WARM, tmp_path)
    assert {*BUILTIN_MODULES, "code_assistant.subagents.spawn_agent"} <= names


def timers_of(s: Scene) -> Iterator[Timer]:
    """Those that tick; Textual keeps some that wait to be woken."""
    pumps: list[MessagePump] = [s.app, s.app.screen, *s.app.screen.query("*")]
    for pump in pumps:
        yield from (timer for timer in pump._timers if timer._active.is_set())


async def until_nothing_ticks(s: Scene) -> None:
    def wake_ups() -> list[asyncio.TimerHandle]:
        """What the loop would wake up for; what guards the wait itself is the last of them."""
        return [each for each in asyncio.get_running_loop()._scheduled if not each.cancelled()]  # pyright: ignore

    await s.until(lambda: not list(timers_of(s)) and len(wake_ups()) == 1, "nothing ticks")
    assert wake_ups() == []


async def test_nothing_ticks_when_nothing_happens(server: ScriptedServer, tmp_path: Path) -> None:
    """Not even the cursor, which does not blink."""
    gate = Gate()
    server.script_default([turn(text("Hello."), hold(gate))])
    async with scene(server, tmp_path) as s:
        await s.until(lambda: not any(each.group == "warming up" for each in s.app.workers), "warmed up")
        await until_nothing_ticks(s)
        await s.send("hi")
        await s.until_shown("Hello.")
        assert list(timers_of(s))
        gate.open()
        await s.until_idle()
        await until_nothing_ticks(s)
