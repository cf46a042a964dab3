"""The log of what a sub-agent did: complete, private, without keys, harmless when the disk is not, small in memory."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.events import (
    AgentStatusChanged,
    BlockAdded,
    Display,
    Event,
    GuidanceAdded,
    Origin,
    OutputAdded,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolResultsAdded,
    ToolStarted,
)
from code_assistant.messages import Message, Text, ToolCall, ToolResult
from code_assistant.secrets import MASK, Masker
from code_assistant.session import event_file
from code_assistant.session.event_file import EventFile
from code_assistant.session.folder import SessionFolder
from code_assistant.session.header import FORMAT, AgentHeader
from code_assistant.session.past_agents import agent_call, agent_entries
from code_assistant.subagents.activity_log import ActivityLog

CHILD = Origin("agent-1", "explorer", 2, "main", "toolu_0", 3)


def started(call_id: str, path: str = "a.py") -> ToolStarted:
    return ToolStarted(CHILD, call_id, "read_files", {"paths": [path]}, f"Read {path}")


def finished(call_id: str, detail: str = "") -> ToolFinished:
    return ToolFinished(CHILD, call_id, "read_files", "success", Display("Read", "1 line", detail), 0.25)


class Log(ActivityLog):
    """One with a file in a folder of the test's, which remembers what trouble it had."""

    def __init__(self, folder: SessionFolder, *secrets: str) -> None:
        self.told: list[str] = []
        self.path = folder.agent_file(CHILD.tool_call_id or "")
        header = AgentHeader(FORMAT, "session", 1.0, CHILD)
        super().__init__(EventFile(self.path, header, Masker(secrets), folder.make, self.told.append), CHILD.name)


@pytest.fixture
def folder(tmp_path: Path) -> SessionFolder:
    return SessionFolder(tmp_path / "state" / "sessions" / "one")


def test_all_that_was_recorded_comes_back(folder: SessionFolder) -> None:
    recorded: tuple[Event, ...] = (
        AgentStatusChanged(CHILD, "running"),
        BlockAdded(CHILD, ToolCall("1", "read_files", {"paths": ["ä.py", "lone \ud800"]})),
        started("1", "line\nbreak.py"),
        finished("1", "x = 1\n"),
        ToolResultsAdded(CHILD, Message("user", (ToolResult("1", (Text("x = 1\r\n\x00"),)),))),
    )
    log = Log(folder)
    for event in recorded:
        log.record(event)
        assert log.events()[-1] == event
    log.close()
    assert log.events() == recorded
    assert log.told == []


async def test_pieces_are_in_the_file_and_not_among_what_is_read(folder: SessionFolder) -> None:
    log = Log(folder)
    for piece in (TextDelta(CHILD, "a"), ThinkingDelta(CHILD, "b"), OutputAdded(CHILD, "1", "c")):
        log.record(piece)
    log.record(ToolProgress(CHILD, "1", "a"))
    log.record(BlockAdded(CHILD, Text("a")))
    assert log.events() == (BlockAdded(CHILD, Text("a")),)
    text = log.path.read_text()
    assert [kind in text for kind in ("TextDelta", "ThinkingDelta", "OutputAdded", "ToolProgress")] == [True] * 3 + [
        False
    ]
    log.close()


def test_without_an_event_there_is_nothing_and_no_file(folder: SessionFolder) -> None:
    log = Log(folder)
    assert log.events() == ()
    assert log.tool("1") == (None, None)
    log.close()
    assert not log.path.exists()


def test_one_tool_call_is_read_by_its_place(folder: SessionFolder) -> None:
    log = Log(folder)
    for call_id in ("1", "2"):
        log.record(started(call_id, f"{call_id}.py"))
    log.record(finished("2", "two"))
    assert log.tool("1") == (started("1", "1.py"), None)
    assert log.tool("2") == (started("2", "2.py"), finished("2", "two"))
    assert log.tool("3") == (None, None)
    log.record(finished("1", "one"))
    log.close()
    assert log.tool("1") == (started("1", "1.py"), finished("1", "one"))


def test_an_id_that_is_used_again_means_the_newer_call(folder: SessionFolder) -> None:
    log = Log(folder)
    for event in (started("1", "old.py"), finished("1"), started("1", "new.py")):
        log.record(event)
    assert log.tool("1") == (started("1", "new.py"), None)
    log.close()


def test_an_end_without_a_begin_is_kept(folder: SessionFolder) -> None:
    log = Log(folder)
    log.record(finished("1"))
    assert log.tool("1") == (None, finished("1"))
    log.close()


@pytest.mark.parametrize(
    "key", ["sk-ant-api03-abc", 'sk-"quote', "sk-back\\slash", "sk-back\\", "sk-näßé-€😀", 'n"\\ü\nend']
)
def test_a_key_does_not_stand_in_the_file_and_the_file_can_be_read(folder: SessionFolder, key: str) -> None:
    log = Log(folder, key)
    quoted = json.dumps({"key": key})
    log.record(ToolStarted(CHILD, "1", "execute_command", {key: [f"\n{key}!", {"a": quoted}]}, f"({key})"))
    log.record(finished("1", f"{key}{quoted}"))
    log.close()
    begun, ended = log.tool("1")
    assert begun is not None
    assert begun.input == {MASK: [f"\n{MASK}!", {"a": json.dumps({"key": MASK})}]}
    assert begun.title == f"({MASK})"
    assert ended == finished("1", MASK + json.dumps({"key": MASK}))
    assert log.events() == (begun, ended)
    text = log.path.read_text(encoding="utf-8")
    assert key not in text
    assert json.dumps(key)[1:-1] not in text


@pytest.mark.parametrize("key", ["success", '"ToolFinished"', '"tool_call_id"', '","type":"'])
def test_a_key_that_is_a_word_of_the_format_does_not_spoil_it(folder: SessionFolder, key: str) -> None:
    log = Log(folder, key, "abcdef12")
    log.record(finished("1", "-abcdef12-"))
    log.close()
    assert log.events() == (finished("1", f"-{MASK}-"),)


def test_a_text_that_only_looks_like_a_key_once_it_is_escaped_stays(folder: SessionFolder) -> None:
    log = Log(folder, "nvapi-key-1")
    log.record(GuidanceAdded(CHILD, "\nvapi-key-1"))
    assert log.events() == (GuidanceAdded(CHILD, "\nvapi-key-1"),)
    log.close()


@pytest.mark.parametrize(
    ("call_id", "name"),
    [
        ("toolu_01-A", "toolu_01-A.jsonl"),
        ("../up", "call-"),
        ("x" * 200, "call-"),
        ("", "call-"),
    ],
)
def test_the_file_is_private_and_named_after_the_call(folder: SessionFolder, call_id: str, name: str) -> None:
    path = folder.agent_file(call_id)
    assert path.parent == folder.agents
    assert path.name.startswith(name)
    assert len(path.name) < 110
    log = Log(folder)
    log.record(started("1"))
    log.close()
    assert log.path.stat().st_mode & 0o777 == 0o600


def test_a_torn_last_line_is_tolerated(folder: SessionFolder) -> None:
    log = Log(folder)
    log.record(started("1"))
    log.record(finished("1"))
    log.close()
    whole = log.path.read_bytes()
    header = whole.index(b"\n") + 1
    first = whole.index(b"\n", header) + 1
    for length in (header, header + 1, first - 1, first, first + 1, len(whole) - 1):
        log.path.write_bytes(whole[:length])
        assert log.events() == ((started("1"),) if length >= first else ())


def test_a_line_that_is_spoilt_costs_itself_and_a_file_that_is_gone_is_said(folder: SessionFolder) -> None:
    log = Log(folder)
    for event in (started("1"), finished("1"), started("2")):
        log.record(event)
    log.close()
    lines = log.path.read_bytes().splitlines(keepends=True)
    log.path.write_bytes(b"".join([*lines[:2], b"\xff" + lines[2][1:], *lines[3:]]))
    assert log.events() == (started("1"), started("2"))
    assert log.tool("1") == (started("1"), None)
    log.path.unlink()
    for read in (log.events, lambda: log.tool("1")):
        with pytest.raises(WorkspaceError, match=r"What explorer did cannot be read: .*No such file"):
            read()


def test_a_limit_that_is_reached_stops_the_log_and_nothing_else(
    folder: SessionFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_file, "MAX_FILE_BYTES", 600)
    log = Log(folder)
    log.record(started("1"))
    assert log.told == []
    log.record(finished("1", "long " * 100))
    log.record(started("2"))
    assert log.told == [event_file.TOO_LONG]
    assert log.events() == (started("1"),)
    assert log.tool("1") == (started("1"), None)
    assert log.tool("2") == (None, None)
    log.close()


def test_a_full_disk_is_said_once(folder: SessionFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log(folder)
    log.record(started("1"))
    attempts: list[int] = []

    def full(descriptor: int, _text: bytes) -> int:
        attempts.append(descriptor)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        log.record(finished("1"))
        log.record(finished("1"))
    assert log.told == ["No space left on device"]
    assert len(attempts) == 1
    assert log.events() == (started("1"),)
    log.close()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = Log(SessionFolder(tmp_path / "file" / "sessions" / "one"))
    log.record(started("1"))
    assert len(log.told) == 1
    with pytest.raises(WorkspaceError, match="What explorer did cannot be read"):
        log.events()
    assert log.tool("1") == (None, None)
    log.close()


def test_an_input_that_is_nested_too_deep_to_be_dumped_costs_the_log_only(folder: SessionFolder) -> None:
    nested: dict[str, object] = {}
    for _ in range(100_000):
        nested = {"in": nested}
    log = Log(folder)
    log.record(started("0"))
    log.record(ToolStarted(CHILD, "1", "read_files", nested, "Read"))
    assert len(log.told) == 1
    assert log.events() == (started("0"),)
    log.close()


def test_after_its_end_nothing_is_recorded(folder: SessionFolder) -> None:
    log = Log(folder)
    log.record(started("1"))
    log.close()
    log.close()
    log.record(finished("1"))
    assert log.events() == (started("1"),)
    assert log.told == []


def test_memory_holds_places_of_tool_calls_only(folder: SessionFolder) -> None:
    log = Log(folder)
    for index in range(10_000):
        call_id = str(index % 50)
        log.record(started(call_id, "x" * 100) if index % 100 < 50 else finished(call_id, "x" * 100))
    log.close()
    assert len(log._calls) == 50
    assert all(len(place or ()) == 2 for places in log._calls.values() for place in places)
    assert len(log.events()) == 10_000
    assert log.tool("49") == (started("49", "x" * 100), finished("49", "x" * 100))


def test_reading_goes_on_beside_writing(folder: SessionFolder) -> None:
    log = Log(folder)
    is_over = threading.Event()
    faults: list[BaseException] = []

    def read() -> None:
        seen = 0
        try:
            while not is_over.is_set():
                found = log.events()
                assert len(found) >= seen
                seen = len(found)
                begun, ended = log.tool("7")
                assert begun in (None, started("7"))
                assert ended in (None, finished("7", "x" * 20_000))
        except BaseException as fault:  # noqa: BLE001
            faults.append(fault)

    reader = threading.Thread(target=read)
    reader.start()
    for index in range(300):
        log.record(started(str(index)))
        log.record(finished(str(index), "x" * 20_000))
    is_over.set()
    reader.join()
    log.close()
    assert faults == []
    assert len(log.events()) == 600


def test_what_an_agent_of_an_earlier_program_did(folder: SessionFolder) -> None:
    assert agent_entries(folder, "toolu_0") == []
    log = Log(folder)
    for event in (started("1", "old.py"), finished("1"), started("1", "new.py")):
        log.record(event)
    log.close()
    assert tuple(entry.event for entry in agent_entries(folder, "toolu_0")) == log.events()
    assert agent_call(folder, "toolu_0", "1") == (started("1", "new.py"), finished("1"))
    assert agent_call(folder, "toolu_0", "2") == (None, None)
    log.path.write_bytes(b"")
    assert agent_entries(folder, "toolu_0") == []
