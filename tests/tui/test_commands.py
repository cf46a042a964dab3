"""The table of slash commands."""

from __future__ import annotations

from code_assistant.tui.commands import COMMANDS, LATER, find, unknown_words
from tests.rows import each_row

# What the product has in the end: each is there, or refused by its name.
ALL_OF_THEM = [
    "help",
    "model",
    "agents",
    "permissions",
    "theme",
    "resume",
    "rename",
    "fork",
    "new",
    "compact",
    "rewind",
    "undo",
    "cost",
    "context",
    "diff",
    "export",
    "copy",
    "init",
    "mcp",
    "doctor",
    "trust",
    "quit",
]


def test_every_command_of_the_product_is_there_or_refused_by_name() -> None:
    names = [each.name for each in COMMANDS]
    assert sorted([*names, *LATER]) == sorted(ALL_OF_THEM)


def test_no_name_is_used_twice_and_all_have_help() -> None:
    names = [name for each in COMMANDS for name in (each.name, *each.aliases)]
    assert len(names) == len({*names, *LATER}) - len(LATER)
    assert all(each.help for each in COMMANDS)


@each_row(
    ("line", "name", "argument"),
    [
        ("/help", "help", ""),
        ("/?", "help", ""),
        ("/HELP", "help", ""),
        ("/model", "model", ""),
        ("/model opus", "model", "opus"),
        ("/model   opus  4 ", "model", "opus  4"),
        ("/clear", "new", ""),
        ("/exit", "quit", ""),
    ],
)
def test_finding(line: str, name: str, argument: str) -> None:
    command, _, found = find(line)
    assert command is not None
    assert (command.name, found) == (name, argument)


@each_row("line", ["/", "/nothing", "/helpme", "/ help me", "/model\tx/y"])
def test_what_is_no_command(line: str) -> None:
    command, name, _ = find(line)
    assert command is None or command.name in {"help", "model"}
    assert unknown_words(name)


def test_words_for_what_is_not_there() -> None:
    assert unknown_words("mcp") == "/mcp is not available yet; the README lists what is still missing."
    assert unknown_words("modle") == "There is no command /modle. Did you mean /model?"
    assert unknown_words("zzz") == "There is no command /zzz. Type / to see all commands."
