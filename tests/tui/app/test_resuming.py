"""Somebody else had the terminal for a while: a shell, or an editor."""

from __future__ import annotations

import signal
from pathlib import Path

from tests.fakes.script import call, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene

TOUCH = call("execute_command", {"command": "touch made.txt"})


async def resumed_with_a_prompt(s: Scene, server: ScriptedServer) -> None:
    server.script_default([turn(TOUCH), turn(text("Done."))])
    await s.send("go")
    panel = await s.until_prompt()
    await s.wait(1.5)
    assert panel.has_focus
    s.app._suspend_signal()
    s.clock.now += 60
    s.app._resume_signal()
    await s.pilot.pause()


async def test_safe_r10_a_key_typed_at_once_after_resuming_answers_nothing(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        await resumed_with_a_prompt(s, server)
        await s.press("y")
        assert not (s.folder / "made.txt").exists()
        assert len(s.panels) == 1
        assert s.app.composer.text == "y"


async def test_after_resuming_a_prompt_takes_keys_when_it_was_seen_again(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        await resumed_with_a_prompt(s, server)
        # Gone to on purpose, and still too soon after it was shown again.
        await s.press("f8", "y")
        assert not (s.folder / "made.txt").exists()
        await s.wait(1.5)
        await s.press("y")
        await s.until_shown("Done.")
        assert (s.folder / "made.txt").exists()


async def test_after_resuming_focus_moves_again_after_the_whole_wait(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await resumed_with_a_prompt(s, server)
        await s.wait(0.9)
        assert s.app.composer.has_focus
        await s.wait(0.2)
        assert s.panels[0].has_focus


async def test_signals_that_keys_make_are_the_editors_while_it_has_the_terminal(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        server.script_default([turn(text("Hi."))])
        s.app._suspend_signal()
        s.app.end_by_signal(signal.SIGINT)
        s.app.end_by_signal(signal.SIGQUIT)
        s.app._resume_signal()
        await s.send("hello")
        await s.until(lambda: s.server.requests, "it works on")
        await s.until_idle()
        s.app.end_by_signal(signal.SIGINT)
        await s.until(lambda: s.app.return_code is not None, "the end")
        assert s.app.return_code == 130
