"""The recorder: what belongs into the session's own file, and nothing before something was said."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.channel import Channel
from code_assistant.events import (
    MAIN,
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    BlockAdded,
    Event,
    ModeChanged,
    Notice,
    PromptQueued,
    PromptStarted,
    PromptWithdrawn,
    TextDelta,
    ToolStarted,
)
from code_assistant.messages import Message, Text
from code_assistant.session.files import SessionFiles
from code_assistant.session.lock import is_locked
from code_assistant.session.reader import SessionFileReader
from code_assistant.session.recorder import SessionRecorder
from tests.unit.session.runs import MODEL, USED, a_store, child_origin

CHILD = child_origin("c1")
ASKED = PromptStarted(MAIN, "p1", Message("user", (Text("hi"),)))
EARLY = Notice(MAIN, "warning", "early")


async def recorded(files: SessionFiles, events: list[Event], *, has_begun: bool = False) -> list[Event]:
    channel = Channel()
    subscription = channel.subscribe("raw")
    for event in events:
        channel.publish(event)
    channel.close()
    await SessionRecorder(files, has_begun=has_begun).record(subscription)
    assert not is_locked(files.folder.lock_file)
    if not files.main.path.exists():
        return []
    return [entry.event for entry in SessionFileReader(files.main.path).entries()]


async def test_sub_b4_of_a_child_only_its_begin_and_its_end_are_kept(tmp_path: Path) -> None:
    spawned = AgentSpawned(CHILD, "l", "look", "default", None, MODEL, 3)
    finished = AgentFinished(CHILD, "completed", "found", 1, 0, USED, None, 1.0)
    told = Notice(CHILD, "warning", "x")
    inner = [AgentStatusChanged(CHILD, "running"), TextDelta(CHILD, "a"), BlockAdded(CHILD, Text("a"))]
    events = [ASKED, spawned, *inner, told, finished]
    assert await recorded(a_store(tmp_path).new(tmp_path, None), events) == [ASKED, spawned, told, finished]


async def test_what_waits_is_not_kept(tmp_path: Path) -> None:
    queued = [PromptQueued(MAIN, "p2", "later"), PromptWithdrawn(MAIN, "p2")]
    assert await recorded(a_store(tmp_path).new(tmp_path, None), [ASKED, *queued]) == [ASKED]


@pytest.mark.parametrize("begin", [ASKED, ToolStarted(MAIN, "1", "execute_command", {}, "!ls")])
async def test_what_came_before_the_first_word_stands_before_it(tmp_path: Path, begin: Event) -> None:
    events = [EARLY, ModeChanged(MAIN, "plan"), begin]
    assert await recorded(a_store(tmp_path).new(tmp_path, None), events) == events


async def test_nothing_is_left_where_nothing_was_said(tmp_path: Path) -> None:
    assert await recorded(a_store(tmp_path).new(tmp_path, None), [EARLY, ModeChanged(MAIN, "plan")]) == []
    assert not (tmp_path / "state").exists()


async def test_a_session_that_goes_on_keeps_everything(tmp_path: Path) -> None:
    assert await recorded(a_store(tmp_path).new(tmp_path, None), [EARLY], has_begun=True) == [EARLY]
