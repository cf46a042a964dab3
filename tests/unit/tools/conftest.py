"""A workspace for each test, beside a file that lies outside of it."""

from __future__ import annotations

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
