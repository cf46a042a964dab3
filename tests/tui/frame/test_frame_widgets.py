"""The frame on a real screen: sizes, clicks, what is drawn again and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from code_assistant.events import TodoItem
from code_assistant.tui.frame.activity_line import ActivityLine
from code_assistant.tui.frame.drawn import DrawnRows
from code_assistant.tui.frame.panels import QueuePanel, TodoPanel
from code_assistant.tui.frame.status_line import StatusLine
from tests.tui.frame.states import TODO, FrameApp, lines_of, strips_of, working_state
from tests.tui.hostile import HOSTILE, is_safe

WIDTHS = (20, 40, 80, 120, 200)


@pytest.mark.parametrize("width", WIDTHS)
async def test_rows_are_as_wide_as_the_screen(width: int) -> None:
    app = FrameApp()
    async with app.run_test(size=(width, 24)) as pilot:
        queue = [(str(number), text) for number, text in enumerate(HOSTILE)]
        for todo in (TODO, tuple(TodoItem(text, "pending") for text in HOSTILE)):
            app.show(working_state(todo=todo, queue=queue))
            await pilot.pause()
            for widget in app.query(DrawnRows):
                for strip in strips_of(widget):
                    assert strip.cell_length == width
                    assert is_safe(strip.text)


async def test_what_the_frame_shows() -> None:
    app = FrameApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.show(working_state(todo=TODO, queue=[("1", "then lint"), ("2", "b"), ("3", "c"), ("4", "d")]))
        await pilot.pause()
        assert lines_of(app.query_one(StatusLine))[0].startswith(" shop · main ±3 · claude-sonnet · ask ")
        todo = [line.rstrip() for line in lines_of(app.query_one(TodoPanel))]
        assert todo == [" ✓ 2 of 4 done", " ◐ Round half to even", " ○ Add tests"]
        queue = [line.rstrip() for line in lines_of(app.query_one(QueuePanel))]
        assert queue[0].startswith(" ↳ then lint")
        assert queue[0].endswith("queued · up takes them back")
        assert queue[1:] == [" ↳ b", " ↳ c", "   and 1 more"]
        assert lines_of(app.query_one(ActivityLine))[0].startswith(" ⠸ Reading")


async def test_panels_hide_when_there_is_nothing_to_show() -> None:
    app = FrameApp()
    done = tuple(TodoItem(item.text, "completed") for item in TODO)
    async with app.run_test(size=(80, 24)) as pilot:
        panel = app.query_one(TodoPanel)
        heights: list[int] = []
        for state in (
            working_state(),
            working_state(todo=TODO),
            working_state(todo=TODO, working_since=None),
            working_state(todo=done),
            working_state(todo=done, working_since=None),
        ):
            app.show(state)
            await pilot.pause()
            heights.append(panel.outer_size.height if panel.display else 0)
        assert heights == [0, 3, 3, 1, 0]
        assert not app.query_one(QueuePanel).display


async def test_only_what_changed_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    app = FrameApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.show(working_state(todo=TODO))
        await pilot.pause()
        drawn: list[str] = []

        def refresh(self: DrawnRows, *_: Any, layout: bool = False, **__: Any) -> DrawnRows:
            drawn.append(f"{type(self).__name__}{' with layout' if layout else ''}")
            return self

        monkeypatch.setattr(DrawnRows, "refresh", refresh)
        app.show(working_state(todo=TODO))
        assert drawn == []
        app.query_one(ActivityLine).tick(112.45)
        app.query_one(ActivityLine).tick(112.47)
        assert drawn == ["ActivityLine"]
        app.show(working_state(todo=TODO, cost=0.05), 112.47)
        assert drawn == ["ActivityLine", "StatusLine"]
        app.show(working_state(todo=TODO, cost=0.05, working_since=None), 112.47)
        app.query_one(ActivityLine).tick(500.0)
        app.query_one(ActivityLine).tick(501.0)
        assert drawn == ["ActivityLine", "StatusLine", "TodoPanel", "ActivityLine"]


async def test_clicks_say_what_was_clicked() -> None:
    app = FrameApp()
    async with app.run_test(size=(120, 24)) as pilot:
        app.show(working_state(queue=[("1", "later")]))
        await pilot.pause()
        for kind, word in ((StatusLine, "ask"), (StatusLine, "claude"), (StatusLine, "shop")):
            await pilot.click(kind, offset=(lines_of(app.query_one(kind))[0].index(word), 0))
        for word in ("waiting", "running", "esc"):
            await pilot.click(ActivityLine, offset=(lines_of(app.query_one(ActivityLine))[0].index(word), 0))
        assert app.parts == ["mode", "model", "waiting", "running", "esc"]


async def test_resizing_fits_again() -> None:
    app = FrameApp()
    async with app.run_test(size=(120, 24)) as pilot:
        app.show(working_state(todo=TODO, queue=[("1", "later")]))
        for width in (40, 20, 200):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            for widget in app.query(DrawnRows):
                assert {strip.cell_length for strip in strips_of(widget)} == {width}
