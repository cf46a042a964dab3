"""How an end, a time and a command are said."""

from __future__ import annotations

from code_assistant.workspace.commands.ending import Ending, plain_duration
from code_assistant.workspace.commands.names import short_command
from tests.rows import each_row


@each_row(
    ("ending", "words", "is_good"),
    [
        (Ending(0, 1), "exit code 0", True),
        (Ending(3, 1), "exit code 3", False),
        (Ending(-15, 1), "ended by SIGTERM", False),
        (Ending(-64, 1), "ended by SIGRTMAX", False),
        (Ending(-63, 1), "ended by signal 63", False),
        (Ending(None, 1), "ended", False),
        (Ending(0, 1, watch_was_killed=True), "ended abnormally", False),
        (Ending(0, 1, may_live_on=True), "exit code 0", False),
        (Ending(0, 1, left_running=True), "exit code 0", True),
    ],
)
def test_endings(ending: Ending, words: str, is_good: bool) -> None:
    assert (ending.words, ending.is_good) == (words, is_good)


def test_remarks() -> None:
    assert Ending(0, 1).remarks == ()
    ending = Ending(None, 1, left_running=True, watch_was_killed=True, may_live_on=True)
    assert [remark.partition(" ")[0] for remark in ending.remarks] == ["Processes", "The", "Some"]


@each_row(
    ("seconds", "words"),
    [(0, "0.0 s"), (0.25, "0.2 s"), (59.94, "59.9 s"), (59.96, "1 min 0 s"), (185.4, "3 min 5 s")],
)
def test_durations(seconds: float, words: str) -> None:
    assert plain_duration(seconds) == words


@each_row(
    ("text", "short"),
    [
        ("make test", "make test"),
        ("\n\n  make test  \n", "make test"),
        ("cd x\nmake", "cd x …"),
        ("x" * 200, "x" * 100 + "…"),
        ("", ""),
    ],
)
def test_commands_in_one_line(text: str, short: str) -> None:
    assert short_command(text) == short
