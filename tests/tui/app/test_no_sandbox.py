"""No walls at all: that is said at the start, in the status line and in prompts, and nothing runs unasked for that."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.workspace.commands.sandbox import sandbox as sandboxes
from tests.fakes.script import call, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import scene


async def test_safe_s4_where_no_walls_are_found_it_is_said_and_what_is_not_proved_asks(
    server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandboxes, "find_bubblewrap", lambda: None)
    monkeypatch.setattr(sandboxes, "landlock_works", lambda: False)
    reading, changing = (call("execute_command", {"command": each}) for each in ("echo proved", "touch made"))
    server.script_default([turn(reading, changing), turn(text("ok"))])
    async with scene(server, tmp_path) as s:
        await s.until_shown("no sandbox")
        await s.until_shown("There is no sandbox here")
        await s.send("go")
        await s.until_prompt()
        await s.painted()
        assert s.shows("Ran echo proved")
        assert s.shows("There is no sandbox: it can do all that you can.")
        assert not (tmp_path / "shop" / "made").exists()
