"""The prompts that wait for the person: their panels in the transcript, and who has the focus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from textual import events
from textual.screen import Screen
from textual.widget import Widget

from code_assistant.tui.composer.composer import Composer
from code_assistant.tui.prompts.focus_timer import FocusTimer
from code_assistant.tui.prompts.safe_typing import SafeTyping
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.transcript.agent_block import AgentBlock
from code_assistant.tui.transcript.blocks import ToolBlock
from code_assistant.tui.widgets.inlays import HostBlock
from code_assistant.tui.widgets.transcript_view import TranscriptView

if TYPE_CHECKING:
    from code_assistant.events import Event, PermissionRequested, PlanPresented, QuestionAsked
    from code_assistant.tui.prompts.panel import PromptPanel
    from code_assistant.tui.prompts.trust import TrustAsked

Prompt: TypeAlias = "PermissionRequested | QuestionAsked | PlanPresented | TrustAsked"


@dataclass(slots=True)
class _Open:
    """A prompt without an answer. Hidden, it has no panel and still waits."""

    prompt: Prompt
    block: HostBlock
    panel: PromptPanel | None

    @property
    def name(self) -> str:
        """Which of the panels of its block it is: an agent may ask several things at once."""
        return self.prompt.request_id if isinstance(self.block, AgentBlock) else ""


class PromptDesk:
    def __init__(
        self,
        screen: Screen[None],
        view: TranscriptView,
        composer: Composer,
        palette: Palette,
        clock: Callable[[], float],
        mask: Callable[[str], str] = lambda text: text,
        own_keys: Mapping[str, str] | None = None,
    ) -> None:
        self._screen = screen
        self._view = view
        self._composer = composer
        self._palette = palette
        self._mask = mask
        self._own_keys = own_keys or {}
        self._open: dict[str, _Open] = {}
        self._timer: FocusTimer
        self._safe_typing = SafeTyping(clock, lambda: self._timer.check())
        self._timer = FocusTimer(self._safe_typing, clock, self._move_focus)

    def take(self, event: Event) -> bool:
        """Whether a new prompt has come up."""
        # Not at the top: the first frame has no events.
        from code_assistant.events import (
            AgentFinished,
            PermissionRequested,
            PermissionResolved,
            PlanPresented,
            PlanResolved,
            QuestionAsked,
            QuestionResolved,
        )

        match event:
            case PermissionRequested() | QuestionAsked() | PlanPresented():
                return self.add(event)
            case PermissionResolved() | QuestionResolved() | PlanResolved():
                self.remove(event.request_id)
            case AgentFinished(origin):
                for request_id, waiting in list(self._open.items()):
                    if waiting.prompt.origin.agent_id == origin.agent_id:
                        self.remove(request_id)
            case _:
                pass
        return False

    def go_to_oldest(self) -> bool:
        """The person wants to answer: bring the oldest prompt into sight, with the focus in it."""
        # One that was answered a moment ago is still here until the session has taken the answer.
        unanswered = (each for each in self._open.values() if each.panel is None or not each.panel.is_closed)
        waiting = next(unanswered, None)
        return waiting is not None and self._go_to(waiting)

    def go_back_to(self, request_id: str) -> None:
        """The person has closed what they opened out of a prompt: what they type from now on is for it."""
        waiting = self._open.get(request_id)
        if waiting is not None and waiting.panel is not None and not waiting.panel.is_closed:
            self._go_to(waiting)

    def _go_to(self, waiting: _Open) -> bool:
        if waiting.panel is None:
            self._show(waiting)
        panel = waiting.panel
        if panel is None:
            return False
        block = waiting.block
        if isinstance(block, AgentBlock) and not block.is_expanded:
            block.toggle()
            self._view.transcript.touch(block)
        self._view.take_changes()
        self._view.show_panel(block, waiting.name)
        self._safe_typing.focus_taken(panel.request_id)
        self._focus(panel)
        return True

    def hide(self, request_id: str) -> None:
        """Out of the way, without an answer."""
        waiting = self._open.get(request_id)
        if waiting is not None and waiting.panel is not None:
            self._safe_typing.put_aside(request_id)
            self._focus(self._composer)
            self._view.remove_panel(waiting.block, waiting.name)
            waiting.panel = None

    def route(self, event: events.Key | events.Paste | events.MouseDown) -> None:
        """Before it goes where it belongs; what was typed for the composer goes there."""
        if not self._screen.is_active:
            self._take_note(event)
        elif self._open:
            # Not at the top: the first frame has no prompts.
            from code_assistant.tui.prompts.routing import route_input

            route_input(event, self._screen, self._composer, self._safe_typing)
        elif not isinstance(event, events.MouseDown):
            self._safe_typing.key_pressed(event.time)
        self.composer_changed()

    def _take_note(self, event: events.Key | events.Paste | events.MouseDown) -> None:
        """It goes to what is open over the screen, and over the prompts, which nobody sees meanwhile."""
        if isinstance(event, events.MouseDown):
            self._safe_typing.mouse_pressed(event.time)
        else:
            self._safe_typing.key_pressed(event.time)
        for request_id in self._open:
            self._safe_typing.out_of_sight(request_id)

    def composer_changed(self) -> None:
        # Whoever looks for something to write is writing.
        is_empty = self._composer.is_empty and not self._composer.is_popup_open
        self._safe_typing.composer_changed(is_empty=is_empty, has_focus=self._composer.has_focus)

    def begin_again(self) -> None:
        """The terminal was somebody else's: no prompt has the focus, and each of them is as if it came up now."""
        if any(waiting.panel is not None and waiting.panel.has_focus for waiting in self._open.values()):
            self._focus(self._composer)
        self._safe_typing.begin_again()

    def set_palette(self, palette: Palette) -> None:
        self._palette = palette
        for waiting in self._open.values():
            if waiting.panel is not None:
                waiting.panel.set_palette(palette)

    def clear(self) -> None:
        for request_id in list(self._open):
            self.remove(request_id)

    def close(self) -> None:
        self._timer.close()

    def add(self, prompt: Prompt) -> bool:
        """Show one that came up; False where it has no place."""
        # What a sub-agent asks stands in its own block, and not where its tool calls have none.
        of_agent = prompt.origin.tool_call_id if prompt.origin.depth > 1 else None
        block = self._view.transcript.find(of_agent or prompt.tool_call_id)
        if not isinstance(block, ToolBlock | AgentBlock):
            # Every prompt belongs to a tool call that has begun; without its block there is nowhere to show it.
            return False
        waiting = _Open(prompt, block, None)
        self._open[prompt.request_id] = waiting
        self._safe_typing.came_up(prompt.request_id)
        self._show(waiting)
        self.composer_changed()
        return True

    def _show(self, waiting: _Open) -> None:
        # Not at the top: the first frame has no prompts.
        from code_assistant.events import Choice, PermissionRequested, PlanPresented, QuestionAsked
        from code_assistant.tui.prompts.permission import PermissionPanel
        from code_assistant.tui.prompts.plan import PlanPanel
        from code_assistant.tui.prompts.question import QuestionPanel
        from code_assistant.tui.prompts.trust import TrustAsked, TrustPanel

        prompt, mask = waiting.prompt, self._mask
        around = (self._palette, self._safe_typing, self._own_keys)
        match prompt:
            case PermissionRequested(action=action, detail=detail, rule=rule):
                prompt = replace(
                    prompt,
                    action=mask(action),
                    detail=mask(detail),
                    rule=None if rule is None else mask(rule),
                    more_rules=tuple(map(mask, prompt.more_rules)),
                    reason=mask(prompt.reason),
                    no_rule=mask(prompt.no_rule),
                )
                waiting.panel = PermissionPanel(prompt, *around)
            case QuestionAsked(question=question, choices=choices):
                choices = tuple(Choice(mask(each.label), mask(each.description)) for each in choices)
                prompt = replace(prompt, question=mask(question), choices=choices)
                waiting.panel = QuestionPanel(prompt, *around)
            case PlanPresented(plan=plan):
                waiting.panel = PlanPanel(replace(prompt, plan=mask(plan)), *around)
            case TrustAsked():
                waiting.panel = TrustPanel(prompt, *around)
        self._view.add_panel(waiting.block, waiting.panel, waiting.name)

    def remove(self, request_id: str) -> None:
        """One was answered or withdrawn."""
        waiting = self._open.get(request_id)
        if waiting is None:
            return
        if waiting.panel is not None:
            # The focus goes first: a key that comes meanwhile must find somebody who takes it.
            if waiting.panel.has_focus:
                self._focus(self._composer)
            waiting.panel.close()
            self._view.remove_panel(waiting.block, waiting.name)
        self._safe_typing.gone(request_id)
        del self._open[request_id]

    def _focus(self, widget: Widget) -> None:
        # At once; `widget.focus()` would leave the next key to whoever had the focus before.
        self._screen.set_focus(widget, scroll_visible=False)

    def _move_focus(self, request_id: str) -> bool:
        waiting = self._open.get(request_id)
        if waiting is None or waiting.panel is None or not self._composer.has_focus or self._composer.is_popup_open:
            return False
        if not waiting.panel.is_in_sight:
            return False
        self._focus(waiting.panel)
        return True
