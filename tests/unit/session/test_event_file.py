"""One file while it is written: an event a line and at once, texts a moment together, private, and never an error."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from code_assistant.events import (
    MAIN,
    BlockAdded,
    Display,
    Event,
    GuidanceAdded,
    OutputAdded,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from code_assistant.messages import Text
from code_assistant.secrets import MASK, Masker
from code_assistant.session import event_file
from code_assistant.session.event_file import EventFile
from code_assistant.session.header import FORMAT, SessionHeader
from code_assistant.session.lock import SessionInUse
from code_assistant.session.reader import SessionFileReader
from tests.processes import until

HEADER = SessionHeader(FORMAT, "00000000-0000-0000-0000-000000000000", 1.0, "/work", "1")
LINE = GuidanceAdded(MAIN, "go on")


@dataclass
class Opened:
    file: EventFile
    told: list[str] = field(default_factory=list[str])

    def events(self) -> list[Event]:
        return [entry.event for entry in SessionFileReader(self.file.path).entries()]

    def written(self) -> bytes:
        return self.file.path.read_bytes() if self.file.path.exists() else b""


def opened(tmp_path: Path, *secrets: str) -> Opened:
    told: list[str] = []
    file = EventFile(tmp_path / "session.jsonl", HEADER, Masker(secrets), lambda: None, told.append, lambda: 5.0)
    return Opened(file, told)


def output(text: str, call_id: str = "1") -> OutputAdded:
    return OutputAdded(MAIN, call_id, text)


def ended(call_id: str = "1") -> ToolFinished:
    return ToolFinished(MAIN, call_id, "execute_command", "success", Display("ls"), 0.5)


def test_every_event_is_there_at_once_behind_the_header(tmp_path: Path) -> None:
    this = opened(tmp_path)
    assert not this.file.path.exists()
    assert not this.file.has_begun
    for count in (1, 2):
        offset, length = this.file.write(LINE) or (0, 0)
        assert this.written()[offset : offset + length].endswith(b"}\n")
        assert this.events() == [LINE] * count
    assert this.file.has_begun
    assert SessionFileReader(this.file.path).header == HEADER
    this.file.close()
    assert this.told == []


def test_a_file_that_is_there_is_gone_on_with(tmp_path: Path) -> None:
    for count in (1, 2, 3):
        this = opened(tmp_path)
        this.file.write(LINE)
        this.file.close()
        assert this.events() == [LINE] * count


@pytest.mark.parametrize("umask", [0o000, 0o777])
def test_safe_k2_the_file_is_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    this = opened(tmp_path)
    before = os.umask(umask)
    try:
        this.file.write(LINE)
    finally:
        os.umask(before)
    assert this.file.path.stat().st_mode & 0o777 == 0o600
    this.file.close()


async def test_pieces_of_a_text_are_gathered_for_a_moment(tmp_path: Path) -> None:
    this = opened(tmp_path)
    for piece in "abc":
        assert this.file.write(TextDelta(MAIN, piece)) is None
    assert this.written() == b""
    await until(lambda: bool(this.written()))
    assert this.events() == [TextDelta(MAIN, "abc")]
    this.file.write(TextDelta(MAIN, "d"))
    this.file.write(TextDelta(MAIN, "e"))
    this.file.write(BlockAdded(MAIN, Text("abcde")))
    assert this.events()[1:] == [TextDelta(MAIN, "de"), BlockAdded(MAIN, Text("abcde"))]
    this.file.close()


async def test_texts_of_different_kinds_keep_their_order(tmp_path: Path) -> None:
    this = opened(tmp_path)
    pieces = [ThinkingDelta(MAIN, "hm"), TextDelta(MAIN, "so"), ThinkingDelta(MAIN, "or"), TextDelta(MAIN, "not")]
    for piece in pieces:
        this.file.write(piece)
    this.file.close()
    assert this.events() == pieces


async def test_commands_that_print_at_once_are_kept_apart(tmp_path: Path) -> None:
    this = opened(tmp_path)
    for piece in (output("a1 ", "1"), output("b1 ", "2"), output("a2 ", "1"), LINE, output("a3", "1")):
        this.file.write(piece)
    this.file.close()
    assert this.events() == [output("a1 a2 ", "1"), output("b1 ", "2"), LINE, output("a3", "1")]


async def test_of_an_endless_output_only_the_beginning_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_file, "MAX_OUTPUT_CHARACTERS", 10)
    this = opened(tmp_path)
    for _ in range(5):
        this.file.write(output("1234"))
        this.file.write(LINE)
    this.file.write(ended())
    this.file.write(output("again"))
    this.file.close()
    assert [event for event in this.events() if event != LINE] == [
        output("1234"),
        output("1234"),
        ended(),
        output("again"),
    ]


async def test_safe_k2_a_key_in_two_pieces_is_not_written(tmp_path: Path) -> None:
    key = "sk-ant-0123456789"
    this = opened(tmp_path, key)
    this.file.write(TextDelta(MAIN, f"is {key[:8]}"))
    await until(lambda: bool(this.written()))
    this.file.write(TextDelta(MAIN, f"{key[8:]} it"))
    this.file.write(output(f"KEY={key[:5]}"))
    # Another command begins and ends meanwhile: what this one prints goes on.
    this.file.write(ToolStarted(MAIN, "2", "execute_command", {}, key))
    this.file.write(output("x", "2"))
    this.file.write(ended("2"))
    this.file.write(TextDelta(MAIN, "hm"))
    this.file.write(output(f"{key[5:]}\n"))
    this.file.write(ended())
    this.file.close()
    said = "".join(event.text for event in this.events() if isinstance(event, TextDelta))
    printed = "".join(e.text for e in this.events() if isinstance(e, OutputAdded) and e.tool_call_id == "1")
    assert (said, printed) == (f"is {MASK} ithm", f"KEY={MASK}\n")
    assert key[:8].encode() not in this.written()


async def test_of_a_command_that_ended_nothing_is_held(tmp_path: Path) -> None:
    this = opened(tmp_path, "sk-ant-0123456789")
    for number in range(50):
        this.file.write(output("sk-a", str(number)))
        this.file.write(ended(str(number)))
    assert this.file._held == {}
    assert this.events()[:2] == [output("sk-a", "0"), ended("0")]
    this.file.close()


async def test_what_only_a_watcher_needs_is_not_kept(tmp_path: Path) -> None:
    this = opened(tmp_path)
    this.file.write(ToolProgress(MAIN, "1", "10 %"))
    this.file.close()
    assert not this.file.path.exists()


def test_after_its_end_nothing_is_written(tmp_path: Path) -> None:
    this = opened(tmp_path)
    this.file.write(LINE)
    this.file.close()
    this.file.close()
    this.file.write(LINE)
    assert this.events() == [LINE]


@pytest.mark.parametrize("room", [0, 20, 120, 200, 400])
def test_safe_r12_a_full_disk_is_told_once_and_what_is_there_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    this = opened(tmp_path)
    left = room
    really_write = os.write

    def write(descriptor: int, data: bytes) -> int:
        nonlocal left
        if not left:
            raise OSError(28, "No space left on device")
        count = really_write(descriptor, bytes(data)[:left])
        left -= count
        return count

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        places = [this.file.write(LINE) for _ in range(10)]
    this.file.write(LINE)
    this.file.close()
    assert this.told == ["No space left on device"]
    kept = [place for place in places if place is not None]
    if this.file.has_begun:
        assert this.events() == [LINE] * len(kept)
    assert this.file.path.stat().st_size == room


def test_a_file_that_became_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_file, "MAX_FILE_BYTES", 300)
    this = opened(tmp_path)
    for _ in range(10):
        this.file.write(LINE)
    this.file.close()
    assert this.told == [event_file.TOO_LONG]
    assert this.file.path.stat().st_size <= 300
    assert set(this.events()) == {LINE}


def test_whatever_keeps_the_folder_from_being_made_is_told(tmp_path: Path) -> None:
    told: list[str] = []

    def prepare() -> None:
        raise SessionInUse(HEADER.id, 1)

    file = EventFile(tmp_path / "a" / "session.jsonl", HEADER, Masker(()), prepare, told.append)
    file.write(LINE)
    file.write(LINE)
    file.close()
    assert len(told) == 1
    assert "process 1" in told[0]


async def test_a_loop_that_ends_leaves_nothing_behind(tmp_path: Path) -> None:
    this = opened(tmp_path)
    this.file.write(TextDelta(MAIN, "a"))
    this.file.close()
    await asyncio.sleep(0)
    assert this.events() == [TextDelta(MAIN, "a")]
    assert this.file._timer is None
