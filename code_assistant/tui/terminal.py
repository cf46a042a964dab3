"""What is said to the terminal itself: its title, from words of ours only, and the bell."""

from __future__ import annotations

from typing import Literal, TypeAlias

from textual.app import App

Situation: TypeAlias = Literal["idle", "working", "waiting"]
TITLES: dict[Situation, str] = {
    "idle": "code-assistant",
    "working": "● code-assistant",
    "waiting": "? code-assistant waits for you",
}


class Terminal:
    def __init__(self, app: App[None]) -> None:
        self._app = app
        self._situation: Situation | None = None

    def show(self, situation: Situation) -> None:
        """Written only when it changes."""
        if situation == self._situation:
            return
        self._situation = situation
        self._write(f"\x1b]2;{TITLES[situation]}\x1b\\")

    def ring(self) -> None:
        self._app.bell()

    def restore(self) -> None:
        """An empty title is the terminal's own."""
        self._situation = None
        self._write("\x1b]2;\x1b\\")

    def _write(self, sequence: str) -> None:
        # Textual has no public way to set a title.
        driver = self._app._driver  # pyright: ignore[reportPrivateUsage]
        if driver is not None and not self._app.is_headless:
            driver.write(sequence)
