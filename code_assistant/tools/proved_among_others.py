"""Parts that are proved to read, in a command of which others do more: they alone get the variables of their proof."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from code_assistant.permissions.shell.analysis import Member
from code_assistant.tools.command_places import CommandPlaces

ENV = "/usr/bin/env"
# Where a pipe begins, `time` is a word of the shell; elsewhere, or quoted, it is a program.
_BEGINNING = re.compile(r"(?:\A|[;\n]|&&|\|\|)[ \t]*\Z")


def can_be_given_settings() -> bool:
    return os.access(ENV, os.X_OK)


def wrappers_of(member: Member, members: Iterable[Member]) -> list[Member]:
    """Those around it, as in `timeout 5 nice ls`: they end with its very words."""
    size, end = len(member.words), member.words[-1].start
    return [each for each in members if len(each.words) > size and each.words[-1].start == end]


def is_word_of_shell(wrapper: Member, command: str) -> bool:
    """Whether it is the `time` of the shell itself."""
    first = wrapper.words[0]
    return first.text == "time" and "\\\n" not in command and _BEGINNING.search(command[: first.start]) is not None


def with_settings(
    command: str, members: Iterable[Member], everything: Sequence[Member], variables: Mapping[str, str]
) -> str:
    """The command, in which these members run with the variables, and everything else as it is written."""
    given = shlex.join((ENV, *(f"{name}={value}" for name, value in variables.items())))
    for start in sorted((_start(member, everything, command) for member in members), reverse=True):
        command = f"{command[:start]}{given} {command[start:]}"
    return command


def _start(member: Member, everything: Sequence[Member], command: str) -> int:
    """What is around it must be found in the folders of the system, too."""
    around = [each for each in wrappers_of(member, everything) if not is_word_of_shell(each, command)]
    return min(each.words[0].start for each in (member, *around))


def leaves_alone(repository: Path, places: CommandPlaces) -> bool:
    """Whether no place that a command is known to change, or could, is one in which git keeps what it goes by."""
    kept = repository / ".git"
    changes = places.changes
    named = (name for place in (*places.writes, *changes.sure, *changes.unsure) for name in place.names)
    taken = (name for place in changes.uprooted for name in place.names)
    return not any(path.is_relative_to(kept) for path in named) and not any(map(kept.is_relative_to, taken))
