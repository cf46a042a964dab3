"""The tables say of each option whether it takes the next word: what is installed here is asked whether that is so.

Where an option takes a word that we take for another, options and files go by unseen. `--help` shows who took it.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from code_assistant.permissions.shell.tables import Table, program_tables

# Help wins wherever it stands (rg), or is what an option gets that is not known (which).
SPEAKING_OF_HELP_ANYWAY = frozenset({"rg", "fd", "fdfind", "which"})


def _tables() -> Iterator[tuple[str, Table]]:
    """Of those that take options as most do, each once."""
    seen: list[Table] = []
    for name, table in program_tables().items():
        is_ordinary = not (table.raw or table.builtin or name in ("find", *SPEAKING_OF_HELP_ANYWAY))
        if is_ordinary and table not in seen and shutil.which(name) is not None:
            seen.append(table)
            yield name, table


def _output(folder: Path, *words: str) -> bytes:
    return subprocess.run(
        words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30
    ).stdout


@pytest.fixture(scope="module")
def helped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("helped")
    return {name: found for name, _ in _tables() if (found := _output(folder, name, "--help"))}


def test_safe_b3_what_takes_no_word_leaves_the_end_of_options_alone(tmp_path: Path, helped: dict[str, bytes]) -> None:
    wrong = [
        (name, option)
        for name, table in _tables()
        if name in helped
        for option in sorted((table.flags | table.optional | table.listing) - {"--help"})
        if _output(tmp_path, name, option, "--", "--help") == helped[name]
    ]
    assert not wrong


def test_safe_b3_what_takes_a_word_really_does(tmp_path: Path, helped: dict[str, bytes]) -> None:
    wrong = [
        (name, option)
        for name, table in _tables()
        if name in helped
        for option in sorted(table.values | table.paths | table.pairs | table.named)
        if _output(tmp_path, name, option, "--help") == helped[name]
    ]
    assert not wrong
