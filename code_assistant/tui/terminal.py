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
        self.is_away = False

    def show(self, situation: Situation) -> None:
        """Written only when it changes."""
        if self.is_away or situation == self._situation:
            return
        self._situation = situation
        self._write(f"\x1b]2;{TITLES[situation]}\x1b\\")

    def ring(self) -> None:
        if not self.is_away:
            self._app.bell()

    def restore(self) -> None:
        """An empty title is the terminal's own."""
        if not self.is_away:
            self._situation = None
            self._write("\x1b]2;\x1b\\")

    def hand_over(self) -> None:
        """Somebody else has the terminal for a while: nobody takes what is written, and who writes would hang."""
        self.restore()
        self.is_away = True

    def take_over(self) -> None:
        """It is ours again; what it shows is unknown."""
        self.is_away = False
        self._situation = None

    def _write(self, sequence: str) -> None:
        # Textual has no public way to set a title.
        driver = self._app._driver  # pyright: ignore[reportPrivateUsage]
        if driver is not None and not self._app.is_headless:
            driver.write(sequence)
