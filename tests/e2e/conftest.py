"""A person's machine for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.program import Program
from tests.fakes.server import ScriptedServer


@pytest.fixture
def program(server: ScriptedServer, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Program:
    # Not beside the folder: what holds the home folder is open to no command where Landlock is all there is.
    home, folder = tmp_path_factory.mktemp("home"), tmp_path / "shop"
    folder.mkdir()
    (folder / "tax.py").write_text("RATE = 0.2\n\n\ndef tax(amount):\n    return amount * RATE\n")
    (folder / "README.md").write_text("# Shop\n")
    return Program(home, folder, server.url)
