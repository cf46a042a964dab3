"""What of git only reads: its commands by tables of their own, and no setting on the way."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

from code_assistant.permissions.shell.arguments import Refused, shown, sorted_arguments
from code_assistant.permissions.shell.operands import paths_among
from code_assistant.permissions.shell.tables import git_tables

_WITHOUT_PAGER = frozenset({"--no-pager", "-P", "--no-optional-locks"})
# Formats, and orders of branches and tags, that have a signature checked, which starts a program.
_SIGNATURE = re.compile(r"%[-+ ]?G|%\(\W*signature")
_SORTED = frozenset({"branch", "tag"})
# Options of a difference that say how it is shown; others may name what is compared.
_SHOWING = (
    *("--cached", "--staged", "--stat", "--numstat", "--shortstat", "--name-", "--color", "--no-color", "--word-diff"),
    *("--unified", "--ignore-", "--minimal", "--patience", "--histogram", "--patch", "--no-ext-diff", "--quiet"),
    *("--exit-code", "--check", "--diff-filter", "--relative", "--no-renames", "--find-renames", "--text", "--summary"),
    *("-p", "-u", "-U", "-w", "-b", "-M", "-C", "-R", "-a", "-z"),
)
# It may be given what is in a file, by its number: no option keeps that from being shown.
_SHOWS_ANYTHING = "show"


class GitReading(NamedTuple):
    """What a git command is given as paths, and whether it may show what is or was in files.

    It `shows_tracked` when these are of the index, the last commit, or what became of them.
    """

    paths: list[str]
    shows: bool
    shows_tracked: bool = False


def sorted_git(words: Sequence[str], loose: Set[str] = frozenset()) -> GitReading:
    """What a git command may read; raises Refused where it may do more. Which of the `loose` it gets is not known."""
    rest = list(words)
    while rest and rest[0] in _WITHOUT_PAGER:
        rest.pop(0)
    if not rest or rest[0].startswith("-"):
        raise Refused(f"git is given {shown(rest[0])} before its command" if rest else "git is given no command")
    tables = git_tables()
    longer = " ".join(rest[:2])
    command = longer if longer in tables else rest[0]
    table = tables.get(command)
    if table is None or not loose.isdisjoint(rest[: command.count(" ") + 1]):
        raise Refused(f"it is not known that git {shown(rest[0])} only reads")
    name = f"git {command}"
    arguments = sorted_arguments(name, table, rest[command.count(" ") + 1 :])
    for text in (*arguments.values, *arguments.operands):
        if _SIGNATURE.search(text) or (command in _SORTED and "signature" in text):
            raise Refused(f"{name} is given a format that starts a program")
    paths = paths_among(name, table, arguments, walks=False, loose=loose)
    if table.operands in ("revisions", "pattern"):
        operands = arguments.operands if table.operands == "revisions" else paths
        paths = [path for operand in operands for path in _paths_in(name, operand)]
    if command != _SHOWS_ANYTHING and table.names_only(arguments.options):
        return GitReading(paths, shows=False)
    # Anything else before the mark may be what was in a file at any time.
    after = rest[rest.index("--") + 1 :] if "--" in rest else []
    is_about_tracked = set(arguments.operands[: -len(after) or None]) <= {"HEAD"}
    is_plain = all(option.startswith(_SHOWING) for option in arguments.options)
    shows_tracked = command == "diff" and is_about_tracked and is_plain
    return GitReading(paths, shows=True, shows_tracked=shows_tracked)


def _paths_in(name: str, operand: str) -> list[str]:
    """A revision or a path, as a path; and the path after the colon of a revision."""
    if operand.startswith("/") or ".." in operand.split("/"):
        raise Refused(f"{name} is given {shown(operand)}, which may lie outside of the repository")
    _, colon, inside = operand.partition(":")
    if colon and (inside.startswith("/") or ".." in inside.split("/")):
        raise Refused(f"{name} is given {shown(operand)}, which may lie outside of the repository")
    return [part for part in (operand, inside) if part]
