"""Spill folders: bounded for a whole session, swept when their program is gone, without a key in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from code_assistant.secrets import Masker
from code_assistant.workspace import spill
from code_assistant.workspace.spill import SpillFolder


def test_what_a_dead_program_left_is_removed_and_what_a_living_one_has_is_not(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead, living, other = (tmp_path / name for name in (f"{ended.pid}-ab", f"{os.getppid()}-ab", "notes"))
    for folder in (dead, living, other):
        folder.mkdir()
    SpillFolder.of_this_process(tmp_path, Masker(())).create("command").close()
    assert [folder.exists() for folder in (dead, living, other)] == [False, True, True]


# More than Python may call functions within each other.
DEEP = 1000
AS_A_PERSON = ("setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--")


def nested(folder: Path, names: Iterable[str]) -> None:
    """Folders in each other, made one by one: together their path may be longer than any path can be."""
    folder.mkdir()
    at = os.open(folder, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=at))
    os.close(at)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """For what pytest could not remove either, should the test fail."""
    place = tmp_path / "place"
    place.mkdir()
    yield place
    subprocess.run(["rm", "-rf", str(place)], check=True)


def test_safe_s1_a_deep_tree_keeps_nobody_from_beginning_or_ending(place: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left_over, outside = place / f"{ended.pid}-ab", place / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    folder = SpillFolder.of_this_process(place, Masker(()))
    nested(left_over, ["d" * 8] * DEEP)
    (left_over / "link").symlink_to(outside)
    folder.make()
    nested(folder.path / "tmp", ["d" * 200] * 50)
    folder.remove()
    assert os.listdir(place) == ["outside"]
    assert os.listdir(outside) == ["kept"]


REMOVE_UNREADABLE = """
import sys
from pathlib import Path
from code_assistant.workspace.spill import SpillFolder
folder = SpillFolder(Path(sys.argv[1]))
folder.make()
inner = folder.path / "tmp" / "a" / "b"
inner.mkdir(parents=True)
(inner / "file").touch(0)
for each in (inner, inner.parent, inner.parent.parent):
    each.chmod(0)
folder.remove()
"""


def test_safe_s1_folders_that_a_command_made_unreadable_are_removed(tmp_path: Path) -> None:
    before = AS_A_PERSON if os.geteuid() == 0 else ()
    if before and shutil.which("setpriv") is None:
        pytest.skip("nothing is unreadable for root, and there is no setpriv to be less than that")
    done = subprocess.run(
        [*before, sys.executable, "-c", REMOVE_UNREADABLE, str(tmp_path / "1-ab")], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert os.listdir(tmp_path) == []


def test_safe_s1_what_cannot_be_removed_is_a_line_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = SpillFolder(tmp_path / "1-ab")
    folder.create("first").close()
    kept = folder.create("kept").path
    unlink = os.unlink

    def unlink_others(name: str, *, dir_fd: int) -> None:
        if name == kept.name:
            raise PermissionError(13, "Permission denied")
        unlink(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", unlink_others)
    folder.remove()
    assert os.listdir(folder.path) == [kept.name]
    assert "1-ab could not be removed: [Errno 13] Permission denied" in caplog.text


def test_all_files_of_a_session_share_one_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "MAXIMUM_SESSION_BYTES", 10)
    folder = SpillFolder(tmp_path / "1-ab")
    written: list[tuple[int, int]] = []
    for _ in range(3):
        file = folder.create("command")
        file.write(b"1234567")
        file.close()
        written.append((file.written, file.dropped))
    assert written == [(7, 0), (3, 4), (0, 7)]
