"""The words that the tools for commands share."""

from __future__ import annotations

from code_assistant.workspace.commands.running import Command

DETAIL_HEAD_CHARACTERS = 5_000
DETAIL_TAIL_CHARACTERS = 15_000


def joined(printed: str, *lines: str) -> str:
    """What was printed, and below it lines of our own."""
    above = printed if not printed or printed.endswith("\n") else f"{printed}\n"
    return above + "\n".join(lines)


def detail_of(command: Command, folder: str, printed: str) -> str:
    """For people: the command, where it ran, and as much of its output as one wants to see."""
    if len(printed) > DETAIL_HEAD_CHARACTERS + DETAIL_TAIL_CHARACTERS:
        left_out = len(printed) - DETAIL_HEAD_CHARACTERS - DETAIL_TAIL_CHARACTERS
        head, tail = printed[:DETAIL_HEAD_CHARACTERS], printed[-DETAIL_TAIL_CHARACTERS:]
        printed = f"{head}\n[… {left_out:,} characters left out …]\n{tail}"
    return f"$ {command.text}\nin {folder}\n\n{printed}".rstrip("\n")
