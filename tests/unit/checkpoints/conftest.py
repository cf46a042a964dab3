"""A folder to work in, and the checkpoints of a session beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.checkpoints.checkpoints import Checkpoints
from tests.unit.checkpoints.support import anywhere


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path.resolve() / "state" / "sessions" / "one" / "checkpoints"


@pytest.fixture
def checkpoints(kept: Path) -> Checkpoints:
    made = Checkpoints(kept, is_inside=anywhere, outermost=kept.parents[2])
    made.begin("first")
    return made
