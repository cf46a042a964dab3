"""kill -9 at any moment of a change leaves the old file or the new one, and the next change clears up."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HANG_GUARD = 100


def killed(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "tests.unit.workspace.kills", arguments[0], str(folder / "work"), *arguments[1:]]
    root = Path(__file__).parents[3]
    done = subprocess.run(command, cwd=root, capture_output=True, timeout=HANG_GUARD, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


@pytest.mark.parametrize("how", ["before", "torn"])
@pytest.mark.parametrize(("name", "before", "after"), [("replace", "old", "new"), ("create", "missing", "new")])
def test_safe_e2_a_kill_at_any_call_leaves_old_or_new(
    tmp_path: Path, name: str, before: str, after: str, how: str
) -> None:
    outcomes = killed(tmp_path, "calls", name, how)
    states = [outcome["state"] for outcome in outcomes]
    first_new = states.index(after)
    assert states == [before] * first_new + [after] * (len(states) - first_new)
    assert 15 < first_new < len(states) - 2
    assert all(outcome["swept"] and outcome["next"] for outcome in outcomes)
    assert {outcome["left"] for outcome in outcomes} == {0, 1}
    assert [outcome["ended"] for outcome in outcomes] == [False] * (len(outcomes) - 1) + [True]


def test_safe_e2_a_kill_at_any_call_of_a_removal_leaves_the_file_or_none(tmp_path: Path) -> None:
    states = [outcome["state"] for outcome in killed(tmp_path, "calls", "remove", "before")]
    first_gone = states.index("missing")
    assert first_gone > 5
    assert states == ["old"] * first_gone + ["missing"] * (len(states) - first_gone)


def require_whole(outcomes: list[dict[str, Any]]) -> None:
    assert {outcome["state"] for outcome in outcomes} <= {"old", "new"}
    assert all(outcome["swept"] and outcome["next"] for outcome in outcomes)


def test_safe_e2_a_kill_at_any_moment_leaves_old_or_new(tmp_path: Path) -> None:
    require_whole(killed(tmp_path, "moments", "1", "200"))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 8))
def test_safe_e2_a_kill_at_any_moment_leaves_old_or_new_for_long(tmp_path: Path, seed: int) -> None:
    require_whole(killed(tmp_path, "moments", str(seed), "1500"))
