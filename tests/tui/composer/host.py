"""A tiny app around the composer, and helpers to drive it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from code_assistant.errors import WorkspaceError
from code_assistant.messages import Image
from code_assistant.tui.composer.composer import Composer
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.composer.input_history import InputHistory
from code_assistant.tui.composer.popup import Popup
from code_assistant.tui.composer.services import CommandHint, ComposerServices
from tests.hang_guard import HANG_GUARD

COMMANDS = (
    CommandHint("help", "commands and keys"),
    CommandHint("model", "choose the model", "[name]"),
    CommandHint("theme", "choose the colours", "[name]"),
    CommandHint("new", "begin a new conversation"),
    CommandHint("quit", "leave"),
)
FILES = (
    "README.md",
    "src/",
    "src/shop/",
    "src/shop/tax.py",
    "src/shop/cart.py",
    "docs/",
    "docs/a b.md",
    "my docs/",
    "my docs/x.md",
    "tests/test_tax.py",
)


@dataclass
class Surroundings:
    """What the composer is given, to be changed by a test before it starts."""

    files: Callable[[], Sequence[str]] = lambda: FILES
    history_file: Path | None = None
    draft_file: Path | None = None
    images: dict[str, Image | str] = field(default_factory=dict)
    has_queue: bool = False
    now: float = 100.0

    def read_image(self, path: str) -> Image | None:
        found = self.images.get(path)
        if isinstance(found, str):
            raise WorkspaceError(found)
        return found

    def services(self) -> ComposerServices:
        return ComposerServices(
            commands=lambda: COMMANDS,
            list_files=self.files,
            has_queue=lambda: self.has_queue,
            history=InputHistory(self.history_file),
            draft_file=self.draft_file,
            read_image=self.read_image,
            clock=lambda: self.now,
        )


class Host(App[None]):
    """Keeps what the composer tells it. Suspending does nothing here."""

    CSS = "#rest { height: 1fr; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, surroundings: Surroundings | None = None) -> None:
        super().__init__()
        self.surroundings = surroundings or Surroundings()
        self.sent: list[Draft] = []
        self.complaints: list[str] = []
        self.told: list[str] = []
        self.unused_keys: list[str] = []
        self.suspended = 0

    def compose(self) -> ComposeResult:
        yield Static("transcript", id="rest")
        yield Composer(self.surroundings.services())
        yield Static("status", id="status")

    def on_mount(self) -> None:
        self.composer.focus()

    @property
    def composer(self) -> Composer:
        return self.query_one(Composer)

    @property
    def popup(self) -> Popup:
        return self.query_one(Popup)

    @property
    def rows(self) -> list[str]:
        """What the popup shows, line by line; empty when it is closed."""
        if not self.popup.display:
            return []
        return [line.rstrip() for line in self.popup.render().plain.split("\n")]

    @contextmanager
    def suspend(self) -> Iterator[None]:
        self.suspended += 1
        yield

    def on_composer_sent(self, message: Composer.Sent) -> None:
        self.sent.append(message.draft)

    def on_composer_complained(self, message: Composer.Complained) -> None:
        self.complaints.append(message.text)

    def on_composer_take_back_wanted(self) -> None:
        self.told.append("take back")

    def on_composer_help_wanted(self) -> None:
        self.told.append("help")

    def on_key(self, event: events.Key) -> None:
        self.unused_keys.append(event.key)


async def until(pilot: Pilot[Any], condition: Callable[[], bool]) -> None:
    """Wait for something that ends in another thread."""
    async with asyncio.timeout(HANG_GUARD):
        while not condition():
            await pilot.pause(0.005)


async def type_text(pilot: Pilot[Any], text: str) -> None:
    """Letters and new lines, as keys."""
    await pilot.press(*("ctrl+j" if character == "\n" else character for character in text))


async def paste(pilot: Pilot[Any], text: str) -> None:
    composer = pilot.app.query_one(Composer)
    composer.post_message(events.Paste(text))
    await pilot.pause()


def screen_text(app: App[Any]) -> str:
    """Everything on the screen as text."""
    return "\n".join("".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips())
