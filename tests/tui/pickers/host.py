"""An app that opens windows and keeps what they gave."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

NOTHING = object()


class Host(App[None]):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.given: Any = NOTHING

    def open(self, screen: Screen[Any]) -> None:
        self.given = NOTHING
        self.push_screen(screen, self.keep)

    def keep(self, result: Any) -> None:
        self.given = result


def rows(app: App[Any]) -> list[str]:
    """The screen as text."""
    width, height = app.size
    strips: list[Strip] = app.screen._compositor.render_strips(app.size)  # pyright: ignore[reportPrivateUsage]
    texts = [strip.text for strip in strips]
    assert len(texts) == height
    assert all(strip.cell_length == width for strip in strips)
    return texts


def assert_inside(app: App[Any]) -> None:
    """Nothing of the window lies outside the screen or outside its parent."""
    screen = app.screen.region
    for widget in app.screen.query("*").results(Widget):
        if widget.display and widget.region.area:
            assert screen.contains_region(widget.region), widget
