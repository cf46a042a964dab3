"""A tool call waits for a yes or a no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import BindingType

from code_assistant.events import PermissionRequested
from code_assistant.permissions.answers import PermissionAnswer
from code_assistant.tui.keys import PERMISSION_KEYS, bindings
from code_assistant.tui.prompts.buttons import Button
from code_assistant.tui.prompts.details import detail_rows
from code_assistant.tui.prompts.exact import escaped_line, exact_rows, one_line, stand_ins_in
from code_assistant.tui.prompts.lazy_rows import joined_rows
from code_assistant.tui.prompts.messages import PermissionAnswered
from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.prompts.safe_typing import SafeTyping
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Row, one_row, wrapped_rows
from code_assistant.tui.rendering.wrapping import cut_to_cells

LABEL_CELLS = 28
RULE_ROWS = 2
WORDS_ROWS = 3
STORES = "always would store: "
AND_STORES = "and: ".rjust(len(STORES))
THIS_COMMAND = "exactly the whole of the above"
NO_ALWAYS = "no “always” here: "
NO_RULE = "no rule is narrow enough"
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
        if self._are_rules_in_note(width):
            return rows
        return joined_rows(rows, [Row(()), *self._rule_rows(width)])

    def note_rows(self, width: int) -> list[Row]:
        palette = self._palette
        rows: list[Row] = []
        stand_ins = stand_ins_in(self._detail)
        if stand_ins:
            words = "invisible character" if len(stand_ins) == 1 else "invisible characters"
            text = f"! {len(stand_ins)} {words}, shown like {stand_ins[0]}"
            rows += wrapped_rows([(text, palette.warning)], width)
        if self._request.limits:
            rows += wrapped_rows([(self._request.limits, palette.muted)], width)
        if self._request.reason:
            rows += self._words(f"asked because {self._request.reason}", width)
        if self._request.rule is None:
            return [*rows, *self._words(NO_ALWAYS + (self._request.no_rule or NO_RULE), width)]
        rules = self._rule_rows(width)
        if len(rules) > RULE_ROWS:
            # Where this does not name all of them whole, that is done below the detail.
            named = _with_count([*map(escaped_line, self._rules)], width - len(STORES))
            rules = [one_row([(STORES + named, palette.muted)], width)]
        return rows + rules

    def hints(self) -> list[str]:
        ends = [] if self._request.rule is None else ["“always” ends with the session"]
        return ["←→ enter choose", *ends]

    def editor_label(self) -> str:
        return "deny, because"

    def act(self, action: str) -> None:
        if action == "reason":
            self.open_editor()
        elif action in ALLOWING and not self.is_subject_known:
            self.say_to_read()
        elif action in ANSWERS and any(button.action == action for button in self._buttons):
            self.answer(PermissionAnswered(self.request_id, ANSWERS[action]))

    def submit(self, text: str) -> None:
        self.answer(PermissionAnswered(self.request_id, "deny", text))

    @property
    def _rules(self) -> tuple[str, ...]:
        return () if self._request.rule is None else (self._request.rule, *self._request.more_rules)

    def _words(self, text: str, width: int) -> list[Row]:
        """A note that others have a part in: as long as it may be, and on no line that it did not get."""
        shown = cut_to_cells(escaped_line(text), (WORDS_ROWS + 1) * width)
        rows = wrapped_rows([(shown, self._palette.muted)], width)
        if len(rows) <= WORDS_ROWS:
            return rows
        # Where words end before a row does, all of them may need one row more; that there is more is seen then.
        rest = " ".join(row.text for row in rows[WORDS_ROWS - 1 :])
        return [*rows[: WORDS_ROWS - 1], one_row([(rest, self._palette.muted)], width)]

    def _are_rules_in_note(self, width: int) -> bool:
        fits = cell_len(", ".join(map(escaped_line, self._rules))) <= width - len(STORES)
        return fits or len(self._rule_rows(width)) <= RULE_ROWS

    def _rule_rows(self, width: int) -> list[Row]:
        """Each rule that would be stored, whole and as one line, whatever its text is; the further ones below it."""
        palette = self._palette
        words = [STORES, *([AND_STORES] * (len(self._rules) - 1))]
        return [
            row
            for before, rule in zip(words, self._rules, strict=False)
            for row in exact_rows(before + one_line(self._shown(rule)), width, palette, palette.muted)
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
        rule = _with_count([*map(_short, self._rules)], LABEL_CELLS)
        agent = Button("agent", self.key("allow_agent"), f"Always for {cut_to_cells(self._asker, LABEL_CELLS)}")
        session = Button("session", self.key("allow_session"), f"Always for all: {rule}")
        return (once, agent, session, deny, reason)


def _with_count(rules: Sequence[str], cells: int) -> str:
    """What fits; where that is not all, how many are out of sight is seen."""
    text = ", ".join(rules)
    if len(rules) == 1 or cell_len(text) <= cells:
        return cut_to_cells(text, cells)
    more = f" and {len(rules) - 1} more"
    return cut_to_cells(rules[0], max(cells - len(more), 1)) + more


def _short(rule: str) -> str:
    """What the rule is about, without the name of the tool."""
    _, bracket, inside = escaped_line(rule).partition("(")
    return inside.removesuffix(")").removeprefix("domain:") if bracket else escaped_line(rule)
