"""A person's machine for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.program import Program
from tests.fakes.server import ScriptedServer


@pytest.fixture
def program(server: ScriptedServer, tmp_path: Path) -> Program:
    home, folder = tmp_path / "home", tmp_path / "shop"
    home.mkdir()
    folder.mkdir()
    (folder / "tax.py").write_text("RATE = 0.2\n\n\ndef tax(amount):\n    return amount * RATE\n")
    (folder / "README.md").write_text("# Shop\n")
    return Program(home, folder, server.url)
