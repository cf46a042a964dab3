"""The screen of one agent: what its keys do, and where letters go."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import fields

import pytest
from textual import events
from textual.app import App
from textual.pilot import Pilot

from code_assistant.config.settings import KeySettings
from code_assistant.events import Event
from code_assistant.tui.agents.agent_screen import AgentScreen
from code_assistant.tui.agents.agent_view import AgentView
from code_assistant.tui.agents.feeds import Feeds
from code_assistant.tui.agents.record import AgentRecord
from code_assistant.tui.agents.steering import UNREAD_ROWS, UnreadPanel
from code_assistant.tui.keys import AGENT_KEYS
from code_assistant.tui.transcript.blocks import NoticeBlock, PersonBlock, ToolBlock
from tests.tui.agents.runs import CLEAN, kept, record_of_child, whole_run
from tests.tui.look import PALETTE


class Host(App[None]):
    """Stands for the app and the session behind it."""

    def __init__(self, record: AgentRecord, *, takes: bool = True) -> None:
        super().__init__()
        self.record = record
        self.takes = takes
        self.did: list[str] = []

    def open(self, record: AgentRecord | None) -> None:
        raise AssertionError("nothing is opened from here")

    def cancel(self, record: AgentRecord) -> bool:
        self.did.append(f"cancel {record.name}")
        return self.takes

    def cancel_all(self) -> int:
        raise AssertionError("only one is cancelled here")

    def steer(self, record: AgentRecord, text: str) -> bool:
        self.did.append(f"say {text}")
        if self.takes:
            record.unread.append(text)
        return self.takes

    def copy_answer(self, record: AgentRecord) -> None:
        raise AssertionError("answers are copied from the list")

    def go_to_prompt(self) -> None:
        self.did.append("prompt")

    @property
    def shown(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips(self.size)]

    def shows(self, text: str) -> bool:
        return any(text in row for row in self.shown)


@asynccontextmanager
async def opened(
    record: AgentRecord | None = None, *, takes: bool = True, size: tuple[int, int] = (80, 40)
) -> AsyncIterator[tuple[Host, AgentScreen, Pilot[None]]]:
    record = record or record_of_child()
    host = Host(record, takes=takes)
    feeds = Feeds()
    # All but its end.
    for event in whole_run()[:-1]:
        feeds.take(event)
    async with host.run_test(size=size) as pilot:
        view = AgentView(record, feeds, CLEAN, lambda: 112.0)

        async def read(_: str) -> tuple[Event, ...]:
            return kept(whole_run()[:-1])

        await view.load(read)
        screen = AgentScreen(view, host, PALETTE, lambda: 112.0)

        def changed() -> None:
            screen.call_later(screen.show)

        view.transcript.on_change = changed
        await host.push_screen(screen)
        await pilot.pause()
        yield host, screen, pilot


async def test_it_begins_with_the_transcript_and_a_letter_begins_a_message() -> None:
    async with opened() as (host, screen, pilot):
        assert screen.focused is screen.view
        assert host.shows("Say something to explore-1")
        await pilot.press("h", "i", "space", "x", "x", "c")
        assert screen.composer.has_focus
        assert screen.composer.draft().text == "hi xxc"
        assert host.shows("enter send")
        await pilot.press("shift+enter", "o", "k", "enter")
        assert host.did == ["say hi xxc\nok"]
        assert screen.composer.is_empty
        assert host.shows("not read yet: hi xxc ok")
        await pilot.press("enter", "space", "enter")
        assert len(host.did) == 1


async def test_escape_goes_out_one_step_at_a_time_and_keeps_what_was_written() -> None:
    async with opened() as (host, screen, pilot):
        await pilot.press("h", "escape")
        assert host.screen is screen
        assert screen.focused is screen.view
        assert screen.composer.draft().text == "h"
        await pilot.press("alt+up", "escape")
        assert screen.view.marked is None
        assert host.screen is screen
        await pilot.press("escape")
        assert host.screen is not screen


async def test_a_message_may_begin_with_x() -> None:
    async with opened() as (host, screen, pilot):
        assert not host.shows("x cancel")
        await pilot.press("x", "m", "l", "enter")
        assert host.did == ["say xml"]
        assert screen.record.is_live


async def test_x_cancels_only_where_a_block_is_marked_and_nobody_writes() -> None:
    async with opened() as (host, screen, pilot):
        await pilot.press("tab", "x")
        assert host.did == []
        assert screen.composer.draft().text == "x"
        await pilot.press("alt+up")
        await pilot.pause()
        assert host.shows("x cancel")
        await pilot.press("x")
        assert host.did == ["cancel explore-1"]


async def test_what_it_does_not_take_comes_back() -> None:
    async with opened(takes=False) as (host, screen, pilot):
        await pilot.press("h", "i", "enter")
        await pilot.pause()
        assert screen.composer.draft().text == "hi"
        assert host.shows("explore-1 is ending and does not read this any more.")
        assert not host.shows("not read yet")
        await pilot.press("escape", "alt+up", "x")
        await pilot.pause()
        assert host.shows("explore-1 is ending already.")


async def test_one_that_has_ended() -> None:
    record = record_of_child()
    record.status, record.seconds, record.unread = "cancelled", 4.0, ["Too late"]
    async with opened(record) as (host, screen, pilot):
        assert host.shows("explore-1 has ended")
        assert host.shows("explore-1 ended before it read this:")
        assert host.shows("› Too late")
        assert not host.shows("[ Cancel ]")
        await pilot.press("h", "x", "tab", "h", "enter")
        assert host.did == []
        assert screen.composer.is_empty
        screen.composer.post_message(events.Paste("pasted"))
        await pilot.pause()
        assert screen.composer.is_empty


async def test_it_ends_while_it_is_open() -> None:
    async with opened() as (_, screen, pilot):
        await pilot.press("h", "i")
        screen.record.status = "completed"
        screen.show()
        await pilot.pause()
        assert screen.composer.read_only
        # What was being written is not lost.
        assert screen.composer.draft().text == "hi"


async def test_ctrl_c() -> None:
    async with opened() as (host, screen, pilot):
        await pilot.press("h", "i", "shift+left", "ctrl+c")
        assert screen.composer.draft().text == "hi"
        await pilot.press("right", "ctrl+c")
        await pilot.pause()
        assert screen.composer.is_empty
        assert host.screen is screen
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert host.screen is not screen


async def test_pasting() -> None:
    async with opened() as (host, screen, pilot):
        await pilot.press("tab")
        screen.composer.post_message(events.Paste("one\rtwo\x1b[31m"))
        await pilot.pause()
        assert screen.composer.draft().text == "one\ntwo\x1b[31m"
        assert not host.shows("\x1b")
        await pilot.press("enter")
        assert host.did == ["say one\ntwo\x1b[31m"]


async def test_blocks_are_marked_copied_and_unfolded() -> None:
    async with opened() as (_, screen, pilot):
        tool = next(block for block in screen.agent.transcript.blocks if isinstance(block, ToolBlock))
        await pilot.press("ctrl+o")
        assert tool.is_expanded
        await pilot.press("ctrl+o")
        assert not tool.is_expanded
        screen.view.mark(tool)
        await pilot.press("space")
        assert tool.is_expanded
        # By hand it was unfolded, so by hand it is folded.
        await pilot.press("ctrl+o", "ctrl+o")
        assert tool.is_expanded


async def test_f8_and_what_waits() -> None:
    record = record_of_child()
    record.prompts.append("q1")
    async with opened(record) as (host, _, pilot):
        assert host.shows("waits for you (f8)")
        assert host.shows("f8 answer it")
        await pilot.press("f8")
        assert host.did == ["prompt"]


@pytest.mark.parametrize(
    ("hint", "did"),
    [("esc back", []), ("x cancel", ["cancel explore-1"]), ("[ Cancel ]", ["cancel explore-1"]), ("tab write", [])],
)
async def test_hints_and_the_button_can_be_clicked(hint: str, did: list[str]) -> None:
    async with opened() as (host, screen, pilot):
        if hint == "x cancel":
            await pilot.press("alt+up")
            await pilot.pause()
        for y, row in enumerate(host.shown):
            if hint in row:
                await pilot.click(offset=(row.index(hint) + 1, y))
                break
        await pilot.pause()
        assert host.did == did
        assert (host.screen is screen) == (hint != "esc back")
        assert screen.composer.has_focus == (hint == "tab write")


@pytest.mark.parametrize("size", [(20, 8), (40, 12), (200, 50)])
async def test_any_size(size: tuple[int, int]) -> None:
    record = record_of_child()
    record.name, record.label, record.unread = "e" * 40, "日本語 " * 20, ["wide 日本語 " * 20] * 5
    async with opened(record, size=size) as (host, screen, pilot):
        await pilot.press("h", "i", "enter", "alt+up", "ctrl+o", "pageup")
        await pilot.resize_terminal(size[0] + 7, size[1] + 3)
        await pilot.pause()
        assert all(strip.cell_length == host.size.width for strip in screen._compositor.render_strips(host.size))


async def test_scrolling_stays_where_it_is() -> None:
    async with opened(size=(80, 14)) as (_, screen, pilot):
        assert screen.view.is_following
        await pilot.press("pageup", "pageup")
        top = screen.view.scroll_y
        assert not screen.view.is_following
        screen.agent.say_warning("Something is new.")
        await pilot.pause()
        assert screen.view.scroll_y == top
        await pilot.press("pagedown", "ctrl+end")
        assert screen.view.is_following


async def test_the_first_message_is_what_it_was_told() -> None:
    async with opened() as (_, screen, _):
        first = screen.agent.transcript.blocks[0]
        assert isinstance(first, PersonBlock)
        assert first.text == "Look for the tax.\n\nWith references."
        assert [type(block) for block in screen.agent.transcript.blocks].count(NoticeBlock) == 4


def test_its_keys_are_those_of_the_table() -> None:
    names = {field.name for field in fields(KeySettings)}
    for key in AGENT_KEYS:
        assert key.id in names
        if not key.action.startswith("app."):
            assert hasattr(AgentScreen, "action_" + key.action.partition("(")[0]), key
    assert len({key.id for key in AGENT_KEYS}) == len(AGENT_KEYS)


def test_many_unread_messages_take_few_rows() -> None:
    panel = UnreadPanel()
    panel._texts = [f"message {number}\nsecond line" for number in range(9)]
    rows = ["".join(span.text for span in panel.spans_at(row, 60)) for row in range(UNREAD_ROWS)]
    assert rows == [
        " ↳ not read yet: message 0 second line",
        " ↳ not read yet: message 1 second line",
        "   and 7 more",
    ]
