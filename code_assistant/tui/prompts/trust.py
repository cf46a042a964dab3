"""A folder is new here: nothing of it is read before the person says how to go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual.binding import BindingType

from code_assistant.events import MAIN, Origin
from code_assistant.tui.keys import TRUST_KEYS, bindings
from code_assistant.tui.prompts.buttons import Button
from code_assistant.tui.prompts.exact import escaped_line, exact_rows
from code_assistant.tui.prompts.messages import QuitWanted, TrustAnswered, TrustListWanted
from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.prompts.safe_typing import SafeTyping
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Prefix, Row, wrapped_rows
from code_assistant.tui.start import TrustAnswer, TrustQuestion

# How many names of a kind are shown; the rest is counted.
MAX_NAMES = 20
NOTHING_YET = "Nothing of it counts so far, and nothing of it was run."
WOULD_COUNT = "Here, and active once you trust it:"
PLAIN = (
    "Nothing that would become active lies here. Instructions that come later would count; settings are asked about."
)
TRUSTING: dict[str, TrustAnswer] = {"keep": "keep", "once": "once"}


@dataclass(frozen=True, slots=True)
class TrustAsked:
    """The question as a prompt among the others; it belongs to no tool call, but to a block of its own."""

    request_id: str
    tool_call_id: str
    question: TrustQuestion
    origin: Origin = MAIN


class TrustPanel(PromptPanel):
    """The first button is the one that gives nothing away."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(TRUST_KEYS)]

    def __init__(
        self,
        asked: TrustAsked,
        palette: Palette,
        safe_typing: SafeTyping,
        own_keys: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(asked.request_id, asked.origin, palette, safe_typing, own_keys)
        self._asker = "This folder"
        self._question = asked.question
        buttons = [
            Button("without", self.key("work_without"), "Work without trusting it"),
            Button("keep", self.key("trust_folder"), "Trust this folder"),
            Button("once", self.key("trust_once"), "Trust it in this run"),
            Button("list", self.key("trust_list"), "List what stands in it"),
            Button("quit", self.key("trust_quit"), "Quit"),
        ]
        if not self._has_contents:
            del buttons[3]
        self._buttons = tuple(buttons)

    def title(self) -> str:
        if self._question.changed:
            return "has changed: trust it still?"
        return "is new here: do you trust it?" if self._question.is_first else "is not trusted: trust it now?"

    def buttons(self) -> tuple[Button, ...]:
        return self._buttons

    def body_rows(self, width: int) -> Sequence[Row]:
        question, palette = self._question, self._palette
        rows = exact_rows(escaped_line(question.root), width, palette, palette.strong)
        for words in question.problems:
            rows += wrapped_rows([(f"! {escaped_line(words)}", palette.warning)], width)
        if question.changed:
            rows += self._named("Changed since you trusted it", question.changed, width, palette.warning)
        if question.parts:
            rows += wrapped_rows([(WOULD_COUNT, palette.text)], width)
        for kind, names in question.parts:
            rows += self._named(kind, names, width, palette.text)
        if not question.parts:
            rows += wrapped_rows([(PLAIN, palette.text)], width)
        return rows

    def note_rows(self, width: int) -> list[Row]:
        is_untouched = self._question.is_first and not self._question.changed
        return wrapped_rows([(NOTHING_YET, self._palette.muted)], width) if is_untouched else []

    def hints(self) -> list[str]:
        return ["←→ enter choose"]

    def act(self, action: str) -> None:
        match action:
            case "without":
                self.answer(TrustAnswered(self.request_id, "without"))
            case "keep" | "once" if not self.is_subject_known:
                self.say_to_read()
            case "keep" | "once":
                self.answer(TrustAnswered(self.request_id, TRUSTING[action]))
            case "list" if self._has_contents:
                # Whoever looks closer stays at the question, also while the list is not there yet or no longer.
                self._safe_typing.focus_taken(self.request_id)
                self.post_message(TrustListWanted(self.request_id))
            case "quit":
                self.post_message(QuitWanted(self.request_id))
            case _:
                pass

    @property
    def _has_contents(self) -> bool:
        """Whether there is more than a repository."""
        return any(names != (".git",) for _, names in self._question.parts)

    def _named(self, words: str, names: Sequence[str], width: int, style: Style) -> list[Row]:
        palette = self._palette
        shown = ", ".join(escaped_line(name) for name in names[:MAX_NAMES])
        rest = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        prefix = Prefix((("- ", palette.muted),), (("  ", palette.muted),))
        return wrapped_rows([(f"{words}: ", style), (shown + rest, palette.strong)], width, prefix)
