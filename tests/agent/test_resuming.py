"""A session that is cut off after any event of a real run: reopened, it begins with all that was finished."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from code_assistant.agent.history import validate
from code_assistant.config.settings import AgentSettings
from code_assistant.events import MAIN, AgentFinished, AgentSpawned, Event, PromptFinished, TextDelta
from code_assistant.messages import Block, Message, Text, ToolResult
from code_assistant.resuming.conversation import messages_of
from code_assistant.resuming.reopening import reopen
from code_assistant.secrets import Masker
from code_assistant.session.store import SessionStore
from tests.agent.harness import Harness, InterruptingChannel, running
from tests.agent.subagents.support import spawn
from tests.fakes.script import call, text, thinking, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD


class Copying(InterruptingChannel):
    """Copies all files as they are right after each event: so a kill at that moment would have left them.

    Where it interrupts, only from then on.
    """

    def __init__(self, place: Path, interrupt_after: int = 0) -> None:
        super().__init__(interrupt_after)
        self._place = place
        self._first = interrupt_after
        self.store: SessionStore | None = None
        self.published: list[Event] = []

    def publish(self, event: Event) -> None:
        super().publish(event)
        self.published.append(event)
        if len(self.published) >= self._first and self.store is not None and self.store.folder.exists():
            shutil.copytree(self.store.folder, self.copy_of(len(self.published)) / "sessions")

    def copy_of(self, number: int) -> Path:
        return self._place / str(number)


def script(server: ScriptedServer) -> None:
    server.script("look", [turn(text("I read."), call("echo", {"note": "z"})), turn(text("Seen."))])
    server.script_default(
        [
            turn(
                thinking("hm"), text("I look."), call("echo", {"note": "x"}), spawn("look", "c1"), spawn("look", "c2")
            ),
            turn(text("cut"), stop="max_tokens"),
            turn(text("end.")),
        ]
    )


def blocks(messages: Iterable[Message]) -> list[Block]:
    return [block for message in messages for block in message.content]


def check_copy(copy: Path) -> tuple[int, list[AgentFinished]]:
    """Opens it; gives how many blocks its conversation has, and how its sub-agents ended."""
    store = SessionStore(copy / "sessions", Masker(()))
    (summary,) = store.list()
    before = [*store.read(summary.id).conversation()]
    reopened = reopen(store, summary.id)
    messages = reopened.messages()
    validate(messages)
    finished = blocks(messages_of(before))
    assert blocks(messages)[: len(finished)] == finished
    events = [entry.event for entry in reopened.past.entries(reopened.past.segments)]
    spawned = [event.origin for event in events if isinstance(event, AgentSpawned)]
    ends = [event for event in events if isinstance(event, AgentFinished)]
    assert sorted(each.name for each in spawned) == sorted(each.origin.name for each in ends)
    for end in ends:
        # What it says in its own file is what the session says of it.
        own = [each.event for each in reopened.past.agent_entries(end.origin.tool_call_id or "")]
        assert [each for each in own if isinstance(each, AgentFinished)] == [end]
        (result,) = [
            block
            for block in blocks(messages)
            if isinstance(block, ToolResult) and block.tool_call_id == end.origin.tool_call_id
        ]
        assert result.is_error == (end.status != "completed")
    assert [each for each in events if isinstance(each, PromptFinished)][-1:] != []
    reopened.files.close()
    return len(finished), ends


async def run(server: ScriptedServer, channel: Copying, folder: Path) -> Harness:
    script(server)
    async with running(server, channel=channel, agents=AgentSettings(), folder=folder) as harness:
        channel.session = harness.session
        channel.store = harness.store
        harness.session.send("first")
        await asyncio.wait_for(harness.session.idle(), HANG_GUARD)
    return harness


async def test_safe_r2_reopened_after_every_event_it_begins_with_what_was_finished(
    server: ScriptedServer, tmp_path: Path
) -> None:
    channel = Copying(tmp_path)
    await run(server, channel, tmp_path)
    known, ends = 0, dict[str, str]()
    for number in range(1, len(channel.published) + 1):
        copy = channel.copy_of(number)
        if not copy.exists():
            continue
        finished, found = check_copy(copy)
        # It only grows, and who has completed stays so.
        assert finished >= known
        completed = {each.origin.name: each.answer for each in found if each.status == "completed"}
        assert ends.items() <= completed.items()
        known, ends = finished, completed
    assert set(ends.values()) == {"Seen."}
    kinds = {type(event).__name__ for event in channel.published}
    assert {"TextDelta", "ToolStarted", "AgentSpawned", "AgentFinished", "GuidanceAdded"} <= kinds


@pytest.mark.parametrize("first", [2, 5, *(pytest.param(each, marks=pytest.mark.soak) for each in (3, 4, 6, 7, 8, 9))])
async def test_safe_r2_interrupted_and_killed_after_any_event(
    server: ScriptedServer, tmp_path: Path, first: int
) -> None:
    """An interrupt that the program did not live through: the files of every moment of its clean-up can be opened."""
    whole = Copying(tmp_path / "whole")
    await run(server, whole, tmp_path)
    for number in range(first, len(whole.published), 8):
        place = tmp_path / f"interrupted-{number}"
        channel = Copying(place, number)
        await run(server, channel, tmp_path)
        if not place.exists():
            continue
        last = max(int(each.name) for each in place.iterdir())
        for each in {number, (number + last) // 2, last}:
            if channel.copy_of(each).exists():
                check_copy(channel.copy_of(each))
        shutil.rmtree(place)


async def test_what_was_said_of_a_cut_answer_is_kept_but_for_the_last_pieces(
    server: ScriptedServer, tmp_path: Path
) -> None:
    channel = Copying(tmp_path)
    await run(server, channel, tmp_path)
    pieces = [at for at, each in enumerate(channel.published, 1) if isinstance(each, TextDelta) and each.origin == MAIN]
    store = SessionStore(channel.copy_of(pieces[-1]) / "sessions", Masker(()))
    reopened = reopen(store, store.list()[0].id)
    said = [block.text for block in blocks(reopened.messages()) if isinstance(block, Text)]
    assert "I look." in said
    reopened.files.close()
