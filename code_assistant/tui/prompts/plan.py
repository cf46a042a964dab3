"""A finished plan waits to be approved."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from code_assistant.events import PlanPresented
from code_assistant.sanitize import sanitize
from code_assistant.tui.prompts.buttons import Button
from code_assistant.tui.prompts.messages import PlanApproved, PlanRejected
from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.prompts.safe_typing import SafeTyping
from code_assistant.tui.rendering.markdown import markdown_rows
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Row

BUTTONS = (
    Button("ask", "y", "Approve, ask before edits"),
    Button("accept_edits", "a", "Approve, accept edits"),
    Button("keep_planning", "n", "Keep planning …"),
)


class PlanPanel(PromptPanel):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "ask", "Approve; edits are asked about", show=False, id="prompt.approve_ask"),
        Binding("a", "accept_edits", "Approve; edits are accepted", show=False, id="prompt.approve_edits"),
        Binding("n,r", "keep_planning", "Keep planning, and say why", show=False, id="prompt.keep_planning"),
    ]

    def __init__(self, presented: PlanPresented, palette: Palette, safe_typing: SafeTyping) -> None:
        super().__init__(presented.request_id, presented.origin, palette, safe_typing)
        self._plan = sanitize(presented.plan).expandtabs(4)

    def title(self) -> str:
        return "has a plan"

    def buttons(self) -> tuple[Button, ...]:
        return BUTTONS

    def body_rows(self, width: int) -> list[Row]:
        return markdown_rows(self._plan, width, self._palette)

    def hints(self) -> list[str]:
        return ["←→ enter choose"]

    def editor_label(self) -> str:
        return "keep planning"

    def act(self, action: str) -> None:
        match action:
            case "ask" | "accept_edits" if not self.is_subject_known:
                pass
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
