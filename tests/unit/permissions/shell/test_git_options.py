"""Whatever of git is proved is run for real: no option, and nothing after `--`, makes it write a file."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random

import pytest

from code_assistant.permissions.shell.arguments import Refused
from code_assistant.permissions.shell.git_commands import sorted_git
from code_assistant.permissions.shell.reading_environment import reading_environment
from code_assistant.permissions.shell.tables import Table, git_tables
from tests.unit.permissions.shell.everyday import build_workspace, state_of

WRITING = "--output=evil"
TAILS = (
    ("--", WRITING),
    ("--", "README.md", WRITING),
    ("HEAD", "--", WRITING),
    ("HEAD", "README.md", "--", "--", WRITING),
    (WRITING, "--"),
)
OTHERS = (
    "--",
    "HEAD",
    "HEAD~1",
    "main",
    "README.md",
    "src",
    "1,2:README.md",
    "1",
    WRITING,
    "-o",
    "evil",
    "--output",
    "-",
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    folder = tmp_path / "workspace"
    folder.mkdir()
    build_workspace(folder)
    return folder


def _is_proved(words: Sequence[str]) -> bool:
    try:
        sorted_git(words)
    except Refused:
        return False
    return True


def _run(words: Sequence[str], folder: Path) -> None:
    environment = {"HOME": str(folder.parent), "PATH": os.environ["PATH"], **reading_environment()}
    subprocess.run(
        ["git", *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=30,
        check=False,
    )


def _without_value(table: Table) -> list[str]:
    return sorted(table.flags | table.optional | table.last | table.listing)


def _every_tail() -> Iterator[list[str]]:
    for command, table in git_tables().items():
        for option, tail in product(("", *_without_value(table), *sorted(table.values)), TAILS):
            yield [*command.split(), *([option] if option else ()), *tail]


def _by_chance(chance: Random) -> list[str]:
    command, table = chance.choice(list(git_tables().items()))
    options = [*_without_value(table), *table.values, *table.refused]
    count = chance.randint(1, 5)
    words = [
        chance.choice(options) if options and chance.random() < 0.5 else chance.choice(OTHERS) for _ in range(count)
    ]
    return [*command.split(), *words]


def _check(commands: Sequence[Sequence[str]], folder: Path) -> None:
    before = state_of(folder)
    for words in commands:
        _run(words, folder)
        assert not (folder / "evil").exists(), words
    assert state_of(folder) == before


def test_safe_b3_no_option_of_git_makes_what_follows_write(repository: Path) -> None:
    _check([words for words in _every_tail() if _is_proved(words)], repository)


def test_safe_b3_what_is_proved_of_git_by_chance_writes_nothing(repository: Path) -> None:
    chance = Random(11)
    proved = [words for words in (_by_chance(chance) for _ in range(1_500)) if _is_proved(words)]
    assert len(proved) > 100
    _check(proved[:100], repository)


@pytest.mark.soak
def test_what_is_proved_of_git_by_chance_writes_nothing_for_long(repository: Path) -> None:
    chance = Random()
    _check([words for words in (_by_chance(chance) for _ in range(12_000)) if _is_proved(words)], repository)


def test_safe_b3_no_option_of_git_log_takes_the_end_of_options_for_its_value(repository: Path) -> None:
    for option in _without_value(git_tables()["log"]):
        if option not in git_tables()["log"].values:
            _run(["log", "-1", option, "--", WRITING], repository)
            assert not (repository / "evil").exists(), option
