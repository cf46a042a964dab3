"""A workspace for each test, beside a file that lies outside of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.tools.support import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("the secret\n")
    root = tmp_path / "workspace"
    root.mkdir()
    return Bench(root)


@pytest.fixture
async def running_bench(bench: Bench) -> AsyncIterator[Bench]:
    """The same for tools that run commands: what is left of them ends with the test."""
    yield bench
    await bench.services.commands.close()
    await bench.services.commands.supervisor.close()
    bench.services.spill.remove()
