"""Whoever else changes a file at the same time: no edit is lost, and what killed processes left is swept up."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from code_assistant.errors import ToolError
from code_assistant.workspace.ledger import FileLedger
from code_assistant.workspace.proposals import carry_out, proposed_edits
from code_assistant.workspace.replacing import FileChanged
from code_assistant.workspace.text_edits import TextEdit
from code_assistant.workspace.threads import StopFlag
from code_assistant.workspace.workspace import Workspace
from tests.hang_guard import HANG_GUARD
from tests.unit.workspace.changing import create, edit, replace

LEFT_OVER = ".code-assistant-0123456789abcdef.tmp"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old\n")
    return path


@pytest.mark.parametrize("known", [b"", b"old", b"old\nand more\n", b"OLD\n", b"what it was\n"])
def test_safe_e3_a_file_with_another_content_is_refused(file: Path, known: bytes) -> None:
    with pytest.raises(FileChanged, match=r"a\.txt has changed since it was read; read it again\."):
        replace(file, b"new\n", known)
    assert file.read_bytes() == b"old\n"


@pytest.mark.parametrize("names", [1, 2])
def test_safe_e3_what_is_written_at_the_last_moment_is_not_lost(
    file: Path, monkeypatch: pytest.MonkeyPatch, names: int
) -> None:
    """Between the comparing and the change, by somebody who knows of no lock."""
    if names == 2:
        os.link(file, file.with_name("b.txt"))
    stat_of = os.stat
    looks: list[str] = []

    def write_before_last_look(path: Any, **named: Any) -> os.stat_result:
        if path == "a.txt":
            looks.append(path)
            if len(looks) == 2:
                with open(file, "ab") as other:
                    other.write(b"somebody else's\n")
        return stat_of(path, **named)

    monkeypatch.setattr(os, "stat", write_before_last_look)
    with pytest.raises(FileChanged, match="has changed since it was read"):
        replace(file, b"new\n", b"old\n")
    assert file.read_bytes() == b"old\nsomebody else's\n"
    assert not [name for name in os.listdir(file.parent) if name.endswith(".tmp")]


def test_safe_e3_a_file_that_another_process_is_changing_is_refused(file: Path) -> None:
    with open(file, "rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(FileChanged, match=r"a\.txt is being changed by somebody else; read it again\."):
            replace(file, b"new\n")
    replace(file, b"new\n")
    assert file.read_bytes() == b"new\n"


def test_safe_e3_of_two_changes_decided_on_at_once_the_second_is_refused(file: Path) -> None:
    target = Workspace(file.parent).resolve("a.txt")
    first, second = FileLedger(), FileLedger()
    proposals = [proposed_edits(target, [TextEdit("old", new)], FileLedger()) for new in ("first", "second")]
    carry_out(proposals[0], first, StopFlag())
    with pytest.raises(FileChanged):
        carry_out(proposals[1], second, StopFlag())
    assert file.read_bytes() == b"first\n"


def race(workers: list[Callable[[], None]]) -> None:
    """Run them at the same time to their end."""
    failures: list[BaseException] = []
    barrier = threading.Barrier(len(workers))

    def run(worker: Callable[[], None]) -> None:
        try:
            barrier.wait(HANG_GUARD)
            worker()
        except BaseException as error:  # noqa: BLE001 - told in the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=run, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG_GUARD)
    assert failures == []
    assert not any(thread.is_alive() for thread in threads)


def adding(path: Path, name: str, count: int) -> Callable[[], None]:
    """An agent that adds lines to a file, each as often as it takes."""

    def add() -> None:
        ledger = FileLedger()
        for number in range(count):
            while True:
                try:
                    edit(path, "END\n", f"{name} {number}\nEND\n", ledger)
                except (FileChanged, ToolError):
                    # A file with several names is written in place, and may be seen half written: then END is there
                    # twice, or not at all.
                    continue
                break

    return add


def no_claims(*_: object) -> None:
    raise OSError(errno.ENOTSUP, "Operation not supported")


@pytest.mark.parametrize(
    ("linked", "claims"), [(False, True), (False, False), (True, True)], ids=["one name", "no claims", "a name each"]
)
def test_safe_e3_agents_that_race_lose_no_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linked: bool, claims: bool
) -> None:
    """In one process the lock of the path is enough; where a file has several names, or several users, claims are."""
    if not claims:
        monkeypatch.setattr(fcntl, "flock", no_claims)
    agents, lines = 4, 12
    paths = [tmp_path / "a.txt"] * agents
    paths[0].write_bytes(b"END\n")
    if linked:
        paths = [tmp_path / f"{number}.txt" for number in range(agents)]
        for path in paths:
            os.link(tmp_path / "a.txt", path)
    race([adding(path, f"agent {number}", lines) for number, path in enumerate(paths)])
    *added, end = paths[0].read_text().splitlines()
    assert end == "END"
    assert sorted(added) == sorted(f"agent {agent} {line}" for agent in range(agents) for line in range(lines))
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]


def test_safe_e3_of_agents_that_create_one_file_at_once_one_succeeds(tmp_path: Path) -> None:
    path, made, refused = tmp_path / "new" / "a.txt", list[bytes](), list[bytes]()

    def creating(content: bytes) -> Callable[[], None]:
        def work() -> None:
            try:
                create(path, content)
            except FileChanged:
                refused.append(content)
            else:
                made.append(content)

        return work

    race([creating(b"%d\n" % number) for number in range(6)])
    assert len(made) == 1
    assert len(refused) == 5
    assert path.read_bytes() == made[0]


def test_changes_in_one_folder_do_not_sweep_each_other(tmp_path: Path) -> None:
    def rewriting(path: Path) -> Callable[[], None]:
        def work() -> None:
            for number in range(15):
                replace(path, b"%d\n" % number)

        return work

    paths = [tmp_path / f"{number}.txt" for number in range(4)]
    for path in paths:
        path.write_bytes(b"old\n")
    race([rewriting(path) for path in paths])
    assert {path.read_bytes() for path in paths} == {b"14\n"}
    assert len(os.listdir(tmp_path)) == 4


def test_safe_e2_what_a_killed_process_left_is_swept_by_the_next_change(file: Path) -> None:
    left = file.with_name(LEFT_OVER)
    left.write_bytes(b"half a fi")
    others = [file.with_name(name) for name in (".code-assistant-x.tmp", LEFT_OVER[1:], f"{LEFT_OVER}~")]
    for other in others:
        other.write_bytes(b"")
    replace(file, b"new\n")
    assert not left.exists()
    assert all(other.exists() for other in others)


def test_what_is_still_being_written_is_not_swept(file: Path) -> None:
    with open(file.with_name(LEFT_OVER), "wb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        replace(file, b"new\n")
        assert file.with_name(LEFT_OVER).exists()
    replace(file, b"newer\n")
    assert not file.with_name(LEFT_OVER).exists()


def test_sweeping_follows_no_link_and_waits_for_nothing(file: Path) -> None:
    victim = file.with_name("victim")
    victim.write_bytes(b"kept\n")
    file.with_name(LEFT_OVER).symlink_to(victim)
    os.mkfifo(file.with_name(LEFT_OVER.replace("0", "1")))
    replace(file, b"new\n")
    assert victim.read_bytes() == b"kept\n"
    assert len(os.listdir(file.parent)) == 4


def test_a_temporary_file_that_was_swept_before_it_was_claimed_is_made_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock, swept = fcntl.flock, list[str]()

    def sweeping(descriptor: int, how: int) -> None:
        for name in [] if swept else os.listdir(file.parent):
            if name.endswith(".tmp"):
                swept.append(name)
                file.with_name(name).unlink()
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", sweeping)
    replace(file, b"new\n")
    assert len(swept) == 1
    assert file.read_bytes() == b"new\n"
    assert os.listdir(file.parent) == ["a.txt"]
