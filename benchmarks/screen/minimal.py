"""The yardstick: the smallest Textual app with a field to type into. `python -m benchmarks.screen.minimal`."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import Static, TextArea


class MinimalScreen(Screen[None]):
    CSS = "Static { height: 1fr; } TextArea { height: 3; }"

    def compose(self) -> ComposeResult:
        yield Static("ready")
        yield TextArea()

    def on_mount(self) -> None:
        self.query_one(TextArea).focus()


class MinimalApp(App[None]):
    def get_default_screen(self) -> Screen[None]:
        return MinimalScreen()


if __name__ == "__main__":
    MinimalApp().run()
