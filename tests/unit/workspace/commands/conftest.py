"""An engine and a marker for each test; whatever a test did, nothing that holds the marker lives after it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from code_assistant.workspace.spill import SpillFolder
from tests.processes import new_marker, processes_with
from tests.unit.workspace.commands.support import Engine


@pytest.fixture
def marker() -> str:
    return new_marker()


@pytest.fixture
def spill(tmp_path: Path) -> SpillFolder:
    return SpillFolder(tmp_path / "private" / "spill")


@pytest.fixture
async def engine(tmp_path: Path, spill: SpillFolder, marker: str) -> AsyncIterator[Engine]:
    folder = tmp_path / "folder"
    folder.mkdir()
    engine = Engine(folder, spill)
    yield engine
    await engine.close()
    assert processes_with(marker) == []
