"""A session is open in one program at a time; what a dead one left behind keeps nobody out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.session.lock import SessionInUse, SessionLock, is_locked

HOLDER = """
import sys
from pathlib import Path
from code_assistant.session.lock import SessionLock
SessionLock(Path(sys.argv[1]), "s").take()
print("held", flush=True)
sys.stdin.read()
"""


def test_safe_r11_a_second_opener_is_told_who_has_it_and_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = SessionLock(path, "abc")
    assert not is_locked(path)
    first.take()
    assert path.stat().st_mode & 0o777 == 0o600
    assert is_locked(path)
    with pytest.raises(SessionInUse) as refused:
        SessionLock(path, "abc").take()
    assert refused.value.process == os.getpid()
    assert str(refused.value) == (
        f"This session is open in another program (process {os.getpid()}). Leave it there, or go on in a copy of it: "
        "code-assistant --resume abc --fork"
    )
    first.release()
    first.release()
    assert not is_locked(path)
    second = SessionLock(path, "abc")
    second.take()
    second.release()


def test_safe_r11_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        lock = SessionLock(path, "abc")
        with pytest.raises(SessionInUse, match=f"process {holder.pid}"):
            lock.take()
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        lock.take()
    assert path.read_text() == f"{os.getpid()}\n"
    lock.release()


@pytest.mark.parametrize("left", [b"", b"\xff\xfe", b"not a number", b"999999999\n"])
def test_whatever_stands_in_a_lock_file_that_nobody_holds(tmp_path: Path, left: bytes) -> None:
    path = tmp_path / "lock"
    path.write_bytes(left)
    lock = SessionLock(path, "abc")
    lock.take()
    assert path.read_text() == f"{os.getpid()}\n"
    path.write_bytes(b"\xff")
    with pytest.raises(SessionInUse, match="open in another program\\. Leave"):
        SessionLock(path, "abc").take()
    lock.release()


def test_a_lock_is_held_on_a_full_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    path = tmp_path / "lock"
    lock = SessionLock(path, "abc")
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        lock.take()
    assert is_locked(path)
    lock.release()
    assert not is_locked(path)


def test_a_link_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkspaceError, match="symlink"):
        SessionLock(tmp_path / "lock", "abc").take()
    assert not (tmp_path / "elsewhere").exists()


def test_a_pipe_in_its_place_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")
    assert not is_locked(tmp_path / "lock")
    with pytest.raises(WorkspaceError):
        SessionLock(tmp_path / "lock", "abc").take()
