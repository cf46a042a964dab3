"""One sub-agent on the whole screen: who it is, all that it does, and what the person says to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, cast

from textual import on
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.strip import Strip
from textual.timer import Timer

from code_assistant.tui.agents.agent_line import CANCEL, WAITING, colours_of, header_spans, strip_of
from code_assistant.tui.agents.agent_view import AgentView
from code_assistant.tui.agents.host import AgentHost
from code_assistant.tui.agents.record import AgentRecord
from code_assistant.tui.agents.steering import SteerInput, UnreadPanel
from code_assistant.tui.frame.activity_line import Hint
from code_assistant.tui.frame.drawn import DrawnRows, PartPressed
from code_assistant.tui.frame.fitting import Cut, Part, fitted
from code_assistant.tui.frame.spans import Span
from code_assistant.tui.keys import AGENT_KEYS, bindings
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.widgets.transcript_view import TranscriptView

SECONDS_BETWEEN_TICKS = 0.5
READING_HINTS = (Hint("esc", "back"), Hint("tab", "write to it"), Hint("alt+↑↓", "blocks"))
MARKED_HINTS = (Hint("esc", "unmark"), Hint("x", "cancel"), Hint("tab", "write to it"), Hint("c", "copy"))
ENDED_HINTS = (Hint("esc", "back"), Hint("alt+↑↓", "blocks"), Hint("c", "copy a block"))
WRITING_HINTS = (Hint("enter", "send"), Hint("esc", "stop writing"), Hint("shift+enter", "new line"))


class AgentHeader(DrawnRows):
    DEFAULT_CSS = "AgentHeader { height: 2; border-bottom: solid $border-blurred; }"

    def __init__(self, record: AgentRecord, palette: Palette, clock: Callable[[], float]) -> None:
        super().__init__(id="agent-header")
        self._record = record
        self._clock = clock
        self.palette = palette

    def spans_at(self, row: int, width: int) -> list[Span]:
        return header_spans(self._record, self._clock(), "f8", width) if row == 0 else []

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        return strip_of(self, self.spans_at(y, width), width, colours_of(self._record, self.palette))


class HintLine(DrawnRows):
    """The keys that help now."""

    def __init__(self) -> None:
        super().__init__(id="agent-hints")
        self._hints: tuple[Hint, ...] = ()

    def show(self, hints: tuple[Hint, ...]) -> None:
        if hints != self._hints:
            self._hints = hints
            self.refresh()

    def spans_at(self, row: int, width: int) -> list[Span]:
        parts = [
            Part(hint.key, Span(hint.key, "key", hint.key), (Span(f" {hint.words}", "muted", hint.key),))
            for hint in self._hints
        ]
        return fitted(parts, [Cut(hint.key) for hint in reversed(self._hints[1:])], width)


class AgentScreen(Screen[None]):
    """Begins in the transcript, where a letter begins a message, or is a key of a marked block."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = "AgentScreen { background: $background; color: $foreground; }"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(AGENT_KEYS)]

    def __init__(self, agent: AgentView, host: AgentHost, palette: Palette, clock: Callable[[], float]) -> None:
        super().__init__()
        self.agent = agent
        self._host = host
        self._details = False
        self._ticker: Timer | None = None
        self.header = AgentHeader(agent.record, palette, clock)
        self.view = TranscriptView(agent.transcript, palette, id="agent-transcript")
        self.unread = UnreadPanel(id="unread")
        self.composer = SteerInput(agent.record, id="steer")
        self.hints = HintLine()

    @property
    def record(self) -> AgentRecord:
        return self.agent.record

    @property
    def _is_writing(self) -> bool:
        """At once; the widget itself takes note of its focus a little later, when a key may have come already."""
        return self.focused is self.composer

    @property
    def _app(self) -> App[Any]:
        return cast("App[Any]", self.app)  # pyright: ignore[reportUnknownMemberType]

    def compose(self) -> ComposeResult:
        yield self.header
        yield self.view
        yield self.unread
        yield self.composer
        yield self.hints

    def on_mount(self) -> None:
        self.set_focus(self.view, scroll_visible=False)
        self.show()

    def on_unmount(self) -> None:
        self.agent.close()

    # What is shown

    def show(self) -> None:
        """For the painter: everything as it is now."""
        if not self.is_attached:
            return
        self.view.take_changes()
        self.unread.show(self.record.unread if self.record.is_live else ())
        self.composer.show_state()
        self.tick()
        self._set_ticking(self.record.is_live)

    def tick(self) -> None:
        self.header.refresh()
        self.hints.show(self._current_hints())

    def _current_hints(self) -> tuple[Hint, ...]:
        if not self.record.is_live:
            return ENDED_HINTS
        reading = READING_HINTS if self.view.marked is None else MARKED_HINTS
        hints = WRITING_HINTS if self._is_writing else reading
        return (hints[0], Hint("f8", "answer it"), *hints[1:]) if self.record.prompts else hints

    def _set_ticking(self, is_ticking: bool) -> None:
        """Its clock goes on while it lives; otherwise there is no timer."""
        if is_ticking == (self._ticker is not None):
            return
        if self._ticker is not None:
            self._ticker.stop()
        self._ticker = self.set_interval(SECONDS_BETWEEN_TICKS, self.tick) if is_ticking else None

    def set_palette(self, palette: Palette) -> None:
        self.header.palette = palette
        self.view.set_palette(palette)
        self.header.refresh()

    # Keys

    def action_leave(self) -> None:
        """The innermost first: what is marked, what is written, then the screen. What was written stays."""
        if self._is_writing:
            self.set_focus(self.view, scroll_visible=False)
        elif self.view.marked is not None:
            self.view.mark(None)
        else:
            self.dismiss()
        self.tick()

    def action_stop(self) -> None:
        """In its turn: letters that were typed before may still be on their way to the input."""
        self.composer.call_later(self._stop)

    def _stop(self) -> None:
        selected = self.get_selected_text()
        if selected:
            self._app.copy_to_clipboard(selected)
            self.clear_selection()
        elif self._is_writing and not self.composer.selection.is_empty:
            self.composer.action_copy()
        elif not self.composer.is_empty and not self.composer.read_only:
            self.composer.put("")
        else:
            self.dismiss()

    def action_cancel_agent(self) -> None:
        if self.record.is_live and not self._host.cancel(self.record):
            self.agent.say_warning(f"{self.record.name} is ending already.")

    def action_go_to_prompt(self) -> None:
        self._host.go_to_prompt()

    def action_mark_block(self, step: int) -> None:
        self.set_focus(self.view, scroll_visible=False)
        self.view.mark_next(step)
        self.tick()

    def action_next_part(self) -> None:
        self.set_focus(self.view if self._is_writing else self.composer, scroll_visible=False)
        self.tick()

    def action_details(self) -> None:
        self._details = not self._details
        self.agent.transcript.unfold_tools(self._details)

    def action_page(self, step: int) -> None:
        self.view.scroll_relative(y=step * max(self.view.size.height - 2, 1), animate=False)

    def action_follow(self) -> None:
        self.view.follow()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A letter is a key only where a block is marked; elsewhere a message may begin with it."""
        return action != "cancel_agent" or (self.view.marked is not None and not self._is_writing)

    # What happens in it

    @on(TranscriptView.TypedElsewhere)
    def _typed(self, message: TranscriptView.TypedElsewhere) -> None:
        message.stop()
        if not self.composer.read_only:
            self.view.mark(None)
            self.set_focus(self.composer, scroll_visible=False)
            self.composer.insert(message.character)
            self.tick()

    @on(SteerInput.Steered)
    def _steered(self, message: SteerInput.Steered) -> None:
        message.stop()
        if not self._host.steer(self.record, message.text):
            self.composer.put(message.text)
            self.agent.say_warning(f"{self.record.name} is ending and does not read this any more.")
        self.show()

    @on(PartPressed)
    async def _part_pressed(self, message: PartPressed) -> None:
        message.stop()
        actions = {
            WAITING: "go_to_prompt",
            "f8": "go_to_prompt",
            "esc": "leave",
            "tab": "next_part",
            "enter": "send",
        }
        if message.part in (CANCEL, "x"):
            # Whatever the key does now.
            self.action_cancel_agent()
            return
        match actions.get(message.part):
            case "send":
                self.composer.action_send()
            case str(action):
                await self.run_action(action)
            case None:
                pass
