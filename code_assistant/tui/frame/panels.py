"""What is pinned above the composer: the todo list, and the prompts that wait for their turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from code_assistant.tui.frame.drawn import DrawnRows
from code_assistant.tui.frame.spans import Role, Span, plain
from code_assistant.tui.rendering.wrapping import cut_to_cells
from code_assistant.tui.state import ScreenState

if TYPE_CHECKING:
    from code_assistant.events import TodoItem

TODO_ROWS = 6
QUEUE_ROWS = 3
TAKE_BACK = "queued · {key} takes them back"
# Below this, what was typed needs the room more than the hint does.
LEAST_PROMPT = 16


class TodoPanel(DrawnRows):
    """Hidden when there is nothing on the list, and when all is done and the turn is over."""

    DEFAULT_CSS = "TodoPanel { display: none; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: list[tuple[Span, Span]] = []
        self._items: tuple[TodoItem, ...] = ()
        self._is_working = False

    def show(self, state: ScreenState) -> None:
        is_working = state.working_since is not None
        # The list is replaced as a whole, so that comparing it costs nothing while it stays the same.
        if state.todo is self._items and is_working == self._is_working:
            return
        self._items, self._is_working = state.todo, is_working
        self._rows = todo_rows(state.todo) if _is_of_interest(state.todo, is_working) else []
        self.set_height(len(self._rows))
        self.refresh()

    def spans_at(self, row: int, width: int) -> list[Span]:
        return _marked(*self._rows[row], width) if row < len(self._rows) else []


class QueuePanel(DrawnRows):
    """One row for each of the first prompts that wait."""

    DEFAULT_CSS = "QueuePanel { display: none; }"

    def __init__(self, *, hint: str = TAKE_BACK.format(key="up"), id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._hint = plain(hint)
        self._queue: list[str] = []
        self._rows: list[tuple[Span, Span]] = []

    def show(self, state: ScreenState) -> None:
        queue = [*(text for _, text in state.queue), *state.early]
        if queue == self._queue:
            return
        self._queue = queue
        self._rows = queue_rows(queue)
        self.set_height(len(self._rows))
        self.refresh()

    def spans_at(self, row: int, width: int) -> list[Span]:
        if row >= len(self._rows):
            return []
        mark, text = self._rows[row]
        hint_cells = cell_len(self._hint) + 2
        if row or width - hint_cells < LEAST_PROMPT + 4:
            return _marked(mark, text, width)
        spans = _marked(mark, text, width - hint_cells)
        free = width - 1 - cell_len(self._hint) - sum(cell_len(span.text) for span in spans)
        return [*spans, Span(" " * free), Span(self._hint, "muted", "queue")]


def todo_rows(items: Sequence[TodoItem]) -> list[tuple[Span, Span]]:
    """Marks and texts: the done ones as a count, then what is worked on and what is to come."""
    done = sum(item.status == "completed" for item in items)
    open_items = [item for item in items if item.status != "completed"]
    # What is worked on must be in sight, however long the list before it.
    open_items.sort(key=lambda item: item.status != "in_progress")
    rows: list[tuple[Span, Span]] = []
    if done:
        rows.append((Span("✓", "success"), Span(f"{done} of {len(items)} done", "muted")))
    room = TODO_ROWS - len(rows)
    shown = open_items if len(open_items) <= room else open_items[: room - 1]
    rows += [_todo_row(item) for item in shown]
    if left := len(open_items) - len(shown):
        rows.append((Span(" "), Span(f"and {left} more", "muted")))
    return rows


def queue_rows(prompts: Sequence[str]) -> list[tuple[Span, Span]]:
    rows = [(Span("↳", "muted"), Span(plain(prompt) or "(empty)", "key")) for prompt in prompts[:QUEUE_ROWS]]
    if left := len(prompts) - len(rows):
        rows.append((Span(" "), Span(f"and {left} more", "muted")))
    return rows


def _is_of_interest(items: Sequence[TodoItem], is_working: bool) -> bool:
    return bool(items) and (is_working or any(item.status != "completed" for item in items))


def _todo_row(item: TodoItem) -> tuple[Span, Span]:
    is_current = item.status == "in_progress"
    role: Role = "strong" if is_current else "text"
    mark = Span("◐", "accent") if is_current else Span("○", "muted")
    return mark, Span(plain(item.text) or "(empty)", role)


def _marked(mark: Span, text: Span, width: int) -> list[Span]:
    room = max(width - 4, 1)
    return [Span(" "), mark, Span(" "), text._replace(text=cut_to_cells(text.text, room))]
