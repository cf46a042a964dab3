"""Another parser of bash, and bash itself, read plain lists as ours do."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import bashlex
import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_assistant.permissions.shell.analysing import analyse
from code_assistant.permissions.shell.lexing import lex
from code_assistant.permissions.shell.words import NotPlain, scan_word
from tests.unit.permissions.shell.bash_words import words_given
from tests.unit.permissions.shell.everyday import everyday_commands
from tests.unit.permissions.shell.hostile import hostile_commands
from tests.unit.permissions.shell.pieces import changed, composed
from tests.unit.permissions.shell.support import verdict

TABLES = [*everyday_commands(), *(command for _, command in hostile_commands())]
BRACES = (
    *("{", "}", ",", "..", ".", "1", "3", "a", "-", "{a,b}", "{1..3}", "{'1'..3}", "{}", "!", "=", "%s", "\u00e9"),
    *("'", '"', "\\", "'{'", '"{"', "','", '".."', "''", '""', "\\{", "\\,", "\\}", "'a b'", "$", '"$"', '"\\""'),
)
# bashlex does not know `time` as a word of the shell.
NOT_KNOWN = "time"


def is_plain(command: str) -> bool:
    obstacle = analyse(command).obstacle
    return obstacle is None or "starts another" in obstacle or "runs whatever" in obstacle


def words_of(command: str) -> list[list[str]]:
    """What bashlex takes for the words of each simple command; an assignment is no word."""
    return [words for tree in bashlex.parse(command) for words in _commands(tree)]


def _commands(node: Any) -> Iterator[list[str]]:
    if node.kind == "command":
        assert not [part for part in node.parts if part.kind == "assignment"]
        yield [part.word for part in node.parts if part.kind == "word"]
        return
    for part in (*getattr(node, "parts", ()), *getattr(node, "list", ())):
        yield from _commands(part)


def our_words(command: str) -> list[list[str]]:
    return [[word.text if word.value is None else word.value for word in each.words] for each in lex(command).commands]


def test_safe_b1_bashlex_reads_the_tables_as_we_do() -> None:
    plain = [command for command in TABLES if is_plain(command) and command.strip() and lex(command).commands]
    assert len(plain) > 700
    different = {
        command: words_of(command)
        for command in plain
        if NOT_KNOWN not in command and words_of(command) != our_words(command)
    }
    assert not different


def test_safe_b1_bash_itself_can_read_whatever_is_plain() -> None:
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    plain = [command for command in TABLES if is_plain(command) and lex(command).commands]
    assert _refused_by_bash(plain) == []


def _refused_by_bash(commands: Sequence[str]) -> list[str]:
    """Each becomes the body of a function, which is read and not run."""
    functions = [f"f() {{\n{command}\n}}" for command in commands]
    script = "".join(f"eval {shlex.quote(function)} 2>/dev/null; echo $?\n" for function in functions)
    codes = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()
    return [command for command, code in zip(commands, codes, strict=True) if code != "0"]


def test_safe_b1_bash_itself_gives_programs_the_words_that_we_read(tmp_path: Path) -> None:
    if not Path("/bin/bash").exists():
        pytest.skip("there is no bash")
    chance = Random(7)
    short = [command for command in TABLES if len(command) < 300]
    pool = [*short, *(changed(chance.choice(short), chance) for _ in range(1_000))]
    commands = [command for command in dict.fromkeys(pool) if _can_be_told(command)]
    assert len(commands) > 300
    different = {
        command: given
        for command, given in zip(commands, words_given(commands, tmp_path), strict=True)
        if sorted(given) != sorted(our_words(command))
    }
    assert not different


def test_safe_b1_bash_itself_takes_braces_literally_where_we_do() -> None:
    if not Path("/bin/bash").exists():
        pytest.skip("there is no bash")
    chance = Random(5)
    words: dict[str, str] = {}
    while len(words) < 3_000:
        word = "".join(chance.choice(BRACES) for _ in range(chance.randint(2, 9)))
        value = _literal(word)
        if value is not None and "{" in word and ("," in word or ".." in word):
            words[word] = value
    script = "".join(f"printf '%s\\0' {word}; printf '\\n\\0'\n" for word in words)
    said = subprocess.run(["/bin/bash", "-s"], input=script.encode(), capture_output=True, check=True).stdout.decode()
    given = said.split("\0\n\0")[:-1]
    assert {word: each for (word, value), each in zip(words.items(), given, strict=True) if each != value} == {}


def _literal(word: str) -> str | None:
    try:
        scan = scan_word(word)
    except NotPlain:
        return None
    return "".join(scan.value) if scan.is_literal and scan.end == len(word) else None


def test_safe_b1_bash_itself_reads_only_what_is_told_wherever_cd_leads(tmp_path: Path) -> None:
    if not Path("/bin/bash").exists():
        pytest.skip("there is no bash")
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    chance = Random(3)
    parts = ("cd a", "cd b", "cd missing", "cat x", "cat b/x", "true", "false", "cat x | cat b/x")
    lists: dict[str, set[str]] = {}
    while len(lists) < 300:
        count = chance.randint(2, 6)
        pieces = [piece for _ in range(count) for piece in (chance.choice(parts), chance.choice(("; ", " && ", "\n")))]
        command = "".join(pieces[:-1])
        judged = verdict(command)
        if judged.is_read_only:
            lists[command] = {str(tmp_path / path) for path in judged.paths}
    script = "cat() { printf '%s\\n' \"$PWD/$1\" >&3; }\n"
    script += "".join(f"(\n{command}\n) 3>&1 >/dev/null 2>&1\necho --\n" for command in lists)
    ran = subprocess.run(["/bin/bash", "-s"], input=script, capture_output=True, text=True, cwd=tmp_path, check=True)
    read = [set(each.split()) for each in ran.stdout.split("--\n")[:-1]]
    assert sum(len(each) > 1 for each in read) > 50
    assert {cmd: got for (cmd, told), got in zip(lists.items(), read, strict=True) if not got <= told} == {}


def _can_be_told(command: str) -> bool:
    """Without what bash works out first, what it may leave out, and what it would really start or open."""
    if NOT_KNOWN in command or "||" in command or "/usr/bin" in command or not verdict(command).is_read_only:
        return False
    members = analyse(command).members
    has_globs = any(word.value is None for member in members for word in member.words)
    return not has_globs and not any(member.redirections for member in members)


@given(composed())
def test_safe_b1_bashlex_reads_whatever_is_proved_as_we_do(command: str) -> None:
    _agrees(command)


@given(st.sampled_from(TABLES), st.randoms(use_true_random=False))
def test_safe_b1_a_changed_command_is_proved_only_if_bashlex_agrees(command: str, chance: Random) -> None:
    _agrees(changed(command, chance))


def _agrees(command: str) -> None:
    if verdict(command).is_read_only and NOT_KNOWN not in command:
        assert words_of(command) == our_words(command)
