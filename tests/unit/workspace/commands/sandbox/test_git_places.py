"""Git's configuration is read as git reads it, whatever is in it, in a time that grows with its length alone."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from code_assistant.workspace.commands.sandbox.git_configuration import HOOKS, INCLUDED, WORK_TREE, naming_values
from code_assistant.workspace.commands.sandbox.git_places import (
    Named,
    named_by_person,
    named_by_repository,
    named_git_folder,
    repository_around,
)
from tests.hang_guard import HANG_GUARD
from tests.unit.workspace.commands.sandbox.world import git

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is missing")

VALUES = {
    b"plain": b"plain",
    b"  two words \t": b"two words",
    rb"h\\k": rb"h\k",
    rb"\"quoted\"\t\n\b": b'"quoted"\t\n\b',
    b'"in # quotes; " # not': b"in # quotes; ",
    b'a" b "c': b"a b c",
    b"hk#c": b"hk",
    b"hk;c \\": b"hk",
    b"con\\\ntinued \\\r\n here": b"continued  here",
    b'"con\\\ntinued"': b"continued",
    b'trailing ""': b"trailing ",
    b"\r x\r": b"x",
    b"hk\0rest": b"hk",
    b"last\\": b"last",
}
# Each of these is core.hooksPath for git.
SPELLINGS = (
    b"[core]\nhooksPath = hk",
    b"\xef\xbb\xbf[CORE] HOOKSPATH=hk",
    b"[core]\r\n\thooksPath\t = hk\r\n",
    b'[a]#\n[b "x]\\""][core]hooksPath=hk',
    b"[core]\n# C:\\\nhooksPath = hk",
    b"[core]\nname = x ; C:\\\nhooksPath = hk",
    b"[core]\nbare\nhooksPath = hk",
    b'[core]\nname = \\\n[x]\\\n"\\\n"\nhooksPath = hk',
    b'[core "hooks\\path\0"]\nname = hk',
    b"[core]\nhooksPath = hk\n[core\nbad",
    # Git stops at a bad line; what comes after it may be read by another.
    b"[core]\n= bad\nhooksPath = hk",
    b'[core]\nname = "open\nhooksPath = hk',
    b"[core]\nname = \\x\nhooksPath = hk",
)
FRAGMENTS = (
    *(
        b"[core]",
        b"[include]",
        b'[includeIf "gitdir:x"]',
        b'[core "',
        b'[include "path',
        b'"]',
        b"[other]",
        b"[Core ",
        b"[",
    ),
    *(b"hooksPath", b"path", b"worktree", b"name", b" = ", b"=", b"HOOKSPATH\t=", b"path=", b"hookspath=hk"),
    *(b"\n", b"\n", b"\r\n", b"\r", b" ", b"\t", b"\\\n", b"\\\r\n", b"\\", b"\\\\", b'\\"', b"\\t", b"\\x"),
    *(b'"', b'"', b"#", b";", b"]", b"\0", b'\0"]', b"\xef\xbb\xbf", b"\xff", b"\v", b"a", b"-", b".", b"x y"),
)
HEADERS = (b"[core]\n", b"[include]", b'[includeIf "x\\"y"] ', b"[x]\r\n[Core]", b'[core "hookspath\0"]')
KEYS = (b"hooksPath = ", b"path=", b"worktree\t=", b"x = ", b"x #")
WORDS = (b'"a b"', b"a\tb", b" ", b"\\\n", b"\\\r\n", b"\\\\", b'"\\\n"', b"x", b"\r", b'""', b'" \t"', b"\0", b"\xe9")
ENDINGS = (b"\n", b"\r\n", b" # \\\n", b';"\n')


def _lists_of(pieces: tuple[bytes, ...] | st.SearchStrategy[bytes], most: int) -> st.SearchStrategy[bytes]:
    each = st.sampled_from(pieces) if isinstance(pieces, tuple) else pieces
    return st.lists(each, max_size=most).map(b"".join)


def _in_a_row(*parts: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    return st.tuples(*parts).map(b"".join)


# First what git takes, so that not every text ends with its first bad line.
LINE = _in_a_row(st.sampled_from(KEYS), _lists_of(WORDS, 6), st.sampled_from(ENDINGS))
SECTION = _in_a_row(st.sampled_from(HEADERS), _lists_of(LINE, 3))
TEXTS = _in_a_row(_lists_of(SECTION, 3), _lists_of(FRAGMENTS, 8))
HOSTILE = (
    *(
        b" ",
        b"\t \r",
        b"\n",
        b"[",
        b"[a",
        b"[ ",
        b"[a]",
        b'[a "',
        b'[a "\\"',
        b"]",
        b"a",
        b"a ",
        b"a\n",
        b"a=\n",
        b"a=b\n",
    ),
    *(b"#", b";\n", b"\\", b"\\\n", b'"', b'"\\\n', b"a=\\\n", b'a="\\\n', b"\\\\x", b'a" ', b"=", b"\0", b"path=\\\n"),
)
LENGTH = 400_000
BEGINNINGS = (b"", b"[core]\nhooksPath=", b'[core]\nhooksPath="', b'[include "', b"[include]\npath =")


@pytest.mark.parametrize("written", VALUES)
def test_safe_s3_values_mean_what_git_takes_them_for(written: bytes) -> None:
    assert (HOOKS, VALUES[written]) in list(naming_values(b"[core]\nhooksPath = " + written))


@pytest.mark.parametrize("content", SPELLINGS)
def test_safe_s3_keys_are_found_wherever_git_finds_them(content: bytes) -> None:
    assert set(naming_values(content)) == {(HOOKS, b"hk")}


def test_only_places_are_named() -> None:
    elsewhere = b'# hooksPath = a\n[x]\nhooksPath = b\npath = c\n[include "x"]\npath = d\n'
    assert list(naming_values(elsewhere + b"[core]\nname = \\\nhooksPath = e\nhooksPath")) == []


def test_blanks_between_words_for_older_and_newer_git() -> None:
    assert list(naming_values(b"[core]\nhooksPath = a\t\tb")) == [(HOOKS, b"a\t\tb"), (HOOKS, b"a  b")]
    assert list(naming_values(b"[core]\nhooksPath = :(optional)hk")) == [(HOOKS, b":(optional)hk"), (HOOKS, b"hk")]


@needs_git
@settings(max_examples=200, derandomize=True, deadline=None)
@given(TEXTS)
@example(b'[core "hookspath\0"] x = hk')
@example(b'[includeIf "gitdir:a.path\0"] x = hk')
def test_safe_s3_nothing_that_git_reads_is_missed(content: bytes) -> None:
    assert set(_read_by_git(content)) <= set(naming_values(content))


@pytest.mark.timeout(HANG_GUARD)
@pytest.mark.parametrize("repeated", HOSTILE)
def test_safe_s3_a_hostile_configuration_takes_no_longer_than_another(repeated: bytes) -> None:
    """Were bytes read again for each one before them, this would take hours."""
    for beginning in BEGINNINGS:
        content = beginning + repeated * (LENGTH // len(repeated)) + b"\n\n[core]\nhooksPath = hk"
        assert list(naming_values(content))[-1] == (HOOKS, b"hk")


def _read_by_git(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    words = ("git", "config", "--file", "-", "--no-includes", "--null", "--list")
    # What came before a bad line is written all the same.
    listed = subprocess.run(words, input=content, capture_output=True, check=False, cwd="/").stdout
    for entry in listed.split(b"\0"):
        name, has_value, value = entry.partition(b"\n")
        is_conditional = name.startswith(b"includeif.") and name.endswith(b".path")
        if has_value and (is_conditional or name in (HOOKS, INCLUDED, WORK_TREE)):
            yield INCLUDED if is_conditional else name, value


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "home"
    folder.mkdir()
    return folder


def _repository(tree: Path, configuration: bytes = b"") -> Path:
    """A git folder as far as git looks before it reads the configuration."""
    folder = tree / ".git"
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_bytes(configuration)
    return folder


def _hooks(named: Iterator[Named]) -> set[Path]:
    return {place for place, is_file in named if not is_file}


def test_safe_s3_hooks_are_relative_to_where_git_runs_them(home: Path) -> None:
    folder = _repository(home / "tree", b"[core]\nhooksPath = hk\nworktree = ../other")
    bases = {home / "tree", folder, folder / "../other"}
    assert _hooks(named_by_repository(folder, home / "tree", home)) == {base / "hk" for base in bases}
    (home / ".gitconfig").write_bytes(b"[core]\nhooksPath = own")
    assert _hooks(named_by_person(folder, home / "tree", home)) >= {base / "own" for base in bases}


@pytest.mark.timeout(HANG_GUARD)
def test_safe_s3_many_work_trees_and_many_hooks_are_not_multiplied(home: Path) -> None:
    lines = (b"worktree = %d\nhooksPath = /hk\n[core]hooksPath = %d\n" % (number, number) for number in range(15_000))
    folder = _repository(home / "tree", b"[core]\n" + b"".join(lines))
    named = list(named_by_repository(folder, home / "tree", home))
    assert Named(folder / "14999/0", is_file=False) in named
    assert len(named) <= 4 * 15_001


@pytest.mark.parametrize(
    ("written", "place"), [(b"~", ""), (b"~/hk", "hk"), (b"~//hk", "hk"), (b"~nobody-of-this-name/hk", None)]
)
def test_safe_s3_home_folders_in_values(home: Path, written: bytes, place: str | None) -> None:
    folder = _repository(home / "tree", b"[core]\nhooksPath = " + written)
    expected = home / "tree" / os.fsdecode(written) if place is None else home / place
    assert expected in _hooks(named_by_repository(folder, home / "tree", home))


def test_safe_s3_the_home_folder_of_a_named_user(home: Path) -> None:
    user = pwd.getpwuid(os.getuid())
    folder = _repository(home / "tree", b"[core]\nhooksPath = ~%s/hk" % os.fsencode(user.pw_name))
    assert _hooks(named_by_repository(folder, home / "tree", home)) == {Path(user.pw_dir) / "hk"}


def test_included_files_are_read_once_and_relative_to_the_one_that_names_them(home: Path) -> None:
    folder = _repository(home / "tree", b"[include]\npath = ../team/a.ini\npath = ../team/a.ini\npath =")
    (home / "tree/team").mkdir()
    (home / "tree/team/a.ini").write_bytes(b'[includeIf "onbranch:x"]\npath = b.ini\n[include]\npath = a.ini')
    (home / "tree/team/b.ini").write_bytes(b"[core]\nhooksPath = /hk")
    named = list(named_by_repository(folder, home / "tree", home))
    team = folder / "../team"
    assert [place for place, is_file in named if is_file] == [team / "a.ini", team / "b.ini", team / "a.ini"]
    assert _hooks(iter(named)) == {Path("/hk")}


@pytest.mark.parametrize("line", [b"gitdir: store \n", b"gitdir: store \r\n", b"gitdir: store \0rest"])
def test_safe_s3_a_git_file_is_read_to_the_end_of_its_line(home: Path, line: bytes) -> None:
    (home / ".git").write_bytes(line)
    assert named_git_folder(home / ".git") == home / "store "


def test_the_repository_around_a_folder(home: Path) -> None:
    inner = home / "tree/sub/inner"
    inner.mkdir(parents=True)
    assert repository_around(inner) is None
    folder = _repository(home / "tree")
    (home / "tree/sub/.git").mkdir()
    assert repository_around(inner) == (home / "tree", folder)
    assert repository_around(folder / "refs") == (folder, folder)
    (inner / ".git").write_text("gitdir: ../../.git/modules/inner\n")
    assert repository_around(inner) == (inner, inner / "../../.git/modules/inner")


@needs_git
def test_safe_s3_a_linked_work_tree_has_two_configurations(home: Path) -> None:
    main, linked = home / "main", home / "linked"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", str(linked))
    git(main, "config", "extensions.worktreeConfig", "true")
    git(main, "config", "core.hooksPath", "/of/all")
    git(linked, "config", "--worktree", "core.hooksPath", "/of/this")
    folder = main / ".git/worktrees/linked"
    assert repository_around(linked / "sub") == (linked, folder)
    assert _hooks(named_by_repository(folder, linked, home)) == {Path("/of/all"), Path("/of/this")}
