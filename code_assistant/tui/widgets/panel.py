"""What the transcript needs to know of a live panel inside it."""

from __future__ import annotations

from textual import events
from textual.widget import Widget


class Panel(Widget):
    """A widget whose height can be told without laying it out."""

    def needed_height(self, width: int, most: int) -> int:
        """Rows it wants at this width, at most so many."""
        raise NotImplementedError

    def clear_line(self) -> bool:
        """Take away what is being written in it; whether there was anything."""
        return False

    def on_click(self, event: events.Click) -> None:
        # The transcript would take its place, which is one inside of the panel, for a row of its own.
        event.stop()
