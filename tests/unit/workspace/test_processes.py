"""Programs that are started beside commands: what they know of ours."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from code_assistant.workspace import processes
from code_assistant.workspace.processes import tied


async def test_safe_k1_the_program_that_ties_others_to_us_gets_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, tie = tmp_path / "told", tmp_path / "setpriv"
    tie.write_text(f"#!/bin/sh\nenv > {told}\n")
    tie.chmod(0o755)
    monkeypatch.setattr(processes, "SYSTEM_FOLDERS", (str(tmp_path),))
    # It is tried once, and may have been by now.
    monkeypatch.setattr(processes, "_tie", cache(processes._tie.__wrapped__))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-hush-0815")
    assert await tied("rg", "/bin/rg", "x") == (str(tie), (str(tie), "--pdeathsig", "KILL", "--", "/bin/rg", "x"))
    assert "PATH=" in told.read_text()
    assert "sk-hush-0815" not in told.read_text()
