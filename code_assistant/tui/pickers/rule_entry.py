"""A window to write a rule in: while it is typed, the words below say what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.widget import Widget

from code_assistant.sanitize import sanitize_line
from code_assistant.tui.frame.spans import Role, Span, plain
from code_assistant.tui.pickers.line_entry import LineEntry
from code_assistant.tui.pickers.picker import FilterLine
from code_assistant.tui.pickers.text_view import Paragraph, TextView

EXAMPLES = (
    "Bash(npm run test:*) · Bash(make) · Edit(src/**) · Read(.env) · WebFetch(domain:example.org) · Agent(explore)"
)
IS_A_RULE = "This is a rule. Enter takes it."


class RuleEntry(LineEntry):
    """What is no rule is not taken; `problem` says why it is none."""

    LONGEST = 2_000

    def __init__(self, problem: Callable[[str], str], title: str = "Add a rule", before: str = "") -> None:
        super().__init__(title, "enter take · esc cancel · ctrl+u clear")
        self._problem = problem
        self.written = before
        self._line = FilterLine("write it here")
        self._words = TextView(_words(EXAMPLES, "muted"))

    def make_body(self) -> Widget:
        return self._words

    def above_body(self) -> ComposeResult:
        yield self._line

    def on_mount(self) -> None:
        self.show_written()

    def action_take(self) -> None:
        text = self.written.strip()
        if text and not self._problem(text):
            self.dismiss(text)

    def cleaned(self, pasted: str) -> str:
        return plain(pasted)

    def show_written(self) -> None:
        self._line.query_text = self.written
        self._line.refresh()
        text = self.written.strip()
        problem = self._problem(text) if text else EXAMPLES
        role: Role = "warning" if text else "muted"
        self._words.show(_words(problem, role) if problem else _words(IS_A_RULE, "success"))


def _words(text: str, role: Role) -> list[Paragraph]:
    return [Paragraph((Span(sanitize_line(text), role),))]
