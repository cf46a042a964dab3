"""The words that the tools for commands share."""

from __future__ import annotations

from code_assistant.workspace.commands.running import Command

# The arguments that a detail of ours shows.
COVERED = ("command", "cwd")


def joined(printed: str, *lines: str) -> str:
    """What was printed, and below it lines of our own."""
    above = printed if not printed or printed.endswith("\n") else f"{printed}\n"
    return above + "\n".join(lines)


def detail_of(command: Command, folder: str, printed: str) -> str:
    """For people: the command, where it ran, and as much of its output as one wants to see."""
    return f"$ {command.text}\nin {folder}\n\n{printed}".rstrip("\n")
