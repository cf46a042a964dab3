"""A question of the model: choices to pick from, an answer in one's own words, or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import BindingType

from code_assistant.events import QuestionAsked
from code_assistant.sanitize import sanitize, sanitize_line
from code_assistant.tui.keys import MOST_CHOICES, QUESTION_KEYS, bindings
from code_assistant.tui.prompts.buttons import Button
from code_assistant.tui.prompts.messages import QuestionAnswered, QuestionDismissed
from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.prompts.safe_typing import SafeTyping
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Prefix, Row, blank_row, wrapped_rows

SEND = Button("send", "⏎", "Send")


class QuestionPanel(PromptPanel):
    """Where one choice is enough, picking it answers; of several, each is switched on and off until all are sent."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(QUESTION_KEYS)]

    def __init__(
        self,
        asked: QuestionAsked,
        palette: Palette,
        safe_typing: SafeTyping,
        own_keys: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(asked.request_id, asked.origin, palette, safe_typing, own_keys)
        self._asked = asked
        others = (
            Button("own_words", self.key("own_words"), "Own words …"),
            Button("dismiss", self.key("no_answer"), "Do not answer"),
        )
        self._buttons = (SEND, *others) if asked.several else others
        with_keys = range(1, min(len(asked.choices), MOST_CHOICES) + 1)
        self._choice_keys = tuple(self.key(f"choose_{number}") for number in with_keys)
        self._cursor: int | None = None
        self._chosen: set[int] = set()
        self._entry_rows: list[range] = []

    def on_focus(self, event: events.Focus) -> None:
        if self._is_open and self._editor is None:
            # Whoever has the focus here can do nothing but write.
            self.open_editor()
        # Keys of choices look like keys only while they are.
        self.redraw()

    def on_blur(self) -> None:
        if self._is_open and self._editor is not None and not self._editor.text:
            self._editor = None
        self.redraw()

    @property
    def _is_open(self) -> bool:
        """Whether nothing is offered to choose from: then what is typed is the answer."""
        return not self._asked.choices and not self.is_closed

    def passes_on(self, event: events.Key | events.Paste) -> bool:
        """The first letter decides: if it counts, what is typed is the answer, with all that follows."""
        is_begun = self._editor is not None and bool(self._editor.text)
        is_typed = isinstance(event, events.Paste) or event.is_printable
        if not self._is_open or is_begun or not is_typed:
            return super().passes_on(event)
        if self._safe_typing.is_by_person(self.request_id):
            return False
        return not self._safe_typing.key_counts(self.request_id, event.time)

    def on_key(self, event: events.Key) -> None:
        """Before the panel looks at it: a letter that is no key here begins an answer."""
        if self._is_open and self._editor is None and event.is_printable and self._bound_action(event) is None:
            self.open_editor()

    def on_paste(self, event: events.Paste) -> None:
        if self._is_open and self._editor is None:
            self.open_editor()

    def title(self) -> str:
        return "asks"

    def buttons(self) -> tuple[Button, ...]:
        return self._buttons

    def body_rows(self, width: int) -> list[Row]:
        palette = self._palette
        question = sanitize(self._asked.question).expandtabs(4).strip("\n")
        rows = wrapped_rows([(question, palette.strong)], width)
        if self._asked.choices:
            rows.append(blank_row())
        self._entry_rows = []
        for index in range(len(self._asked.choices)):
            first = len(rows)
            rows += self._choice_rows(index, width)
            self._entry_rows.append(range(first, len(rows)))
        return rows

    def hints(self) -> list[str]:
        keys = self._choice_keys
        if not keys:
            return [f"{self.key('own_words')} or enter to write an answer"]
        are_numbers = keys == tuple(str(number) for number in range(1, len(keys) + 1))
        shown = f"1-{len(keys)}" if are_numbers and len(keys) > 1 else " ".join(keys)
        if self._asked.several:
            return [f"{shown} or {self.key('switch_choice')} choose", "enter sends"]
        return [f"{shown} answer", "↑↓ enter choose"]

    def editor_label(self) -> str:
        return "answer"

    def body_target(self, row: int) -> str | None:
        for index, rows in enumerate(self._entry_rows):
            if row in rows:
                return f"choose_{index + 1}"
        return None

    def act(self, action: str) -> None:
        match action:
            case "own_words":
                self.open_editor()
            case "dismiss":
                self.answer(QuestionDismissed(self.request_id))
            case "toggle":
                self._choose(self._cursor)
            case "send":
                self._send("")
            case _:
                self._choose(int(action.removeprefix("choose_")) - 1)

    def submit(self, text: str) -> None:
        self._send(text)

    def activate(self) -> None:
        if self._marked is not None:
            super().activate()
        elif not self._asked.choices:
            self.open_editor()
        elif self._asked.several:
            self._send("")
        else:
            self._choose(self._cursor)

    def move(self, rows: int) -> None:
        """Up and down walk the choices, and scroll as far as that needs."""
        count = len(self._asked.choices)
        if not count:
            super().move(rows)
            return
        first = 0 if rows > 0 else count - 1
        self._cursor = first if self._cursor is None else max(0, min(self._cursor + rows, count - 1))
        self._marked = None
        self.redraw()
        self._show_cursor(self._cursor)

    def _show_cursor(self, cursor: int) -> None:
        height = self.parts.body
        rows = self._entry_rows[cursor]
        # The first choice brings the question into sight, too.
        top = 0 if cursor == 0 else rows.start
        if rows.stop > self._top + height:
            self._top = rows.stop - height
        self._top = self.clamped_top(min(self._top, top))

    def _choose(self, index: int | None) -> None:
        if index is None or index >= len(self._asked.choices):
            return
        if not self._asked.several:
            self.answer(QuestionAnswered(self.request_id, self._asked.choices[index].label))
            return
        self._chosen ^= {index}
        self._cursor = index
        self.redraw()

    def _send(self, own_words: str) -> None:
        """Nothing chosen and nothing written is no answer."""
        labels = [choice.label for index, choice in enumerate(self._asked.choices) if index in self._chosen]
        answers = [*labels, own_words] if own_words else labels
        if answers:
            self.answer(QuestionAnswered(self.request_id, ", ".join(answers)))

    def _choice_rows(self, index: int, width: int) -> list[Row]:
        palette, choice = self._palette, self._asked.choices[index]
        is_here, is_chosen = index == self._cursor, index in self._chosen
        box = ("[x] " if is_chosen else "[ ] ") if self._asked.several else ""
        pointer = ("❯ ", palette.cursor) if is_here else ("  ", palette.text)
        column = max(map(cell_len, self._choice_keys)) + 1
        mark = self._choice_keys[index] if index < MOST_CHOICES else str(index + 1)
        key = (mark.ljust(column), palette.cursor if self.takes_keys else palette.muted)
        indent = " " * (2 + column + len(box))
        style = palette.cursor if is_here else palette.strong if is_chosen else palette.text
        prefix = Prefix((pointer, key, (box, style)), ((indent, palette.text),))
        rows = wrapped_rows([(sanitize_line(choice.label), style)], width, prefix)
        if choice.description:
            below = Prefix(((indent, palette.text),), ((indent, palette.text),))
            description = sanitize(choice.description).expandtabs(4).strip("\n")
            rows += wrapped_rows([(description, palette.muted)], width, below)
        return rows
