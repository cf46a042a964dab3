"""A world outside of /tmp for each test, and engines that run commands in its sandbox."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from code_assistant.workspace.spill import SpillFolder
from tests.processes import processes_with
from tests.unit.workspace.commands.sandbox.world import WalledEngine, World

BASE = Path("/var/tmp")


@pytest.fixture
def world() -> Iterator[World]:
    base = Path(tempfile.mkdtemp(prefix="walls-", dir=BASE)).resolve()
    yield World(base)
    shutil.rmtree(base)


@pytest.fixture
async def walled(world: World, spill: SpillFolder, marker: str) -> AsyncIterator[WalledEngine]:
    engine = WalledEngine(world, world.sandbox(), spill)
    yield engine
    await engine.close()
    assert processes_with(marker) == []
