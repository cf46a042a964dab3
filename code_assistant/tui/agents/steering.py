"""Where the person writes to a sub-agent, and what it has not read yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from code_assistant.tui.agents.record import AgentRecord
from code_assistant.tui.composer.folded_area import FoldedArea
from code_assistant.tui.composer.pasting import cleaned
from code_assistant.tui.frame.drawn import DrawnRows
from code_assistant.tui.frame.spans import Span, plain
from code_assistant.tui.rendering.wrapping import cut_to_cells

UNREAD_ROWS = 3
NOT_READ = "not read yet: "


class SteerInput(FoldedArea):
    """Enter sends. What is written here is for one agent only: it enters neither the history nor the draft file."""

    DEFAULT_CSS = """
    SteerInput {
        height: auto; min-height: 2; max-height: 34vh; padding: 0 1; border: none;
        border-top: solid $border-blurred; background: $background; scrollbar-size-vertical: 1;
        &:focus { border: none; border-top: solid $border; }
        & .composer--fold { color: $secondary; }
        & .text-area--placeholder { color: $foreground-muted; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "send", show=False),
        Binding("shift+enter,ctrl+j,alt+enter", "new_line", "new line", show=False),
    ]

    @dataclass
    class Steered(Message):
        """The person says this to the agent."""

        text: str

    def __init__(self, record: AgentRecord, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._record = record
        self._was_live = False
        self.show_state(force=True)

    @property
    def is_empty(self) -> bool:
        return self.document.line_count == 1 and not self.document[0]

    def show_state(self, *, force: bool = False) -> None:
        """An agent that has ended reads nothing any more."""
        is_live = self._record.is_live
        if is_live == self._was_live and not force:
            return
        self._was_live = is_live
        self.read_only = not is_live
        name = self._record.name
        self.placeholder = Content(f" Say something to {name}" if is_live else f" {name} has ended")

    def put(self, text: str) -> None:
        self.replace(text, (0, 0), self.document.end, maintain_selection_offset=False)

    def action_send(self) -> None:
        text = self.draft().text
        if text.strip() and not self.read_only:
            self.load_text("")
            self.post_message(self.Steered(text))

    def action_new_line(self) -> None:
        if not self.read_only:
            self.replace("\n", *self.selection, maintain_selection_offset=False)

    async def _on_key(self, event: events.Key) -> None:
        # Otherwise the editor would take the one for a new line and the other for nothing.
        actions = {"enter": self.action_send, "shift+enter": self.action_new_line}
        actions |= {"ctrl+j": self.action_new_line, "alt+enter": self.action_new_line}
        if (action := actions.get(event.key)) is not None:
            event.stop()
            event.prevent_default()
            action()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        if not self.read_only:
            self.replace(cleaned(event.text), *self.selection, maintain_selection_offset=False)


class UnreadPanel(DrawnRows):
    """What was said and not read yet, above the input; nothing where everything was read."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._texts: list[str] = []
        self.display = False

    def show(self, texts: Sequence[str]) -> None:
        if list(texts) != self._texts:
            self._texts = list(texts)
            self.set_height(min(len(self._texts), UNREAD_ROWS))
            self.refresh()

    def spans_at(self, row: int, width: int) -> list[Span]:
        if row >= len(self._texts):
            return []
        left = len(self._texts) - row
        if row == UNREAD_ROWS - 1 and left > 1:
            return [Span(f"   and {left} more", "muted")]
        room = max(width - 5 - len(NOT_READ), 1)
        text = cut_to_cells(plain(self._texts[row]) or "(blank)", room)
        return [Span(" "), Span("↳", "muted"), Span(f" {NOT_READ}", "muted"), Span(text, "key")]
