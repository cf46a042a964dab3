"""What goes to the terminal itself, and what is said at the start."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.tui.intake import SECONDS_BEFORE_BELL
from code_assistant.tui.terminal import TITLES, Terminal
from tests.fakes.script import Gate, after, call, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import KEY, scene


def title(words: str) -> str:
    return f"\x1b]2;{words}\x1b\\"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    sequences: list[str] = []
    monkeypatch.setattr(Terminal, "_write", lambda _, sequence: sequences.append(sequence))
    return sequences


async def test_the_title_says_what_goes_on_and_is_given_back(
    server: ScriptedServer, tmp_path: Path, written: list[str]
) -> None:
    gate = Gate()
    server.script_default([after(gate, turn(call("execute_command", {"command": "sleep 0"}))), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.until(lambda: written, "a title")
        assert written == [title(TITLES["idle"])]
        await s.send("go")
        await gate.until_reached()
        await s.painted()
        assert written[-1] == title(TITLES["working"])
        gate.open()
        await s.until_prompt()
        assert written[-1] == title(TITLES["waiting"])
        await s.answer("y")
        await s.until_shown("Done.")
        await s.until_idle()
        assert written[-1] == title(TITLES["idle"])
        count = len(written)
        for _ in range(3):
            await s.painted()
        assert len(written) == count
    assert written[-1] == title("")


async def test_the_title_is_given_back_while_others_have_the_terminal(
    server: ScriptedServer, tmp_path: Path, written: list[str]
) -> None:
    """Before they have it; meanwhile nothing is written, however much happens."""
    gate = Gate()
    server.script_default([after(gate, turn(call("execute_command", {"command": "sleep 0"}))), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await gate.until_reached()
        await s.painted()
        assert written[-1] == title(TITLES["working"])
        s.app._suspend_signal()
        assert written[-1] == title("")
        count = len(written)
        gate.open()
        await s.until_prompt()
        s.app.terminal.restore()
        assert (len(written), s.app.rung) == (count, 0)
        s.app._resume_signal()
        await s.until(lambda: written[-1] == title(TITLES["waiting"]), "the title is back")
        s.app.terminal.ring()
        assert s.app.rung == 1


async def test_no_words_of_others_are_in_the_title(server: ScriptedServer, tmp_path: Path, written: list[str]) -> None:
    command = call("execute_command", {"command": "echo '\x1b]2;evil\x07'"})
    server.script_default([turn(text("evil")), turn(command), turn(text("evil"))])
    async with scene(server, tmp_path) as s:
        await s.send("evil")
        await s.until_idle()
        await s.send("evil")
        await s.answer("y")
        await s.until_idle()
    assert set(written) <= {*map(title, TITLES.values()), title("")}


async def test_the_bell_rings_at_the_end_of_long_work_only(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script_default([turn(text("Short.")), after(gate, turn(text("Long.")))])
    async with scene(server, tmp_path) as s:
        await s.send("short")
        await s.until_shown("Short.")
        await s.until_idle()
        assert s.app.rung == 0
        await s.send("long")
        await gate.until_reached()
        await s.wait(SECONDS_BEFORE_BELL + 1)
        gate.open()
        await s.until_shown("Long.")
        await s.until_idle()
        assert s.app.rung == 1


async def test_yolo_is_said_loudly(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, "--permission-mode", "yolo") as s:
        await s.until_shown("PERMISSION MODE YOLO")
        assert "YOLO" in s.rows[0]


async def test_the_start_says_where_one_is_and_what_to_type(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, warnings=("Your settings have an unknown key.",)) as s:
        await s.until_shown("Your settings have an unknown key.")
        assert "shop" in s.notices[0]
        assert "shop" in s.rows[0]
        assert "ask" in s.rows[0]
        assert s.app.composer.has_focus


async def test_a_theme_that_is_not_there_and_one_that_is_broken(server: ScriptedServer, tmp_path: Path) -> None:
    own = tmp_path / "home" / "themes"
    own.mkdir(parents=True)
    (own / "broken.toml").write_text("name = 3")
    async with scene(server, tmp_path, theme="nonsense") as s:
        assert s.app.chosen_theme.name == "harbor-dark"
        await s.until(lambda: any("broken.toml" in words for words in s.notices), "it is told")


async def test_a_key_never_reaches_the_screen(server: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "tax.py").write_text(f'KEY = "{KEY}"\n')
    pieces = ["The key is ", KEY[:3], KEY[3:], "."]
    server.script_default([turn(call("read_files", {"paths": ["tax.py"]})), turn(text(pieces=pieces))])
    async with scene(server, tmp_path) as s:
        await s.send(f"What is {KEY}?")
        await s.until_shown("The key is [key removed].")
        await s.press("ctrl+o")
        await s.until_shown('KEY = "[key removed]"')
        assert not s.shows(KEY)


async def test_nothing_ticks_while_nothing_happens(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_shown("Done.")
        await s.until_idle()
        await s.until(lambda: s.app.painter._timer is None, "the painter rests")
        assert not s.app.ticker.is_ticking
        assert not s.app.desk._timer.is_waiting
