"""All agents of the session as a tree: what each does and what it took, live; from here they are opened and ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, Key
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from code_assistant.tui.agents.agent_line import colours_of, main_spans, row_spans, strip_of
from code_assistant.tui.agents.host import AgentHost
from code_assistant.tui.agents.record import AgentRecord
from code_assistant.tui.frame.spans import ROLE_CLASSES, Span, list_css
from code_assistant.tui.keys import shown_key
from code_assistant.tui.pickers.dialog import Caption, Dialog
from code_assistant.tui.rendering.palette import Palette

HINTS = "esc close · enter open · {cancel_agent} cancel · {copy} copy · X cancel all"
NOBODY = "There are no sub-agents yet."
SECONDS_BETWEEN_TICKS = 0.5
# Deeper than agents can be; whoever claims to be his own ancestor is shown here, too.
DEEPEST = 10


@dataclass(frozen=True, slots=True)
class TreeRow:
    """An agent and the lines that lead to it from its parent."""

    record: AgentRecord
    lines: str


@dataclass(frozen=True, slots=True)
class MainFacts:
    """What is told of the main agent: what it is doing, and what all agents took together."""

    words: str
    facts: tuple[str, ...] = ()


def tree_rows(records: Sequence[AgentRecord]) -> list[TreeRow]:
    """Children below their parents, in the order in which they came; each agent once, strangers below the main one."""
    known = {record.agent_id for record in records}
    children: dict[str | None, list[AgentRecord]] = {}
    for record in records:
        parent = record.parent_agent_id if record.parent_agent_id in known - {record.agent_id} else None
        children.setdefault(parent, []).append(record)
    rows: list[TreeRow] = []
    seen: set[str] = set()

    def add(parent: str | None, before: str, depth: int) -> None:
        below = [record for record in children.get(parent, ()) if record.id not in seen]
        for number, record in enumerate(below):
            is_last = number == len(below) - 1
            seen.add(record.id)
            rows.append(TreeRow(record, f"{before}{'└─' if is_last else '├─'}"))
            if depth < DEEPEST:
                add(record.agent_id, f"{before}{'  ' if is_last else '│ '}", depth + 1)

    add(None, "", 0)
    return rows + [TreeRow(record, "└─") for record in records if record.id not in seen]


class AgentRows(ScrollView, can_focus=False):
    """One row for the main agent and one for each other; the selected one is kept in sight."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {*ROLE_CLASSES, "agents--highlight"}
    DEFAULT_CSS = list_css("AgentRows", "agents--highlight")

    class Opened(Message):
        """The row was clicked: None is the main agent."""

        def __init__(self, record: AgentRecord | None) -> None:
            super().__init__()
            self.record = record

    def __init__(self, palette: Palette, clock: Callable[[], float]) -> None:
        super().__init__()
        self.palette = palette
        self._clock = clock
        self._main = MainFacts("")
        self._rows: list[TreeRow] = []
        self._selected = ""

    @property
    def selected(self) -> AgentRecord | None:
        """None is the main agent."""
        index = self._index
        return self._rows[index - 1].record if index else None

    def show(self, records: Sequence[AgentRecord], main: MainFacts) -> None:
        """What is selected stays so, wherever it stands now."""
        count = len(self._rows)
        self._rows = tree_rows(records)
        self._main = main
        if len(self._rows) != count:
            self.refresh(layout=True)
            self._measure()
            self._keep_in_sight()
        self.refresh()

    def select(self, record: AgentRecord | None) -> None:
        self._selected = record.id if record is not None else ""
        self._keep_in_sight()
        self.refresh()

    def move(self, by: int) -> None:
        index = max(0, min(self._index + by, len(self._rows)))
        self.select(self._rows[index - 1].record if index else None)

    @property
    def _index(self) -> int:
        return next((number for number, row in enumerate(self._rows, 1) if row.record.id == self._selected), 0)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._rows) + 1 if self._rows else 2

    def on_resize(self) -> None:
        self._measure()
        self._keep_in_sight()

    def on_click(self, event: Click) -> None:
        event.stop()
        row = event.y + self.scroll_offset.y
        if 0 <= row <= len(self._rows):
            record = self._rows[row - 1].record if row else None
            self.select(record)
            self.post_message(self.Opened(record))

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        row = y + self.scroll_offset.y
        is_selected = row == self._index
        over = self._highlight() if is_selected else None
        if row == 0:
            spans = main_spans(self._main.words, self._main.facts, width, is_selected=is_selected)
            return strip_of(self, spans, width, {}, over)
        if row > len(self._rows):
            return strip_of(self, [Span(f"   {NOBODY}", "muted")] if row == 1 else [], width, {})
        shown = self._rows[row - 1]
        spans = row_spans(shown.record, f"{shown.lines} ", self._clock(), width, is_selected=is_selected)
        is_reversed = over is not None and bool(over.reverse)
        return strip_of(self, spans, width, colours_of(shown.record, self.palette, is_reversed=is_reversed), over)

    def _measure(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._rows) + 1)

    def _keep_in_sight(self) -> None:
        top, height, index = self.scroll_offset.y, self.size.height, self._index
        if index < top:
            self.scroll_to(y=index, animate=False)
        elif height and index >= top + height:
            self.scroll_to(y=index - height + 1, animate=False)

    def _highlight(self) -> Style:
        style = self.get_component_rich_style("agents--highlight")
        return Style(color=style.color if style.reverse else None, bgcolor=style.bgcolor, reverse=style.reverse)


class AgentsList(Dialog[None]):
    """Stays open while agents are cancelled and copied; `shown` gives what there is, whenever it is asked."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = "AgentsList > .dialog { max-width: 110; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close"),
        Binding("ctrl+t", "close", "Close", id="agents"),
        Binding("enter", "open", "Open"),
        Binding("up,k", "move(-1)", "Up"),
        Binding("down,j", "move(1)", "Down"),
        Binding("pageup", "move(-10)", "Page up"),
        Binding("pagedown", "move(10)", "Page down"),
        Binding("home", "move(-10000)", "First"),
        Binding("end", "move(10000)", "Last"),
        Binding("x", "cancel_agent", "Cancel", id="cancel_agent"),
        Binding("c", "copy", "Copy its answer", id="copy"),
        Binding("X,shift+x", "cancel_all", "Cancel all"),
    ]

    def __init__(
        self,
        shown: Callable[[], tuple[Sequence[AgentRecord], MainFacts]],
        host: AgentHost,
        palette: Palette,
        clock: Callable[[], float],
        selected: AgentRecord | None = None,
        own_keys: Mapping[str, str] | None = None,
    ) -> None:
        self._own_keys = own_keys or {}
        self._hints = HINTS.format(**{name: shown_key(name, self._own_keys) for name in ("cancel_agent", "copy")})
        super().__init__("Agents", self._hints)
        self._shown = shown
        self._host = host
        self._asks = False
        self.rows = AgentRows(palette, clock)
        self._first = selected

    def make_body(self) -> Widget:
        return self.rows

    def on_mount(self) -> None:
        records, _ = self._shown()
        live = next((record for record in records if record.is_live), records[-1] if records else None)
        self.show()
        self.rows.select(self._first or live)
        self.set_interval(SECONDS_BETWEEN_TICKS, self.rows.refresh)

    def show(self) -> None:
        """For the painter: everything as it is now."""
        if self.is_attached:
            self.rows.show(*self._shown())

    def say(self, words: str = "") -> None:
        """Something in place of the keys, until the next one is pressed."""
        self.query_one("#keys", Caption).say(words or self._hints)

    # Keys

    def on_key(self, event: Key) -> None:
        """While it asks, every key is an answer; only one of them is a yes."""
        if not self._asks:
            self.say()
            return
        event.stop()
        event.prevent_default()
        self._asks = False
        self.say()
        if event.key == "y":
            count = self._host.cancel_all()
            self.say(f"{count} cancelled")

    def action_move(self, by: int) -> None:
        self.rows.move(by)

    def action_open(self) -> None:
        self._open(self.rows.selected)

    def on_agent_rows_opened(self, message: AgentRows.Opened) -> None:
        message.stop()
        self._open(message.record)

    def _open(self, record: AgentRecord | None) -> None:
        self.dismiss()
        self._host.open(record)

    def action_cancel_agent(self) -> None:
        record = self.rows.selected
        if record is None:
            self.say(f"{shown_key('interrupt', self._own_keys)} interrupts the main agent, once this is closed")
        elif not record.is_live:
            self.say(f"{record.name} has ended already")
        elif not self._host.cancel(record):
            self.say(f"{record.name} is ending already")

    def action_cancel_all(self) -> None:
        records, _ = self._shown()
        live = sum(record.is_live for record in records)
        if not live:
            self.say("nobody is left to cancel")
            return
        self._asks = True
        whom = "the one agent that runs" if live == 1 else f"all {live} agents that run"
        self.say(f"cancel {whom}? y yes · n no")

    def action_copy(self) -> None:
        record = self.rows.selected
        if record is None or not record.answer:
            self.say("there is no answer to copy yet")
        else:
            self._host.copy_answer(record)
            self.say(f"copied the answer of {record.name}")
