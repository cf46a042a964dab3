"""kill -9 at any call of a turn's changes, or of taking them back: afterwards undo brings back what was."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HANG_GUARD = 100


def killed(folder: Path, name: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "tests.unit.checkpoints.kills", name, str(folder.resolve() / "place")]
    root = Path(__file__).parents[3]
    done = subprocess.run(command, cwd=root, capture_output=True, timeout=HANG_GUARD, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_safe_e5_a_turn_killed_at_any_call_can_be_taken_back(tmp_path: Path) -> None:
    outcomes = killed(tmp_path, "changing")
    assert len(outcomes) > 100
    assert all(outcome["back"] and not outcome["extra"] for outcome in outcomes), outcomes
    # What was changed before the kill was known on disk before it was changed.
    assert {outcome["said"] for outcome in outcomes if outcome["changed"]} == {"undone"}
    assert {outcome["said"] for outcome in outcomes} == {"undone", "nothing"}


def test_safe_e5_taking_back_that_is_killed_at_any_call_goes_on(tmp_path: Path) -> None:
    outcomes = killed(tmp_path, "undoing")
    assert len(outcomes) > 100
    assert all(outcome["back"] and not outcome["extra"] for outcome in outcomes), outcomes
    # Killed after the last line it had come to its end already.
    assert {outcome["said"] for outcome in outcomes if outcome["changed"]} == {"undone"}
