"""A window to write a rule in: while it is typed, the words below say what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key, Paste
from textual.widget import Widget

from code_assistant.sanitize import sanitize_line
from code_assistant.tui.frame.spans import Role, Span, plain
from code_assistant.tui.pickers.dialog import Dialog
from code_assistant.tui.pickers.picker import FilterLine
from code_assistant.tui.pickers.text_view import Paragraph, TextView
from code_assistant.tui.pickers.typing import after_key

LONGEST_RULE = 2_000
EXAMPLES = (
    "Bash(npm run test:*) · Bash(make) · Edit(src/**) · Read(.env) · WebFetch(domain:example.org) · Agent(explore)"
)
IS_A_RULE = "This is a rule. Enter takes it."


class RuleEntry(Dialog[str | None]):
    """Gives the text of a rule, None on Esc. What is no rule is not taken; `problem` says why it is none."""

    EXTRA_ROWS = 1
    AUTO_FOCUS = ""
    DEFAULT_CSS = "RuleEntry > .dialog { max-width: 76; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Cancel"),
        Binding("enter", "take", "Take"),
    ]

    def __init__(self, problem: Callable[[str], str]) -> None:
        super().__init__("Add a rule", "enter take · esc cancel · ctrl+u clear")
        self._problem = problem
        self._line = FilterLine("write it here")
        self._words = TextView(_words(EXAMPLES, "muted"))

    def make_body(self) -> Widget:
        return self._words

    def above_body(self) -> ComposeResult:
        yield self._line

    def action_take(self) -> None:
        text = self._line.query_text.strip()
        if text and not self._problem(text):
            self.dismiss(text)

    def on_key(self, event: Key) -> None:
        text = after_key(event, self._line.query_text)
        if text is not None:
            self._set(text)

    def on_paste(self, event: Paste) -> None:
        event.stop()
        self._set(self._line.query_text + plain(event.text))

    def _set(self, text: str) -> None:
        self._line.query_text = text[:LONGEST_RULE]
        self._line.refresh()
        written = self._line.query_text.strip()
        problem = self._problem(written) if written else EXAMPLES
        role: Role = "warning" if written else "muted"
        self._words.show(_words(problem, role) if problem else _words(IS_A_RULE, "success"))


def _words(text: str, role: Role) -> list[Paragraph]:
    return [Paragraph((Span(sanitize_line(text), role),))]
