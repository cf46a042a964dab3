"""While a session is being opened or closed: what is shown is so, and nothing that was sent is lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from code_assistant.errors import UsageError
from tests.fakes.script import Gate, after, call, hold, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import HeldBackstage, Scene, scene

TOUCH = call("execute_command", {"command": "touch made.txt"})


async def until_opening(s: Scene) -> None:
    backstage = s.app.backstage
    assert isinstance(backstage, HeldBackstage)
    await s.until(backstage.is_opening.is_set, "it is being opened")


def mode_of(s: Scene) -> str:
    session = s.app.core.session
    assert session is not None
    return session.mode


@pytest.mark.parametrize(("begun_in", "presses", "mode"), [("ask", 2, "plan"), ("yolo", 1, "ask")])
async def test_a_mode_that_is_chosen_while_the_session_opens_is_in_force(
    server: ScriptedServer, tmp_path: Path, begun_in: str, presses: int, mode: str
) -> None:
    """Before anything is sent: what waits for the session must not run in the mode that was before."""
    server.script_default([turn(TOUCH), turn(text("Done."))])
    may_open = asyncio.Event()
    async with scene(server, tmp_path, "--permission-mode", begun_in, may_open=may_open) as s:
        await until_opening(s)
        await s.send("go")
        await s.press(*["shift+tab"] * presses)
        assert s.app.state.mode == mode
        may_open.set()
        await s.until(lambda: s.app.core.session is not None, "a session")
        assert mode_of(s) == mode
        await s.until(lambda: s.panels or s.app.state.working_since is None, "it asks, or is denied")
        assert not (s.folder / "made.txt").exists()
        await s.painted()
        assert mode in s.rows[0]


async def test_a_mode_that_is_chosen_while_a_new_conversation_opens_is_in_force(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        backstage = s.app.backstage
        assert isinstance(backstage, HeldBackstage)
        backstage.is_opening.clear()
        backstage._may_open.clear()
        await s.send("/new")
        await until_opening(s)
        await s.send("/permissions")
        await s.until_dialog()
        await s.type("plan")
        await s.press("enter")
        await s.until(lambda: s.app.state.mode == "plan", "the mode")
        backstage._may_open.set()
        await s.until(lambda: s.app.core.session is not None, "a session")
        assert mode_of(s) == "plan"


async def test_what_waits_for_the_session_is_seen(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("First.")), turn(text("Second."))])
    may_open = asyncio.Event()
    async with scene(server, tmp_path, may_open=may_open) as s:
        await s.send("my first prompt")
        await s.until(lambda: s.app.core.early, "it waits")
        await s.until_shown("↳ my first prompt")
        await s.press("up")
        await s.until_gone("↳ my first prompt")
        assert s.app.composer.text == "my first prompt"
        await s.press("enter")
        await s.until_shown("↳ my first prompt")
        may_open.set()
        await s.until_shown("First.")
        await s.until_idle()
        assert not s.shows("↳")


async def test_what_waits_for_the_session_is_masked(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, may_open=asyncio.Event()) as s:
        await s.send("is it test-key-1?")
        await s.until_shown("↳ is it [key removed]?")
        assert not s.shows("test-key-1")


async def test_what_is_sent_while_the_old_session_closes_goes_to_the_new_one(
    server: ScriptedServer, tmp_path: Path
) -> None:
    gate = Gate()
    server.script("one", [after(gate, turn(text("Never.")))])
    server.script("typed", [turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("one")
        await gate.until_reached()
        session = s.app.core.session
        assert session is not None
        close_all, may_close = session._close_all, asyncio.Event()
        is_closing = asyncio.Event()

        async def slowly() -> None:
            is_closing.set()
            await may_close.wait()
            await close_all()

        session._close_all = slowly  # type: ignore[method-assign]
        await s.send("/new")
        await s.until(is_closing.is_set, "the old one is being closed")
        await s.send("typed meanwhile")
        await s.until(lambda: s.app.core.early, "it waits")
        may_close.set()
        await s.until_shown("Done.")
        assert s.shows("› typed meanwhile")
        assert s.app.composer.is_empty


async def test_what_cannot_be_sent_comes_back_and_is_told(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:

        def broken(_: str) -> None:
            raise RuntimeError("it is broken")

        s.app.backstage.mentioned_images = broken  # type: ignore[method-assign, assignment]
        await s.send("look at @tax.py")
        await s.until(lambda: s.app.composer.text == "look at @tax.py", "it comes back")
        await s.until(lambda: "it is broken" in s.notices[-1], "it is told")
        assert [str(fault) for fault in s.app.faults] == ["it is broken"]
        s.app.faults.clear()


async def test_a_worker_that_fails_is_told_about(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:

        async def expected() -> None:
            raise UsageError("Do it otherwise, test-key-1.")

        async def unexpected() -> None:
            raise ValueError("nobody thought of it")

        s.app.run_worker(expected(), exit_on_error=False)
        await s.until_shown("Do it otherwise, [key removed].")
        s.app.run_worker(unexpected(), exit_on_error=False)
        await s.until(lambda: "nobody thought of it" in s.notices[-1] and "report" in s.notices[-1], "it is told")
        assert len(s.app.faults) == 2
        s.app.faults.clear()


async def test_the_collector_is_turned_on_also_when_warming_up_fails(
    server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned_on: list[bool] = []

    def broken(*_: object) -> None:
        raise RuntimeError("cold")

    monkeypatch.setattr("code_assistant.tui.session_start.warm_up", broken)
    monkeypatch.setattr("code_assistant.tui.session_start.turn_on_collector", lambda: turned_on.append(True))
    async with scene(server, tmp_path) as s:
        await s.until(lambda: s.app.faults, "it fails")
        assert turned_on
        s.app.faults.clear()


async def waiting_behind(s: Scene, server: ScriptedServer, gate: Gate) -> None:
    server.script_default([turn(hold(gate), text("One.")), turn(text("Done."))])
    await s.send("one")
    await gate.until_reached()
    await s.send("two")
    await s.send("three")
    await s.until(lambda: len(s.app.state.queue) == 2, "both wait")
    await s.type("four")


async def test_a_new_conversation_gives_back_what_waited(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await waiting_behind(s, server, Gate())
        s.app.run_worker(s.app.start_over())
        await s.until(lambda: not s.app.state.queue and len(s.blocks) == 1, "a new conversation")
        assert s.app.composer.text == "two\nthree\nfour"
        await s.until(lambda: s.app.core.session is not None, "a session")
        assert len(server.requests) == 1


async def test_leaving_keeps_what_waited_as_a_draft(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await waiting_behind(s, server, Gate())
        await s.app.leave()
    async with scene(server, tmp_path) as s:
        await s.until(lambda: s.app.composer.text == "two\nthree\nfour", "the draft is back")


async def test_leaving_keeps_what_waited_for_the_session_as_a_draft(server: ScriptedServer, tmp_path: Path) -> None:
    may_open = asyncio.Event()
    async with scene(server, tmp_path, may_open=may_open) as s:
        await s.send("early")
        await s.until(lambda: s.app.core.early, "it waits")
        leaving = asyncio.create_task(s.app.leave())
        may_open.set()
        await leaving
    async with scene(server, tmp_path) as s:
        await s.until(lambda: s.app.composer.text == "early", "the draft is back")
    assert server.requests == []


async def test_a_fault_of_the_session_gives_back_what_waited(
    server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    async with scene(server, tmp_path) as s:
        await waiting_behind(s, server, gate)

        def broken(_: object) -> None:
            raise RuntimeError("the bridge broke")

        monkeypatch.setattr(s.app.bridge, "take", broken)
        gate.open()
        await s.until(lambda: s.app.core.failure is not None, "the session is gone")
        await s.until(lambda: s.app.composer.text == "two\nthree\nfour", "all of it is back")
        await s.painted()
        assert not s.shows("↳")
