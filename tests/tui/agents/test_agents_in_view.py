"""Blocks of sub-agents in the transcript view: their buttons, what stays where it is, what is drawn again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Input

from code_assistant.events import Event
from code_assistant.tui.agents import cancel_button
from code_assistant.tui.agents.cancel_button import SETTLED_SECONDS, CancelButton
from code_assistant.tui.agents.messages import CancelWanted, LineUnfolded
from code_assistant.tui.rendering import blocks as block_rendering
from code_assistant.tui.transcript.blocks import NoticeBlock, PersonBlock
from code_assistant.tui.widgets import rows_view
from code_assistant.tui.widgets.panel import Panel
from code_assistant.tui.widgets.transcript_view import TranscriptView
from tests.tui.agents.child import ChildEvents
from tests.tui.agents.test_watcher import Bridged
from tests.tui.look import PALETTE
from tests.tui.prompts.host import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """What buttons take for the time."""
    made = Clock()
    monkeypatch.setattr(cancel_button, "time", SimpleNamespace(monotonic=made))
    return made


class Stage(App[None]):
    """A view above an input, and what the view tells."""

    CSS = "Input { height: 1; border: none; }"

    def __init__(self) -> None:
        super().__init__()
        self.bridged = Bridged()
        self.transcript = self.bridged.transcript
        self.view = TranscriptView(self.transcript, PALETTE)
        self.input = Input()
        self.view.home = self.input
        self.cancelled: list[str] = []
        self.unfolded: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.view
        yield self.input

    def on_mount(self) -> None:
        self.input.focus()

    def on_cancel_wanted(self, message: CancelWanted) -> None:
        self.cancelled.append(message.tool_call_id)

    def on_line_unfolded(self, message: LineUnfolded) -> None:
        self.unfolded.append(message.line.id)

    async def told(self, pilot: Pilot[None], *events: Event) -> list[str]:
        self.bridged.take(*events)
        self.view.take_changes()
        await pilot.pause()
        return [strip.text.rstrip() for strip in self.view.render_lines(self.view.size.region)]

    @property
    def buttons(self) -> dict[str, int]:
        """Whose button is in which row."""
        return {button.tool_call_id: button.region.y for button in self.query(CancelButton) if button.region}


class Box(Panel, can_focus=True):
    def needed_height(self, width: int, most: int) -> int:
        return min(4, most)

    def render(self) -> str:
        return "PANEL"


async def test_a_button_stands_at_the_end_of_each_live_header() -> None:
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        one, two, three = ChildEvents(1), ChildEvents(2), ChildEvents(3)
        rows = await app.told(pilot, *one.spawned(), *two.spawned(), *three.spawned("queued"))
        places = {f"spawn-{n}": next(y for y, row in enumerate(rows) if f"explore-{n}" in row) for n in (1, 2, 3)}
        assert app.buttons == places
        rows = await app.told(pilot, *one.call(1), *one.call(2), *two.has("shutting_down"))
        moved = next(y for y, row in enumerate(rows) if "explore-3" in row)
        assert app.buttons == {"spawn-1": 0, "spawn-3": moved}
        await app.told(pilot, *one.finished(), *two.finished("cancelled"), *three.finished())
        assert app.buttons == {}
        assert not app.view.is_container


async def test_only_headers_in_sight_have_a_button() -> None:
    app = Stage()
    async with app.run_test(size=(60, 12)) as pilot:
        one = ChildEvents(1)
        await app.told(pilot, *one.spawned())
        for number in range(20):
            app.transcript.add(PersonBlock(f"p{number}", f"said {number}"))
        await app.told(pilot)
        assert app.buttons == {}
        app.view.scroll_to(y=0, animate=False)
        await pilot.pause()
        assert app.buttons == {"spawn-1": 0}
        app.view.scroll_to(y=1, animate=False)
        await pilot.pause()
        assert app.buttons == {}


async def test_clicking_leaves_the_focus_and_enter_needs_it(clock: Clock) -> None:
    app = Stage()
    async with app.run_test(size=(60, 12)) as pilot:
        await app.told(pilot, *ChildEvents(1).spawned(), *ChildEvents(2).spawned())
        clock.now += SETTLED_SECONDS
        await pilot.click(CancelButton)
        assert app.cancelled == ["spawn-1"]
        assert app.input.has_focus
        app.query(CancelButton)[1].focus()
        await pilot.press("enter")
        assert app.cancelled == ["spawn-1", "spawn-2"]


async def test_a_click_on_what_has_just_moved_below_the_mouse_is_none(clock: Clock) -> None:
    app = Stage()
    async with app.run_test(size=(60, 12)) as pilot:
        one, two = ChildEvents(1), ChildEvents(2)
        await app.told(pilot, *one.spawned(), *two.spawned())
        clock.now += SETTLED_SECONDS
        await app.told(pilot, *one.call(1))
        await pilot.click(app.query(CancelButton)[1])
        assert app.cancelled == []
        clock.now += SETTLED_SECONDS
        await pilot.click(app.query(CancelButton)[1])
        assert app.cancelled == ["spawn-2"]


async def test_the_focus_of_a_button_that_goes_goes_home() -> None:
    app = Stage()
    async with app.run_test(size=(60, 12)) as pilot:
        one, two = ChildEvents(1), ChildEvents(2)
        await app.told(pilot, *one.spawned(), *two.spawned())
        app.query(CancelButton)[0].focus()
        await pilot.pause()
        await app.told(pilot, *one.has("shutting_down"))
        assert app.input.has_focus


async def test_what_is_in_sight_stays_when_an_agent_above_grows_or_folds() -> None:
    app = Stage()
    async with app.run_test(size=(60, 12)) as pilot:
        one = ChildEvents(1)
        for number in range(5):
            app.transcript.add(PersonBlock(f"first{number}", f"first {number}"))
        await app.told(pilot, *one.spawned())
        for number in range(40):
            app.transcript.add(PersonBlock(f"p{number}", f"said {number}"))
        await app.told(pilot)
        app.view.scroll_to(y=app.view.scroll_y - 20, animate=False)
        await pilot.pause()
        before = await app.told(pilot)
        for number in range(30):
            assert await app.told(pilot, *one.call(number), *one.called(number)) == before
        assert await app.told(pilot, *one.wrote("words\n" * 9)) == before
        assert await app.told(pilot, *one.finished(answer="line\n\n" * 40)) == before


async def test_several_panels_stand_below_each_other_in_one_block() -> None:
    app = Stage()
    async with app.run_test(size=(60, 24)) as pilot:
        one, two = ChildEvents(1), ChildEvents(2)
        await app.told(pilot, *one.spawned(), *one.call(1), *one.call(2), *two.spawned())
        block = app.bridged.block()
        first, second = Box(), Box()
        app.view.add_panel(block, first, "a")
        app.view.add_panel(block, second, "b")
        rows = await app.told(pilot)
        await pilot.pause()
        below = next(y for y, row in enumerate(rows) if "explore-2" in row)
        assert (first.region.y, second.region.y, second.region.bottom) == (below - 8, below - 4, below)
        assert first.region.x == 5
        app.view.remove_panel(block, "a")
        rows = await app.told(pilot)
        await pilot.pause()
        assert second.region.y == next(y for y, row in enumerate(rows) if "explore-2" in row) - 4
        block.toggle()
        app.transcript.touch(block)
        await app.told(pilot)
        assert not second.region
        second.focus()
        app.view.toggle(block)
        await app.told(pilot)
        await pilot.pause()
        assert second.region


async def test_a_prompt_of_an_agent_out_of_sight_does_not_show_elsewhere() -> None:
    app = Stage()
    async with app.run_test(size=(60, 12)) as pilot:
        one = ChildEvents(1)
        await app.told(pilot, *one.spawned(), *one.call(1))
        for number in range(6):
            app.transcript.add(NoticeBlock(f"n{number}", "info", f"note {number}"))
        await app.told(pilot)
        panel = Box()
        app.view.add_panel(app.bridged.block(), panel, "a")
        rows = await app.told(pilot)
        await pilot.pause()
        assert not any("PANEL" in row for row in rows)
        assert not panel.region or panel.region.bottom <= app.view.region.y + 1
        app.view.show_panel(app.bridged.block(), "a")
        await app.told(pilot)
        await pilot.pause()
        assert panel.region and app.view.region.contains_region(panel.region)


async def test_a_word_draws_one_part_again(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Stage()
    async with app.run_test(size=(60, 24)) as pilot:
        one = ChildEvents(1)
        await app.told(pilot, *one.spawned(), *one.wrote("a "))
        await app.told(pilot, *(event for number in range(8) for event in (*one.call(number), *one.called(number))))
        drawn: list[str] = []

        def counting(block: object, part: int, look: object) -> object:
            drawn.append(app.bridged.block().part(part)[0])
            return block_rendering.part_rows(block, part, look)  # type: ignore[arg-type]

        monkeypatch.setattr(rows_view, "part_rows", counting)
        await app.told(pilot, *one.wrote("b "))
        assert drawn == ["tail"]
        drawn.clear()
        app.bridged.bridge.tick(app.view.agents_in_sight(), 75)
        await app.told(pilot)
        assert drawn == ["header"]
        assert app.bridged.block().seconds == 65


async def test_keys_walk_through_a_marked_agent() -> None:
    app = Stage()
    async with app.run_test(size=(60, 12)) as pilot:
        one = ChildEvents(1)
        await app.told(pilot, *one.spawned(), *(event for number in range(12) for event in one.call(number)))
        block = app.bridged.block()
        app.view.focus()
        app.view.mark(block)
        await pilot.press("down", "down", "space")
        assert block.shows_all
        await pilot.press("down", "down", "space")
        assert app.unfolded == ["spawn-1-1"]
        for _ in range(30):
            await pilot.press("down")
        assert block.cursor == "spawn-1-11"
        rows = await app.told(pilot)
        assert any("❯" in row for row in rows)
        for _ in range(30):
            await pilot.press("up")
        assert block.cursor is None
        await pilot.press("down", "x")
        assert app.cancelled == ["spawn-1"]
        app.view.mark(None)
        assert block.cursor is None


async def test_a_marked_call_that_becomes_an_agent_stays_marked() -> None:
    app = Stage()
    async with app.run_test(size=(60, 12)) as pilot:
        spawning = ChildEvents(1).spawned()
        await app.told(pilot, spawning[0])
        app.view.mark(app.transcript.blocks[0])
        rows = await app.told(pilot, *spawning[1:])
        assert app.view.marked is app.bridged.block()
        assert all(row.startswith("▌") for row in rows if row)
