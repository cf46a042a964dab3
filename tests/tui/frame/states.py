"""A screen's state in the middle of work, and an app that shows the frame."""

from __future__ import annotations

from typing import Any

from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from code_assistant.events import TodoItem
from code_assistant.messages import Usage
from code_assistant.tui.frame.activity_line import ActivityLine
from code_assistant.tui.frame.panels import QueuePanel, TodoPanel
from code_assistant.tui.frame.spans import Span
from code_assistant.tui.frame.status_line import StatusLine
from code_assistant.tui.state import ScreenState

TODO = (
    TodoItem("Find the tax computation", "completed"),
    TodoItem("Read the tests", "completed"),
    TodoItem("Add tests", "pending"),
    TodoItem("Round half to even", "in_progress"),
)


def working_state(**changes: Any) -> ScreenState:
    state = ScreenState(
        folder="shop",
        model="claude-sonnet",
        mode="ask",
        branch="main",
        changed_files=3,
        context_window=200_000,
        context_tokens=24_000,
        usage=Usage(input=12_000, output=345),
        cost=0.04,
        working_since=100.0,
        activity="Reading shop/cart.py",
        turn_tokens=1234,
        running_agents=2,
        waiting_prompts=1,
    )
    for name, value in changes.items():
        setattr(state, name, value)
    return state


class FrameApp(App[None]):
    def __init__(self, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self.parts: list[str] = []

    def compose(self) -> ComposeResult:
        yield StatusLine()
        yield TodoPanel()
        yield QueuePanel()
        yield ActivityLine()

    def show(self, state: ScreenState, now: float = 112.35) -> None:
        self.query_one(StatusLine).show(state)
        self.query_one(TodoPanel).show(state)
        self.query_one(QueuePanel).show(state)
        self.query_one(ActivityLine).show(state, now)

    def on_part_pressed(self, event: Any) -> None:
        self.parts.append(event.part)


def text_of(spans: list[Span]) -> str:
    return "".join(span.text for span in spans)


def cells_of(spans: list[Span]) -> int:
    return sum(cell_len(span.text) for span in spans)


def lines_of(widget: Widget) -> list[str]:
    return [strip.text for strip in strips_of(widget)]


def strips_of(widget: Widget) -> list[Strip]:
    return widget.render_lines(widget.size.region) if widget.display else []
