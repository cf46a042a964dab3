"""A finished plan waits to be approved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.binding import BindingType

from code_assistant.events import PlanPresented
from code_assistant.sanitize import sanitize
from code_assistant.tui.keys import PLAN_KEYS, bindings
from code_assistant.tui.prompts.buttons import Button
from code_assistant.tui.prompts.messages import PlanApproved, PlanRejected
from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.prompts.safe_typing import SafeTyping
from code_assistant.tui.rendering.markdown import markdown_rows
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Row


class PlanPanel(PromptPanel):
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(PLAN_KEYS)]

    def __init__(
        self,
        presented: PlanPresented,
        palette: Palette,
        safe_typing: SafeTyping,
        own_keys: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(presented.request_id, presented.origin, palette, safe_typing, own_keys)
        self._plan = sanitize(presented.plan).expandtabs(4)
        self._buttons = (
            Button("ask", self.key("approve"), "Approve, ask before edits"),
            Button("accept_edits", self.key("approve_with_edits"), "Approve, accept edits"),
            Button("keep_planning", self.key("keep_planning"), "Keep planning …"),
        )

    def title(self) -> str:
        return "has a plan"

    def buttons(self) -> tuple[Button, ...]:
        return self._buttons

    def body_rows(self, width: int) -> list[Row]:
        return markdown_rows(self._plan, width, self._palette)

    def hints(self) -> list[str]:
        return ["←→ enter choose"]

    def editor_label(self) -> str:
        return "keep planning"

    def act(self, action: str) -> None:
        match action:
            case "ask" | "accept_edits" if not self.is_subject_known:
                self.say_to_read()
            case "ask":
                self.answer(PlanApproved(self.request_id, "ask"))
            case "accept_edits":
                self.answer(PlanApproved(self.request_id, "accept-edits"))
            case "keep_planning":
                self.open_editor()
            case _:
                pass

    def submit(self, text: str) -> None:
        self.answer(PlanRejected(self.request_id, text))
