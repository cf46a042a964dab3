"""The theme that the screen begins with, in the bytes that a terminal gets."""

from __future__ import annotations

import re

from tests.e2e.program import Program
from tests.e2e.screen.pty_screen import opened
from tests.fakes.script import text, turn
from tests.fakes.server import ScriptedServer

FIXED_COLOR = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:38|48);(?:2|5);[0-9;]*m")


def test_the_terminals_own_colours_are_used_from_the_first_frame_on(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("# Title\n\nSome `code`.\n\n```python\ndef f(): return 1\n```\n"))])
    program.environ["CODE_ASSISTANT_SCREEN__THEME"] = "terminal"
    with opened(program) as screen:
        screen.wait_ready()
        screen.ask("go")
        screen.wait_for("def f")
        screen.wait_idle()
        screen.ask("/quit")
        assert screen.finish() == 0
    assert FIXED_COLOR.findall(screen.written) == []
    assert re.search(rb"\x1b\[(?:[0-9;]*;)?3[1-6](?:;[0-9;]*)?m", screen.written)
