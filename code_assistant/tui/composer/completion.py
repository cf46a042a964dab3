"""Completing what is typed after @ or /: the list that is open, and what its keys do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.geometry import Region

from code_assistant.tui.composer.file_finder import FileFinder
from code_assistant.tui.composer.popup import Popup, PopupRow
from code_assistant.tui.composer.ranking import candidate_of, matched_places, score_of
from code_assistant.tui.composer.services import CommandHint
from code_assistant.tui.composer.triggers import Completed, Trigger, completed_command, completed_file


class Completion:
    """Told of every change at the cursor. What it shows always fits what is typed, also before a search has ended."""

    def __init__(
        self,
        popup: Popup,
        finder: FileFinder,
        commands: Callable[[], Sequence[CommandHint]],
        region: Callable[[], Region],
        write: Callable[[Trigger, Completed], None],
    ) -> None:
        self._popup = popup
        self._finder = finder
        self._commands = commands
        self._region = region
        self._write = write
        self._trigger: Trigger | None = None
        # Where the person closed the list: it stays closed for that word.
        self._closed_at: tuple[str, int, int] | None = None
        self._items: list[str] = []
        self._rows: list[PopupRow] = []
        self._marked = 0
        self._has_moved = False

    @property
    def is_open(self) -> bool:
        return self._trigger is not None and bool(self._rows)

    def update(self, trigger: Trigger | None) -> None:
        """The cursor is here now."""
        if trigger is None or trigger.word != self._closed_at:
            self._closed_at = None
        if trigger == self._trigger:
            return
        if trigger is None or self._closed_at is not None:
            self.close()
            return
        is_same_word = (
            self._trigger is not None
            and self._trigger.word == trigger.word
            and trigger.query.startswith(self._trigger.query)
        )
        self._trigger = trigger
        if not is_same_word:
            self._items = []
            self._has_moved = False
        if trigger.kind == "command":
            self._show(matching_commands(self._commands(), trigger.query))
        else:
            self._finder.look(trigger.query)
            self._show([path for path in self._items if _matches(path, trigger.query)])

    def found(self, query: str, paths: list[str]) -> None:
        """The finder has the answer to a query."""
        if self._trigger is not None and self._trigger.kind == "file" and self._trigger.query == query:
            self._show(paths)

    def close(self) -> None:
        if self._trigger is not None:
            self._trigger = None
            self._items, self._rows = [], []
            self._finder.stop()
            self._popup.hide()

    def dismiss(self) -> None:
        """The person does not want it for this word."""
        if self._trigger is not None:
            self._closed_at = self._trigger.word
            self.close()

    def takes(self, key: str) -> bool:
        """Whether a key was for the list."""
        if self._trigger is None or not self._rows:
            return False
        if key == "escape":
            self.dismiss()
            return True
        if not self._items:
            return False
        if key in ("up", "down"):
            self._marked = (self._marked + (1 if key == "down" else -1)) % len(self._items)
            self._has_moved = True
            self._popup.show(self._rows, self._marked, self._region())
            return True
        if key == "enter" and self._is_meant():
            # Written out, and then sent by the same key.
            self.take(self._marked)
            return False
        if key == "tab" or (key == "enter" and not self._is_complete()):
            self.take(self._marked)
            return True
        return False

    def take(self, index: int) -> None:
        """Write the item in place of what was typed of it."""
        trigger = self._trigger
        if trigger is None or not 0 <= index < len(self._items):
            return
        item = self._items[index]
        self.close()
        self._write(trigger, completed_command(item) if trigger.kind == "command" else completed_file(item))

    def _is_meant(self) -> bool:
        """Whether what is typed begins one command only, and that needs nothing more."""
        trigger, marked = self._trigger, self._items[self._marked]
        if trigger is None or trigger.kind != "command" or not trigger.query or self._is_complete():
            return False
        begun = [hint for hint in self._commands() if hint.name.startswith(trigger.query.casefold())]
        return len(begun) == 1 and begun[0].name == marked and not begun[0].argument

    def _is_complete(self) -> bool:
        """Whether all of the marked one is typed already: then Enter is for sending."""
        return self._trigger is not None and self._items[self._marked] == self._trigger.query

    def _show(self, items: list[str]) -> None:
        trigger = self._trigger
        if trigger is None:
            return
        marked = self._items[self._marked] if self._has_moved and self._marked < len(self._items) else None
        self._items = items
        self._marked = items.index(marked) if marked in items else 0
        self._rows = self._rows_of(trigger)
        if self._rows:
            self._popup.show(self._rows, self._marked, self._region())
        else:
            self._popup.hide()

    def _rows_of(self, trigger: Trigger) -> list[PopupRow]:
        if trigger.kind == "command":
            hints = {hint.name: hint for hint in self._commands()}
            return [command_row(hints[name], trigger.query) for name in self._items]
        if not self._items and not self._finder.is_listed:
            return [PopupRow("", "looking for files …")]
        return [PopupRow(path, "", tuple(matched_places(path, trigger.query)), keeps_end=True) for path in self._items]


def command_row(hint: CommandHint, query: str) -> PopupRow:
    label = f"/{hint.name} {hint.argument}".rstrip()
    return PopupRow(label, hint.help, tuple(place + 1 for place in matched_places(hint.name, query)))


def matching_commands(hints: Sequence[CommandHint], query: str) -> list[str]:
    """In their own order while nothing is typed, else best first."""
    if not query:
        return [hint.name for hint in hints]
    folded = query.casefold()
    scored = [(score_of(candidate_of(hint.name), folded), hint.name) for hint in hints]
    return [name for _, name in sorted((score, name) for score, name in scored if score is not None)]


def _matches(path: str, query: str) -> bool:
    return score_of(candidate_of(path), query.casefold()) is not None
