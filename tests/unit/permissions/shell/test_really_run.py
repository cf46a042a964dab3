"""What bash really runs is seen by rules that deny it (B8), wherever it stands: bash is asked, between walls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random, SystemRandom

import pytest

from code_assistant.permissions.access import CommandAccess
from code_assistant.permissions.rule_parsing import parse_rule
from code_assistant.permissions.shell.analysing import analyse
from tests.unit.permissions.shell.running import PAYLOAD, composed, each_frame, has_walls, really_run
from tests.unit.permissions.support import ANCHORS, request

RULE = parse_rule("Bash(touch:*)", ANCHORS)
SEED = 5


def _is_seen(command: str) -> bool:
    return RULE.touches(request("execute_command", CommandAccess(command, analysis=analyse(command))))


def _missed(commands: Sequence[str], folder: Path) -> list[str]:
    """Runs those that no rule sees: none of them should do what is denied."""
    if not has_walls():
        pytest.skip("there are no walls to run it between")
    unseen = [command for command in commands if not _is_seen(command)]
    return [command for command, ran in zip(unseen, really_run(unseen, folder), strict=True) if ran]


def test_safe_b8_bash_runs_nothing_in_any_frame_that_a_rule_does_not_see(tmp_path: Path) -> None:
    assert _missed(list(each_frame(Random(SEED))), tmp_path) == []


def test_safe_b8_bash_runs_nothing_in_nested_frames_that_a_rule_does_not_see(tmp_path: Path) -> None:
    chance = Random(SEED)
    assert _missed([composed(chance) for _ in range(600)], tmp_path) == []


def test_bash_really_runs_what_is_composed(tmp_path: Path) -> None:
    if not has_walls():
        pytest.skip("there are no walls to run it between")
    chance = Random(SEED)
    commands = [PAYLOAD, "true", *(composed(chance) for _ in range(30))]
    ran = really_run(commands, tmp_path)
    assert ran[:2] == [True, False]
    assert sum(ran) > 10


@pytest.mark.soak
def test_bash_runs_nothing_in_nested_frames_that_a_rule_does_not_see_for_long(tmp_path: Path) -> None:
    chance = SystemRandom()
    assert _missed([composed(chance) for _ in range(5_000)], tmp_path) == []
