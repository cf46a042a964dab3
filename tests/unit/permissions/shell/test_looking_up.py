"""The two things that are looked up on disk: where a program lies (B4), and what a glob stands for."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from code_assistant.permissions.shell.globs import MOST_LOOKED_AT, MOST_NAMES, FolderNames
from code_assistant.permissions.shell.program_finding import SystemPrograms
from code_assistant.permissions.shell.reading_environment import reading_environment


def _program(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def test_safe_b4_a_program_counts_only_in_a_folder_of_the_system(tmp_path: Path) -> None:
    system, workspace = tmp_path / "system", tmp_path / "workspace"
    _program(system / "ls")
    _program(workspace / "ls")
    _program(workspace / "mine")
    (system / "folder").mkdir()
    (system / "text").write_text("")
    os.symlink(workspace / "mine", system / "linked")
    programs = SystemPrograms((str(system),), (workspace,))
    assert programs.is_of_system("ls")
    assert programs.is_of_system(f"{system}/ls")
    for name in ("mine", "linked", "folder", "text", "missing", "", ".", "..", "./ls", "../system/ls"):
        assert not programs.is_of_system(name), name
    for name in (f"{workspace}/ls", f"{system}/", f"{system}/../workspace/ls", f"{system}//ls", f"{system}/missing"):
        assert not programs.is_of_system(name), name


def test_safe_b4_the_first_program_of_a_name_decides(tmp_path: Path) -> None:
    first, second, workspace = tmp_path / "first", tmp_path / "second", tmp_path / "workspace"
    _program(workspace / "ls")
    _program(second / "ls")
    first.mkdir()
    os.symlink(workspace / "ls", first / "ls")
    assert not SystemPrograms((str(first), str(second)), (workspace,)).is_of_system("ls")
    assert SystemPrograms((str(second), str(first)), (workspace,)).is_of_system("ls")


def test_safe_b4_a_system_folder_inside_of_an_untrusted_one_is_none(tmp_path: Path) -> None:
    _program(tmp_path / "home" / "bin" / "ls")
    os.symlink(tmp_path / "home", tmp_path / "alias")
    for untrusted in (tmp_path / "home", tmp_path / "alias"):
        programs = SystemPrograms((str(tmp_path / "home" / "bin"),), (untrusted,))
        assert not programs.is_of_system("ls")


def test_safe_b3_globs_stand_for_at_least_what_the_shell_puts_there(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "-x.py", ".hidden", "src/c.py", "src/d.md", "a b.txt", "star*.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    names = FolderNames(tmp_path)
    expected = {
        "*.py": ["-x.py", "a.py", "b.py"],
        "?.py": ["a.py", "b.py"],
        "./*.py": ["./-x.py", "./a.py", "./b.py"],
        "src/*": ["src/c.py", "src/d.md"],
        "*/*.py": ["src/c.py"],
        "*/": ["src/"],
        "a\\ *": ["a b.txt"],
        "'a '*": ["a b.txt"],
        "star\\**": ["star*.txt"],
        ".h*": [".hidden"],
        ".*": [".", "..", ".hidden"],
        "*.rs": [],
        "missing/*": [],
    }
    assert {pattern: names.matching(pattern) for pattern in expected} == expected
    # Which characters are meant depends on the language: rather too many names.
    assert {"a.py", "b.py"} <= set(names.matching("[a-c].py") or ())
    for pattern in ("~/*", "{a,b}*", "$x*", "*a*b*c*d*e*", "`a`*", "a b*"):
        assert names.matching(pattern) is None, pattern


def test_safe_p1_names_that_shells_count_in_more_than_one_way_are_not_missed(tmp_path: Path) -> None:
    for name in (b"\xc3\xa9\xff", "é".encode(), "e\u0301x".encode(), b".\xff", b"ab"):
        (tmp_path / os.fsdecode(name)).touch()
    names = FolderNames(tmp_path)
    for pattern in ("???", "?", "é*"):
        assert set(names.matching(pattern) or ()) == {os.fsdecode(b"\xc3\xa9\xff"), "é", "e\u0301x"}, pattern
    assert names.matching("*x") == ["e\u0301x"]
    assert names.matching("a?") == ["ab"]


def test_safe_b3_too_many_names_are_not_looked_at(tmp_path: Path) -> None:
    for number in range(MOST_NAMES + 1):
        (tmp_path / str(number)).touch()
    assert FolderNames(tmp_path).matching("*") is None
    assert FolderNames(tmp_path).matching("*0") is not None


def test_safe_b3_globs_are_looked_up_with_bounded_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "work"
    for name in ("a" * 250, "sub/b", "sub/ab.py"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).touch()
    (work / "out").symlink_to(tmp_path)
    started = time.monotonic()
    assert FolderNames(work).matching("*a*a*a*ab") == []
    assert time.monotonic() - started < 0.5
    assert FolderNames(work).matching("s*b/*a*.?y") == ["sub/ab.py"]
    # What lies elsewhere is not even listed.
    for pattern in ("/*/nope", "../*", "out/*", f"{tmp_path}/*"):
        assert FolderNames(work).matching(pattern) is None, pattern
    assert FolderNames(work / "sub", (work,)).matching("../s*") == ["../sub"]
    (tmp_path / "alias").symlink_to(work)
    assert FolderNames(tmp_path / "alias").matching("sub/*.py") == ["sub/ab.py"]
    monkeypatch.setattr("code_assistant.permissions.shell.globs.MOST_LOOKED_AT", 8)
    names = FolderNames(work)
    assert names.matching("*.rs") == []
    assert names.matching("*.py") is None, "what was looked at before counts"


def test_safe_b3_a_folder_is_not_listed_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def listed(folder: str) -> Iterator[Iterator[SimpleNamespace]]:
        def entries() -> Iterator[SimpleNamespace]:
            for number in range(MOST_LOOKED_AT):
                yield SimpleNamespace(name=str(number))
            pytest.fail(f"{folder} was listed further than is looked at")

        yield entries()

    monkeypatch.setattr("code_assistant.permissions.shell.globs.os.scandir", listed)
    assert FolderNames(tmp_path).matching("*.py") is None


def test_safe_b5_what_runs_unasked_gets_settings_that_start_nothing() -> None:
    environment = reading_environment(("/usr/bin", "/bin"))
    count = int(environment["GIT_CONFIG_COUNT"])
    settings = {environment[f"GIT_CONFIG_KEY_{at}"]: environment[f"GIT_CONFIG_VALUE_{at}"] for at in range(count)}
    assert settings["core.fsmonitor"] == "false"
    assert settings["core.hooksPath"] == "/dev/null"
    for kind in ("", "openpgp.", "ssh.", "x509."):
        assert settings[f"gpg.{kind}program"] == "/bin/false"
    assert settings["diff.submodule"] == "short"
    assert settings["diff.autoRefreshIndex"] == "false"
    assert environment["GIT_OPTIONAL_LOCKS"] == "0"
    assert environment["PATH"] == "/usr/bin:/bin"
    assert "PATH" not in reading_environment()
