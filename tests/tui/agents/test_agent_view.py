"""One agent's transcript: whatever was there when it was opened and however it is read, each event once, in order."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_assistant.errors import WorkspaceError
from code_assistant.events import Event, Origin, OutputAdded, TextDelta
from code_assistant.tui.agents import agent_view
from code_assistant.tui.agents.agent_transcript import AgentTranscript
from code_assistant.tui.agents.agent_view import NOT_ALL_KEPT, AgentView
from code_assistant.tui.agents.feeds import KEPT_OUTPUT_CHARACTERS, Feeds
from code_assistant.tui.transcript.blocks import (
    AnswerBlock,
    Block,
    NoticeBlock,
    PersonBlock,
    ThinkingBlock,
    ToolBlock,
)
from code_assistant.tui.transcript.transcript import Transcript
from tests.tui.agents.runs import CHILD, CLEAN, kept, record_of_child, whole_run

RUN = whole_run()
CUT = whole_run(cut=True)


def clock() -> float:
    return 0.0


def content(block: Block) -> tuple[Any, ...]:
    match block:
        case PersonBlock():
            return ("person", block.text)
        case AnswerBlock():
            return ("answer", block.source, block.is_finished)
        case ThinkingBlock():
            return ("thinking", block.source, block.is_finished)
        case ToolBlock():
            # What a command has printed is known from its result once there is one.
            output = tuple(block.output.last(9)) if block.state == "running" else ()
            return ("tool", block.title, block.state, block.summary, block.detail, block.arguments, output)
        case NoticeBlock():
            return ("notice", block.level, block.text)
        case _:
            return (type(block).__name__,)


def contents(transcript: Transcript) -> list[tuple[Any, ...]]:
    return [content(block) for block in transcript.blocks]


def straight(events: list[Event]) -> list[tuple[Any, ...]]:
    """As somebody sees it who was there from the beginning."""
    transcript = Transcript()
    writer = AgentTranscript(transcript, CLEAN, clock)
    for event in events:
        writer.take(event)
    return contents(transcript)


def a_view(feeds: Feeds) -> AgentView:
    return AgentView(record_of_child(), feeds, CLEAN, clock)


def test_what_is_shown_of_a_whole_run() -> None:
    shown = straight(RUN)
    assert [each[0] for each in shown] == [
        "person",
        "thinking",
        "answer",
        "answer",
        "tool",
        "tool",
        "person",
        "notice",
        "answer",
        "notice",
        "person",
        "answer",
        "notice",
        "notice",
        "notice",
    ]
    assert shown[0] == ("person", "Look for the tax.\n\nWith references.")
    assert shown[2] == ("answer", f"I'll look. {CLEAN.text('sk-secret-1')}␛", True)
    assert "sk-secret-1" not in str(shown)
    assert shown[5][1:4] == ("Compacted the conversation", "success", "9.0k → 1.2k tok · kept: a summary")
    assert shown[6] == ("person", "Only the tests!")
    assert shown[7] == ("notice", "info", "From parent: Hurry.")
    assert shown[-1][1:] == (
        "warning",
        "Completed with a warning · 3 turns · 1 tool call · 15 tok · 0:04\nNot verified: x",
    )


@pytest.mark.parametrize("run", [RUN, CUT], ids=["whole", "cut"])
def test_the_kept_events_alone_give_the_same(run: list[Event]) -> None:
    assert straight(list(kept(run))) == straight(run)


@given(
    st.sampled_from([RUN, CUT]),
    st.integers(0, len(RUN)),
    st.integers(0, len(RUN)),
    st.integers(0, len(RUN)),
    st.booleans(),
)
def test_nothing_is_lost_and_nothing_is_shown_twice(
    run: list[Event], seen: int, came: int, read_up_to: int, in_slices: bool
) -> None:
    """Opened after `seen` events; while the kept ones are read others come; the kept ones are ahead of the screen."""
    came = max(seen, came)
    read_up_to = max(seen, read_up_to)

    async def view_of_it() -> AgentView:
        feeds = Feeds()
        for event in run[:seen]:
            feeds.take(event)
        view = a_view(feeds)

        async def read(tool_call_id: str) -> tuple[Event, ...]:
            assert tool_call_id == "call_spawn"
            await asyncio.sleep(0)
            for event in run[seen:came]:
                feeds.take(event)
            return kept(run[:read_up_to])

        async def the_rest() -> None:
            for event in run[came:]:
                await asyncio.sleep(0)
                feeds.take(event)

        with patch.object(agent_view, "SLICE_SECONDS", -1 if in_slices else 60):
            loading = asyncio.create_task(view.load(read))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            await asyncio.gather(loading, the_rest())
        return view

    assert contents(asyncio.run(view_of_it()).transcript) == straight(run)


@given(st.integers(0, len(RUN)))
def test_at_every_moment_it_shows_what_those_see_who_were_there(seen: int) -> None:
    async def view_of_it() -> AgentView:
        feeds = Feeds()
        for event in RUN[:seen]:
            feeds.take(event)
        view = a_view(feeds)

        async def read(_: str) -> tuple[Event, ...]:
            # Far ahead of what the screen has seen.
            return kept(RUN)

        await view.load(read)
        return view

    shown = contents(asyncio.run(view_of_it()).transcript)
    expected = straight(RUN[:seen])
    assert shown == expected


def test_it_listens_no_more_once_it_is_closed() -> None:
    feeds = Feeds()
    view = a_view(feeds)
    view.close()
    view.close()
    feeds.take(RUN[0])
    assert view.transcript.blocks == []


async def test_what_was_not_kept_is_said() -> None:
    feeds = Feeds()
    for event in RUN:
        feeds.take(event)

    async def nothing(_: str) -> tuple[Event, ...]:
        return ()

    view = a_view(feeds)
    await view.load(nothing)
    assert contents(view.transcript) == [("notice", "warning", NOT_ALL_KEPT)]

    async def fails(_: str) -> tuple[Event, ...]:
        raise WorkspaceError("What explore-1 did cannot be read: it is gone.")

    view = a_view(feeds)
    await view.load(fails)
    assert [each[2] for each in contents(view.transcript)] == [
        "What explore-1 did cannot be read: it is gone.",
        NOT_ALL_KEPT,
    ]


async def test_an_agent_that_nobody_has_heard_of_yet() -> None:
    feeds = Feeds()
    view = a_view(feeds)

    async def nothing(_: str) -> tuple[Event, ...]:
        return ()

    await view.load(nothing)
    assert view.transcript.blocks == []
    for event in RUN:
        feeds.take(event)
    assert contents(view.transcript) == straight(RUN)


@pytest.mark.parametrize("ends_while_read", [True, False])
async def test_what_it_has_not_read_is_told_once(ends_while_read: bool) -> None:
    feeds = Feeds()
    record = record_of_child()
    record.unread = ["Only the tests!", "Hurry."]
    view = AgentView(record, feeds, CLEAN, clock)

    async def read(_: str) -> tuple[Event, ...]:
        if ends_while_read:
            record.status = "cancelled"
            view.ended()
        return ()

    await view.load(read)
    if not ends_while_read:
        assert contents(view.transcript) == []
        record.status = "cancelled"
        view.ended()
    assert contents(view.transcript) == [
        ("notice", "warning", "explore-1 ended before it read this:"),
        ("person", "Only the tests!"),
        ("person", "Hurry."),
    ]


# The feeds


def test_pieces_are_kept_only_while_they_are_open() -> None:
    feeds = Feeds()
    for event in RUN:
        feeds.take(event)
        seen = feeds.listen("call_spawn", lambda _: None)
        assert len(seen.pieces) <= 3
    assert feeds.listen("call_spawn", lambda _: None).pieces == ()
    assert feeds.listen("call_spawn", lambda _: None).count == len(kept(RUN))


def test_open_text_is_given_whole_and_output_from_its_end() -> None:
    feeds = Feeds()
    for number in range(3_000):
        feeds.take(TextDelta(CHILD, f"{number} "))
        feeds.take(OutputAdded(CHILD, "c1", f"{number:099}\n"))
    output, text = feeds.listen("call_spawn", lambda _: None).pieces
    assert isinstance(text, TextDelta)
    assert text.text == "".join(f"{number} " for number in range(3_000))
    assert isinstance(output, OutputAdded)
    assert output.text.endswith("2999\n")
    assert len(output.text) <= KEPT_OUTPUT_CHARACTERS


def test_agents_do_not_hear_each_other() -> None:
    feeds = Feeds()
    heard: list[Event] = []
    other = Origin("agent_2", "explore-2", 2, "main", "call_other", 4)
    feeds.listen("call_spawn", heard.append)
    for event in RUN:
        feeds.take(replace(event, origin=other))
        feeds.take(replace(event, origin=Origin("main", "main", 1)))
    assert heard == []
    assert feeds.listen("call_spawn", heard.append).count == 0
    feeds.leave("call_spawn", heard.append)
    feeds.clear()
    assert feeds.listen("call_other", heard.append).count == 0
