"""kill -9 at any call of a turn's changes, or of taking them back: afterwards undo brings back what was."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HANG_GUARD = 100


def killed(folder: Path, name: str, step: int) -> list[dict[str, Any]]:
    """What came of a kill at every `step`-th call."""
    place = str(folder.resolve() / "place")
    command = [sys.executable, "-m", "tests.unit.checkpoints.kills", name, place, str(step)]
    root = Path(__file__).parents[3]
    done = subprocess.run(command, cwd=root, capture_output=True, timeout=HANG_GUARD, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def check_turn(folder: Path, step: int) -> None:
    outcomes = killed(folder, "changing", step)
    assert len(outcomes) > 100 // step
    assert all(outcome["back"] and not outcome["extra"] for outcome in outcomes), outcomes
    # What was changed before the kill was known on disk before it was changed.
    assert {outcome["said"] for outcome in outcomes if outcome["changed"]} == {"undone"}
    assert {outcome["said"] for outcome in outcomes} == {"undone", "nothing"}


def check_taking_back(folder: Path, step: int) -> None:
    outcomes = killed(folder, "undoing", step)
    assert len(outcomes) > 100 // step
    assert all(outcome["back"] and not outcome["extra"] for outcome in outcomes), outcomes
    # Killed after the last line it had come to its end already.
    assert {outcome["said"] for outcome in outcomes if outcome["changed"]} == {"undone"}


def test_safe_e5_a_turn_killed_at_any_call_can_be_taken_back(tmp_path: Path) -> None:
    check_turn(tmp_path, 4)


def test_safe_e5_taking_back_that_is_killed_at_any_call_goes_on(tmp_path: Path) -> None:
    check_taking_back(tmp_path, 4)


@pytest.mark.soak
def test_soak_killed_at_every_call(tmp_path: Path) -> None:
    check_turn(tmp_path / "changing", 1)
    check_taking_back(tmp_path / "undoing", 1)
