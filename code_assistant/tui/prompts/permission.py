"""A tool call waits for a yes or a no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.binding import BindingType

from code_assistant.events import PermissionRequested
from code_assistant.permissions.answers import PermissionAnswer
from code_assistant.tui.keys import PERMISSION_KEYS, bindings
from code_assistant.tui.prompts.buttons import Button
from code_assistant.tui.prompts.details import detail_rows
from code_assistant.tui.prompts.exact import escaped_line, exact_rows, stand_ins_in
from code_assistant.tui.prompts.lazy_rows import joined_rows
from code_assistant.tui.prompts.messages import PermissionAnswered
from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.prompts.safe_typing import SafeTyping
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Row, one_row, wrapped_rows
from code_assistant.tui.rendering.wrapping import cut_to_cells

LABEL_CELLS = 28
RULE_ROWS = 2
REASON_ROWS = 2
STORES = "always would store: "
AND_STORES = "              and: "
THIS_COMMAND = "exactly the whole of the above"
NO_RULE = "no “always” here: no rule is narrow enough"
ALLOWING = {"once", "agent", "session"}
ANSWERS: dict[str, PermissionAnswer] = {"once": "once", "agent": "agent", "session": "session", "deny": "deny"}


class PermissionPanel(PromptPanel):
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(PERMISSION_KEYS)]

    def __init__(
        self,
        request: PermissionRequested,
        palette: Palette,
        safe_typing: SafeTyping,
        own_keys: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(request.request_id, request.origin, palette, safe_typing, own_keys)
        self._request = request
        # Whoever made a diff has marked the ends of its lines where they matter.
        self._detail = request.detail.replace("\r\n", "\n") if request.form == "diff" else request.detail
        self._buttons = self._make_buttons()

    def title(self) -> str:
        return f"wants to {escaped_line(self._request.action)}"

    def buttons(self) -> tuple[Button, ...]:
        return self._buttons

    def body_rows(self, width: int) -> Sequence[Row]:
        request, palette = self._request, self._palette
        rows = detail_rows(self._detail, request.form, width, palette)
        if len(self._rule_rows(width)) > RULE_ROWS:
            return joined_rows(rows, [Row(()), *self._rule_rows(width)])
        return rows

    def note_rows(self, width: int) -> list[Row]:
        palette = self._palette
        rows: list[Row] = []
        stand_ins = stand_ins_in(self._detail)
        if stand_ins:
            words = "invisible character" if len(stand_ins) == 1 else "invisible characters"
            text = f"! {len(stand_ins)} {words}, shown like {stand_ins[0]}"
            rows += wrapped_rows([(text, palette.warning)], width)
        if self._request.reason:
            text = f"asked because {escaped_line(self._request.reason)}"
            rows += wrapped_rows([(cut_to_cells(text, 2 * width), palette.muted)], width)[:REASON_ROWS]
        if self._request.rule is None:
            return [*rows, *wrapped_rows([(NO_RULE, palette.muted)], width)]
        rule = self._rule_rows(width)
        if len(rule) > RULE_ROWS:
            # Too long to stand here whole, so the whole of it is below the detail.
            rule = [one_row([(STORES + escaped_line(", ".join(self._rules)), palette.muted)], width)]
        return rows + rule

    def hints(self) -> list[str]:
        return ["←→ enter choose"]

    def editor_label(self) -> str:
        return "deny, because"

    def act(self, action: str) -> None:
        if action == "reason":
            self.open_editor()
        elif action in ALLOWING and not self.is_subject_known:
            pass
        elif action in ANSWERS and any(button.action == action for button in self._buttons):
            self.answer(PermissionAnswered(self.request_id, ANSWERS[action]))

    def submit(self, text: str) -> None:
        self.answer(PermissionAnswered(self.request_id, "deny", text))

    @property
    def _rules(self) -> tuple[str, ...]:
        return () if self._request.rule is None else (self._request.rule, *self._request.more_rules)

    def _rule_rows(self, width: int) -> list[Row]:
        """Each rule that would be stored, whole; the further ones below the first."""
        palette = self._palette
        words = [STORES, *([AND_STORES] * (len(self._rules) - 1))]
        return [
            row
            for before, rule in zip(words, self._rules, strict=False)
            for row in exact_rows(before + self._shown(rule), width, palette, palette.muted)
        ]

    def _shown(self, rule: str) -> str:
        tool, _, inside = rule.partition("(")
        is_the_detail = inside.removesuffix(")").strip() == self._detail.strip().replace("*", "\\*")
        # It stands above, whole; twice it would only hide what else there is.
        return f"{tool}({THIS_COMMAND})" if is_the_detail and "\n" in inside else rule

    def _make_buttons(self) -> tuple[Button, ...]:
        once, deny = Button("once", self.key("allow_once"), "Allow once"), Button("deny", self.key("deny"), "Deny")
        reason = Button("reason", self.key("deny_with_reason"), "Deny …")
        if self._request.rule is None:
            return (once, deny, reason)
        rule = cut_to_cells(", ".join(map(_short, self._rules)), LABEL_CELLS)
        agent = Button("agent", self.key("allow_agent"), f"Always for {cut_to_cells(self._asker, LABEL_CELLS)}")
        session = Button("session", self.key("allow_session"), f"Always: {rule}")
        return (once, agent, session, deny, reason)


def _short(rule: str) -> str:
    """What the rule is about, without the name of the tool."""
    _, bracket, inside = escaped_line(rule).partition("(")
    return inside.removesuffix(")").removeprefix("domain:") if bracket else escaped_line(rule)
