"""A tiny app with a composer and prompts above it, wired the way the real screen wires them; its clock is ours."""

from __future__ import annotations

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.pilot import Pilot
from textual.widgets import TextArea

from code_assistant.events import (
    MAIN,
    Choice,
    DetailForm,
    Origin,
    PermissionRequested,
    PlanPresented,
    QuestionAsked,
)
from code_assistant.tui.prompts.focus_timer import FocusTimer
from code_assistant.tui.prompts.messages import (
    Hidden,
    PermissionAnswered,
    PlanApproved,
    PlanRejected,
    PromptMessage,
    QuestionAnswered,
    QuestionDismissed,
)
from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.prompts.permission import PermissionPanel
from code_assistant.tui.prompts.plan import PlanPanel
from code_assistant.tui.prompts.question import QuestionPanel
from code_assistant.tui.prompts.routing import route_input
from code_assistant.tui.prompts.safe_typing import SafeTyping
from code_assistant.tui.rendering.palette import Palette
from tests.tui.look import PALETTE

CHILD = Origin("agent_2", "explore-2", 2, "main", "call_1")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Host(App[None]):
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #prompts { height: 1fr; }
    TextArea { height: 4; }
    """

    def __init__(self, palette: Palette = PALETTE, own_keys: dict[str, str] | None = None) -> None:
        super().__init__()
        self.palette = palette
        self.own_keys = own_keys or {}
        self.set_keymap(self.own_keys)
        self.now = Clock()
        self.safe_typing = SafeTyping(self.now, lambda: None)
        # Never left to itself: tests call `look` when their clock says so.
        self.focus_timer = FocusTimer(self.safe_typing, self.now, self.move_focus)
        self.answers: list[PromptMessage] = []
        self.hidden: list[str] = []

    def compose(self) -> ComposeResult:
        yield Vertical(id="prompts")
        yield TextArea(id="composer")

    def on_mount(self) -> None:
        self.screen.set_focus(self.composer)
        self.tell_composer()

    @property
    def composer(self) -> TextArea:
        return self.query_one("#composer", TextArea)

    @property
    def panels(self) -> list[PromptPanel]:
        return list(self.query(PromptPanel))

    def tell_composer(self) -> None:
        self.safe_typing.composer_changed(
            is_empty=not self.composer.text, has_focus=self.screen.focused is self.composer
        )

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded:
            event.time = self.now()
            route_input(event, self.screen, self.composer, self.safe_typing)  # type: ignore[arg-type]
        await super().on_event(event)

    def on_text_area_changed(self) -> None:
        self.tell_composer()

    def on_descendant_focus(self) -> None:
        self.tell_composer()

    def on_descendant_blur(self) -> None:
        self.tell_composer()

    # Prompts come and go

    async def ask(self, panel: PromptPanel) -> PromptPanel:
        await self.query_one("#prompts").mount(panel)
        return panel

    def withdraw(self, panel: PromptPanel) -> None:
        if self.screen.focused is panel:
            self.screen.set_focus(self.composer)
        panel.close()
        panel.remove()

    def move_focus(self, request_id: str) -> bool:
        panel = next(each for each in self.panels if each.request_id == request_id)
        self.screen.set_focus(panel)
        return True

    def take(self, panel: PromptPanel) -> None:
        """F8."""
        self.safe_typing.focus_taken(panel.request_id)
        self.screen.set_focus(panel)

    def wait(self, seconds: float) -> None:
        self.now.now += seconds
        self.tell_composer()
        self.focus_timer.look()
        self.focus_timer.close()

    def _answered(self, message: PromptMessage) -> None:
        self.answers.append(message)
        for panel in self.panels:
            if panel.request_id == message.request_id:
                self.withdraw(panel)

    def on_permission_answered(self, message: PermissionAnswered) -> None:
        self._answered(message)

    def on_question_answered(self, message: QuestionAnswered) -> None:
        self._answered(message)

    def on_question_dismissed(self, message: QuestionDismissed) -> None:
        self._answered(message)

    def on_plan_approved(self, message: PlanApproved) -> None:
        self._answered(message)

    def on_plan_rejected(self, message: PlanRejected) -> None:
        self._answered(message)

    def on_hidden(self, message: Hidden) -> None:
        self.hidden.append(message.request_id)
        self.screen.set_focus(self.composer)

    # Prompts to ask

    def permission(
        self,
        detail: str = "make test",
        *,
        action: str = "run a command",
        rule: str | None = "Bash(make test)",
        form: DetailForm = "text",
        origin: Origin = CHILD,
        request_id: str = "permission_1",
    ) -> PermissionPanel:
        request = PermissionRequested(origin, request_id, "call_9", "tool", action, detail, form, rule)
        return PermissionPanel(request, self.palette, self.safe_typing, self.own_keys)

    def question(
        self,
        choices: tuple[Choice, ...] = (Choice("PostgreSQL", "the one in production"), Choice("SQLite")),
        *,
        text: str = "Which database?",
        several: bool = False,
        request_id: str = "question_1",
    ) -> QuestionPanel:
        asked = QuestionAsked(MAIN, request_id, "call_9", text, choices, several)
        return QuestionPanel(asked, self.palette, self.safe_typing, self.own_keys)

    def plan(self, text: str = "# Plan\n\n1. Read\n2. Write", *, request_id: str = "plan_1") -> PlanPanel:
        presented = PlanPresented(MAIN, request_id, "call_9", text)
        return PlanPanel(presented, self.palette, self.safe_typing, self.own_keys)


async def mouse(pilot: Pilot[None], kind: type[events.MouseEvent], panel: PromptPanel, column: int, row: int) -> None:
    """The mouse, by the way real terminals take; Pilot's own goes past the app."""
    x, y = panel.region.x + column, panel.region.y + row
    pilot.app.post_message(kind(None, x, y, 0, 0, 1, False, False, False, x, y))
    await pilot.pause()


def shown(panel: PromptPanel) -> list[str]:
    """The rows of a panel as they are painted."""
    return [panel.render_line(y).text for y in range(panel.size.height)]
