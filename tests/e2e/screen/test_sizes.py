"""Terminals of all sizes, and sizes that change while the model writes."""

from __future__ import annotations

from random import Random

import pytest

from code_assistant.tui.prompts.safe_typing import SEEN_SECONDS
from tests.e2e.program import Program
from tests.e2e.screen.pty_screen import PtyScreen, opened
from tests.e2e.screen.terminal_bytes import unsafe
from tests.e2e.screen.test_prompts import seen_long_enough
from tests.fakes.script import Gate, Piece, call, hold, text, turn
from tests.fakes.server import ScriptedServer

STORM = 50


def framed_rows(screen: PtyScreen) -> list[str]:
    """What of a prompt is in sight; the spinner, which turns all the time, is not among it."""
    return [row for row in screen.rows if "┃" in row]


def test_a_storm_of_sizes_while_the_model_writes(program: Program, server: ScriptedServer) -> None:
    gates = [Gate(f"item {number}") for number in range(STORM)]
    pieces: list[Piece] = []
    for number, gate in enumerate(gates):
        pieces += [f"- item {number} of a **list** with `code`\n", hold(gate)]
    table = "\n| a | b |\n| - | - |\n| 1 | 2 |\n\n"
    server.script_default([turn(text(pieces=[*pieces, table, "THE END"]), call("list_files", {})), turn(text("Over."))])
    sizes = Random(5)
    with opened(program, size=(80, 24)) as screen:
        screen.wait_ready()
        screen.ask("go")
        screen.wait_for("item 0")
        for gate in gates:
            gate.open()
            screen.resize((sizes.randint(20, 200), sizes.randint(6, 60)))
            screen.press("x")
        # A size that was not there before, so that it is surely painted anew.
        screen.resize((203, 61))
        screen.wait_for("THE END", "Over.", "item 30")
        screen.wait_idle()
        screen.wait_draft("x" * STORM)
        first = screen.wait_still(lambda: screen.rows, SEEN_SECONDS)
        screen.resize((60, 20))
        screen.wait(lambda: "ask" in screen.status and "keys" in screen.activity, "the small screen")
        screen.resize((203, 61))
        screen.wait(lambda: screen.rows == first, "the same screen again")
        assert first[0].startswith(" shop · claude-")
        assert first[-3] == "─" * 203
        assert first[-2] == f" › {'x' * STORM}"
        assert "shift+tab mode" in first[-1]
        screen.press("ctrl+c", "ctrl+d")
        assert screen.finish() == 0
    assert unsafe(screen.written) == []


@pytest.mark.parametrize("size", [(40, 12), (20, 6)], ids=str)
def test_small_terminals(program: Program, server: ScriptedServer, size: tuple[int, int]) -> None:
    command = call("execute_command", {"command": "touch small.txt"})
    server.script_default([turn(text("Hello **there**.")), turn(command), turn(text("Done."))])
    with opened(program, size=size) as screen:
        screen.wait(lambda: "ask" in screen.status, "the first frame")
        screen.ask("go")
        screen.wait_for("Hello there.")
        screen.wait_idle()
        screen.ask("run")
        screen.wait(lambda: "(f8)" in screen.activity, "something waits")
        screen.press("f8")
        screen.wait_for("┏")
        seen_long_enough(screen)
        # Nothing is allowed that was not in sight.
        while "touch" not in "".join(before := framed_rows(screen)):
            screen.press("down")
            screen.wait(lambda before=before: framed_rows(screen) != before, "the next row")
        screen.press("y")
        screen.wait_for("Done.")
        assert (program.folder / "small.txt").exists()
        screen.wait_idle()
        opened_by = {"?": "Keys", "/help\r": "Help", "/theme\r": "Theme", "/cost\r": "Cost of", "/model\r": "Model"}
        for keys, title in opened_by.items():
            screen.send(keys)
            screen.wait_for(f"│ {title}", "╭", "╰", " · ")
            screen.press("escape")
            screen.wait(lambda: "╭" not in screen.text and "ask" in screen.status, "closed again")
        screen.send("@ta")
        screen.wait_for("tax.py")
        screen.press("tab")
        screen.wait_for("@tax.py")
        screen.press("ctrl+c")
        screen.wait_draft("")
        screen.press("alt+up")
        screen.wait(lambda: screen.is_marked, "a mark")
        screen.press("space", "ctrl+o", "pageup", "pagedown", "escape")
        screen.wait(lambda: not screen.is_marked, "no mark")
        screen.ask("/quit")
        assert screen.finish() == 0
    assert unsafe(screen.written) == []
    assert server.problems == []


def test_a_prompt_is_answered_in_the_smallest_terminal(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(call("execute_command", {"command": "touch small.txt"})), turn(text("Done."))])
    with opened(program, size=(60, 20)) as screen:
        screen.wait_ready()
        screen.ask("run")
        screen.wait(lambda: "(f8)" in screen.activity, "something waits")
        screen.press("f8")
        screen.wait_for("┏", "[y Allow once]")
        # What has the keys stays in sight when there is room for hardly anything else.
        screen.resize((20, 6))
        screen.wait(lambda: "ask" in screen.status and "┏" in screen.rows[1] and "┃" in screen.rows[2], "the prompt")
        screen.press("escape")
        screen.wait_gone("┏")
        screen.press("f8")
        screen.wait_for("┏")
        # Scrolling and the answer are one burst of keys, whose first must come late enough.
        seen_long_enough(screen)
        seen = [screen.rows[2]]
        while "[y Allow" not in seen[-1]:
            screen.press("down")
            screen.wait(lambda: screen.rows[2] != seen[-1], "the next row")
            seen.append(screen.rows[2])
        inside = [row.split("┃")[1].strip().removeprefix("┊ ") for row in seen]
        assert "touch small.txt" in "".join(inside), seen
        screen.press("y")
        screen.wait_for("Done.")
        assert (program.folder / "small.txt").exists()
