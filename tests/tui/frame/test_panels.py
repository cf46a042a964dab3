"""The todo list and the queue above the composer."""

from __future__ import annotations

from code_assistant.events import TodoItem, TodoStatus
from code_assistant.tui.frame.panels import TODO_ROWS, queue_rows, todo_rows
from code_assistant.tui.frame.spans import Span
from tests.tui.frame.states import TODO


def items(done: int, pending: int, current: int) -> list[TodoItem]:
    statuses: tuple[tuple[TodoStatus, int], ...] = (("completed", done), ("pending", pending), ("in_progress", current))
    return [TodoItem(f"item {number}", status) for status, count in statuses for number in range(count)]


def shown(rows: list[tuple[Span, Span]]) -> list[str]:
    return [f"{mark.text} {text.text}" for mark, text in rows]


def test_done_is_a_count_and_the_current_one_is_marked_and_first() -> None:
    assert shown(todo_rows(TODO)) == ["✓ 2 of 4 done", "◐ Round half to even", "○ Add tests"]


def test_a_long_list_stays_within_its_rows() -> None:
    for done in range(12):
        for pending in range(12):
            rows = todo_rows(items(done, pending, 1))
            assert len(rows) <= TODO_ROWS
            assert any(text.text.startswith("item") and mark.text == "◐" for mark, text in rows)
            listed = sum(text.text.startswith("item") for _, text in rows)
            more = next((int(text.text.split()[1]) for _, text in rows if text.text.startswith("and")), 0)
            assert listed + more == pending + 1


def test_everything_done_is_one_row() -> None:
    assert shown(todo_rows(items(2, 0, 0))) == ["✓ 2 of 2 done"]


def test_the_queue_shows_three_and_counts_the_rest() -> None:
    rows = queue_rows(["one", "two\nlines", "three", "four", "five"])
    assert shown(rows) == ["↳ one", "↳ two lines", "↳ three", "  and 2 more"]
    assert len(queue_rows(["one"])) == 1
    assert queue_rows([]) == []
