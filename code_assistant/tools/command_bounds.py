"""How much of the file system a command's words may have us look at, before it is not worth it."""

from __future__ import annotations

from collections.abc import Iterator

from code_assistant.permissions.command_rules import FOLDER_CHANGING
from code_assistant.permissions.shell.analysis import Analysis, Member, Word
from code_assistant.tools.command_places import FOLDER_OPTIONS

# Parts of paths: each is looked at by itself, for every folder that the words may count from.
MOST_PARTS = 40_000


def has_too_many_parts(analysis: Analysis, most: int = MOST_PARTS) -> bool:
    """Counted by the text alone: names times the folders that they may count from, and how deep those lie."""
    names = {word for member in analysis.members for word in _names(member)}
    changes = {word for member in analysis.members for word in _folder_changes(member)}
    count, parts = len(names), sum(map(_depth, names))
    if analysis.obstacle is not None:
        # What stands in it is looked at once more, in pieces.
        count += len(analysis.command.split())
        parts += analysis.command.count("/")
    return (1 + len(changes)) * (parts + count * sum(map(_depth, changes))) > most


def _depth(word: Word) -> int:
    return word.text.count("/") + 1


def _names(member: Member) -> Iterator[Word]:
    yield from member.words
    yield from (redirection.target for redirection in member.redirections)


def _folder_changes(member: Member) -> tuple[Word, ...]:
    if member.program in FOLDER_CHANGING:
        return member.words[1:]
    return tuple(word for word in member.words if word.text.startswith(FOLDER_OPTIONS))
