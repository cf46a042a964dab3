"""What is completed at the cursor."""

from __future__ import annotations

from code_assistant.tui.composer.triggers import Completed, Trigger, completed_file, trigger_at
from tests.rows import each_row


@each_row(
    ("line", "expected"),
    [
        ("@|", Trigger("file", "", 0, 0, 1)),
        ("see @src/t|", Trigger("file", "src/t", 0, 4, 10)),
        ("(@a|", Trigger("file", "a", 0, 1, 3)),
        ('@"my d|', Trigger("file", "my d", 0, 0, 6)),
        ('@"my d|"', Trigger("file", "my d", 0, 0, 7)),
        ("@a| rest", Trigger("file", "a", 0, 0, 2)),
        ("me@example|", None),
        ("@a b|", None),
        ('@"a" b|', None),
        ("|@a", None),
        ("/|", Trigger("command", "", 0, 0, 1)),
        ("/he|", Trigger("command", "he", 0, 0, 3)),
        ("/help |", None),
        ("/usr/|", None),
        ("x /he|", None),
        ("|", None),
    ],
)
def test_the_word_at_the_cursor(line: str, expected: Trigger | None) -> None:
    column = line.index("|")
    assert trigger_at(line.replace("|", ""), 0, column) == expected


def test_commands_stand_at_the_very_beginning() -> None:
    assert trigger_at("/he", 1, 3) is None


@each_row(
    ("path", "expected"),
    [
        ("a.py", Completed("@a.py ")),
        ("a b.py", Completed('@"a b.py" ')),
        ("src/", Completed("@src/")),
        ("my docs/", Completed('@"my docs/"', 1)),
    ],
)
def test_paths_with_blanks_are_quoted(path: str, expected: Completed) -> None:
    assert completed_file(path) == expected
