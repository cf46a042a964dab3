"""Mending a file: a torn end goes, damage further up is put aside, and all else stays to the byte."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.events import MAIN, GuidanceAdded
from code_assistant.session import repair as repairing
from code_assistant.session.header import FORMAT, LaterFormatError, SessionHeader, header_line
from code_assistant.session.lines import event_line
from code_assistant.session.repair import Repair, repair

HEADER = SessionHeader(FORMAT, "id", 1.0, "/work", "1")
OTHER = SessionHeader(FORMAT, "id", 9.0, "", "")
LINES = [event_line(GuidanceAdded(MAIN, f"line {number}"), 1.0, MAIN, str) for number in range(4)]
WHOLE = header_line(HEADER) + b"".join(LINES)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def mend(path: Path, data: bytes) -> Repair:
    path.write_bytes(data)
    path.chmod(0o600)
    done = repair(path, lambda: OTHER)
    assert path.stat().st_mode & 0o777 == 0o600
    if done.kept_at is not None:
        assert done.kept_at.read_bytes() == data
        assert done.kept_at.parent == path.parent
    # Once is enough.
    assert repair(path, lambda: OTHER) == Repair()
    return done


def test_safe_r2_a_whole_file_is_not_touched(path: Path) -> None:
    for data in (WHOLE, header_line(HEADER), b""):
        assert mend(path, data) == Repair()
        assert path.read_bytes() == data


def test_safe_r2_a_torn_last_line_is_cut_off_wherever_it_is_torn(path: Path) -> None:
    begin = len(WHOLE) - len(LINES[-1])
    for end in range(begin + 1, len(WHOLE) - 1):
        assert mend(path, WHOLE[:end]) == Repair(is_torn=True)
        assert path.read_bytes() == WHOLE[:begin]


def test_safe_r2_a_last_line_that_only_lacks_its_end_gets_it(path: Path) -> None:
    assert mend(path, WHOLE[:-1]) == Repair(is_torn=True)
    assert path.read_bytes() == WHOLE


@pytest.mark.parametrize("length", [1, 30, len(header_line(HEADER)) - 1])
def test_a_torn_header_is_written_anew(path: Path, length: int) -> None:
    assert mend(path, WHOLE[:length]) == Repair(is_torn=True)
    assert path.read_bytes() == header_line(OTHER)


@pytest.mark.parametrize(
    "bad",
    [
        b"\0" * 50 + b"\n",
        b'{"type":"Gui\0\0\0danceAdded"}\n',
        b"\xff\xfe\n",
        b'{"type":"GuidanceAdded","at":1.0,"te\n',
        b'xt":"cut"}\n',
        b"\n",
        b"{}\n",
    ],
)
@pytest.mark.parametrize("at", [0, 2, 4])
def test_safe_r2_a_damaged_line_is_put_aside_with_all_of_the_file(path: Path, bad: bytes, at: int) -> None:
    done = mend(path, header_line(HEADER) + b"".join([*LINES[:at], bad, *LINES[at:]]))
    assert (done.damaged, done.is_torn) == (1, False)
    assert path.read_bytes() == WHOLE


def test_damage_and_a_torn_end_at_once(path: Path) -> None:
    done = mend(path, header_line(HEADER) + LINES[0] + b"spoilt\n" + LINES[1] + LINES[2][:10])
    assert done.damaged == 2
    assert path.read_bytes() == header_line(HEADER) + LINES[0] + LINES[1]


@pytest.mark.parametrize("bad", [b"\xff\n", b"", header_line(HEADER).replace(b"version", b"vers")])
def test_a_lost_header_is_made_anew(path: Path, bad: bytes) -> None:
    done = mend(path, bad + b"".join(LINES))
    assert done.damaged == (1 if bad else 0)
    assert path.read_bytes() == header_line(OTHER) + b"".join(LINES)


def test_where_nobody_knows_whose_file_it_is_it_is_emptied_and_kept(path: Path) -> None:
    data = b"\xff\n" + b"".join(LINES)
    path.write_bytes(data)
    done = repair(path, lambda: None)
    assert done.kept_at is not None
    assert done.kept_at.read_bytes() == data
    assert path.read_bytes() == b""


def test_a_file_of_a_later_version_is_not_touched(path: Path) -> None:
    data = WHOLE.replace(b'"version":2', b'"version":3') + b"of another kind\n"
    path.write_bytes(data)
    with pytest.raises(LaterFormatError):
        repair(path, lambda: OTHER)
    assert path.read_bytes() == data
    assert list(path.parent.iterdir()) == [path]


def test_where_it_cannot_be_mended_that_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(repairing, "_rewrite", full)
    path.write_bytes(WHOLE + b"spoilt\n")
    with pytest.raises(WorkspaceError, match="cannot be mended: No space left"):
        repair(path, lambda: OTHER)
    assert path.read_bytes() == WHOLE + b"spoilt\n"


def test_a_kill_while_mending_costs_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was begun and left behind does not keep the next one from it."""
    path.write_bytes(WHOLE + b"spoilt\n" + LINES[0])
    path.with_suffix(".new").write_bytes(b"half a fi")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", killed)
        with pytest.raises(KeyboardInterrupt):
            repair(path, lambda: OTHER)
    assert repair(path, lambda: OTHER).damaged == 1
    assert path.read_bytes() == WHOLE + LINES[0]


@pytest.mark.parametrize("rest", [b"spoilt\n", b'{"type":"Gui'])
def test_a_long_file_is_held_once_while_it_is_mended(path: Path, rest: bytes) -> None:
    line = event_line(GuidanceAdded(MAIN, "x" * 2000), 1.0, MAIN, str)
    data = header_line(HEADER) + line * 2000
    path.write_bytes(data + rest)
    path.chmod(0o600)
    size = len(data)
    tracemalloc.start()
    try:
        repair(path, lambda: OTHER)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * size
    assert path.read_bytes() == data
