"""The mouse: titles, links, the wheel, buttons, and text that is selected."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from textual import events

from code_assistant.tui.pickers.text_screen import ConfirmLink
from tests.fakes.script import call, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene

LINKS = "See [the page](https://docs.example.org/tax) and [this](javascript:alert(1)) and [here](tax.py)."


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    addresses: list[str] = []
    monkeypatch.setattr("code_assistant.tui.dialogues.find_opener", lambda *_: "/usr/bin/opener")
    monkeypatch.setattr("code_assistant.tui.dialogues.open_address", lambda _, address, *__: addresses.append(address))
    return addresses


async def test_a_click_on_a_title_unfolds_and_keeps_the_composer(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(call("read_files", {"paths": ["tax.py"]})), turn(text("Read."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_shown("Read.")
        await s.click_on("Read tax.py")
        await s.until_shown("RATE = 0.2")
        assert s.app.composer.has_focus
        await s.click_on("Read tax.py")
        await s.until_gone("RATE = 0.2")
        await s.click_on("› go")
        await s.click_on("Read.")
        await s.type("x")
        assert s.app.composer.text == "x"


async def linked(s: Scene, server: ScriptedServer) -> None:
    server.script_default([turn(text(LINKS))])
    await s.send("go")
    await s.until_shown("See the page")
    await s.until_idle()


async def test_safe_x3_a_link_is_opened_only_when_that_is_confirmed(
    server: ScriptedServer, tmp_path: Path, opened: list[str]
) -> None:
    async with scene(server, tmp_path) as s:
        await linked(s, server)
        await s.click_on("the page")
        await s.until_dialog(ConfirmLink)
        assert s.shows("https://docs.example.org/tax")
        assert opened == []
        await s.press("escape")
        await s.until(lambda: s.app.screen is s.app.main, "it is closed")
        assert opened == []
        await s.click_on("the page")
        await s.until_dialog(ConfirmLink)
        await s.press("o")
        await s.until(lambda: s.app.screen is s.app.main, "it is closed")
        assert opened == ["https://docs.example.org/tax"]


async def test_safe_x3_images_of_an_answer_are_named_and_never_fetched(
    server: ScriptedServer, tmp_path: Path, opened: list[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        badge = f"[![badge]({address}/b.svg)]({address})"
        answer = f"See ![a plan]({address}/plan.png) and {badge}.\n\n<img src='{address}/x'>\n"
        async with scene(server, tmp_path) as s:
            server.script_default([turn(text(answer))])
            await s.send("go")
            await s.until_shown("a plan")
            await s.until_idle()
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert opened == []


async def test_an_address_that_no_browser_takes_is_shown_and_copied(
    server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("code_assistant.tui.dialogues.find_opener", lambda *_: None)
    async with scene(server, tmp_path) as s:
        await linked(s, server)
        await s.click_on("the page")
        await s.until_dialog(ConfirmLink)
        await s.press("o")
        await s.until_shown("The address was copied: https://docs.example.org/tax")
        assert s.app.copied == ["https://docs.example.org/tax"]


async def test_a_browser_that_fails_leaves_the_address_to_the_person(
    server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("code_assistant.tui.dialogues.find_opener", lambda *_: "/bin/false")
    async with scene(server, tmp_path) as s:
        await linked(s, server)
        await s.click_on("the page")
        await s.until_dialog(ConfirmLink)
        await s.press("o")
        await s.until_shown("The address was copied: https://docs.example.org/tax")


@pytest.mark.parametrize("shown", ["this", "here"])
async def test_what_is_no_address_of_the_web_is_never_opened(
    server: ScriptedServer, tmp_path: Path, opened: list[str], shown: str
) -> None:
    async with scene(server, tmp_path) as s:
        await linked(s, server)
        if not s.shows(f"[{shown}]"):
            await s.click_on(shown)
            await s.until_dialog(ConfirmLink)
            await s.press("o", "enter")
            assert isinstance(s.app.screen, ConfirmLink)
            await s.press("escape")
        assert opened == []


async def test_the_wheel_scrolls(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("\n\n".join(f"line {number}" for number in range(100))))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_shown("line 99")
        await s.until_idle()
        view = s.app.view
        for _ in range(5):
            await s.pilot._post_mouse_events([events.MouseScrollUp], view, (20, 5))
        await s.until(lambda: not view.is_following and not s.shows("line 99"), "it has scrolled")
        for _ in range(8):
            await s.pilot._post_mouse_events([events.MouseScrollDown], view, (20, 5))
        await s.until(lambda: view.is_following and s.shows("line 99"), "it is at the end")


async def test_a_click_on_a_button_of_a_prompt_answers(server: ScriptedServer, tmp_path: Path) -> None:
    command = call("execute_command", {"command": "echo ran > out.txt"})
    server.script_default([turn(command), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_prompt()
        await s.wait(0.5)
        await s.click_on("Allow once")
        await s.until_shown("Done.")
        assert (s.folder / "out.txt").read_text() == "ran\n"


async def test_a_click_on_a_prompt_that_has_just_come_up_does_nothing(server: ScriptedServer, tmp_path: Path) -> None:
    command = call("execute_command", {"command": "echo ran > out.txt"})
    server.script_default([turn(command), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_prompt()
        await s.click_on("Allow once")
        await s.pilot.pause()
        assert not s.panels[0].is_closed
        await s.wait(0.5)
        await s.press("n")
        await s.until_shown("Done.")
        assert not (s.folder / "out.txt").exists()


async def test_selected_text_is_copied_without_decoration(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("- one\n- two"))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_shown("• two")
        first = next(y for y, row in enumerate(s.rows) if "• one" in row)
        await s.pilot.mouse_down(offset=(2, first))
        await s.pilot.hover(offset=(20, first + 1))
        await s.pilot.mouse_up(offset=(20, first + 1))
        await s.press("ctrl+c")
        assert s.app.copied == ["one\ntwo"]
