"""Parts that are proved to read, in a command of which others do more: they alone get the variables of their proof."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from code_assistant.permissions.shell.analysis import Member
from code_assistant.tools.command_places import CommandPlaces

# After it, what a wrapper such as `timeout` starts is still one program with its words.
ENV = "/usr/bin/env"


def can_be_given_settings() -> bool:
    return os.access(ENV, os.X_OK)


def with_settings(command: str, members: Iterable[Member], variables: Mapping[str, str]) -> str:
    """The command, in which these members run with the variables, and everything else as it is written."""
    given = shlex.join((ENV, *(f"{name}={value}" for name, value in variables.items())))
    for start in sorted((member.words[0].start for member in members), reverse=True):
        command = f"{command[:start]}{given} {command[start:]}"
    return command


def leaves_alone(repository: Path, places: CommandPlaces) -> bool:
    """Whether no place that a command is known to change, or could, is one in which git keeps what it goes by."""
    kept = repository / ".git"
    changes = places.changes
    named = (name for place in (*places.writes, *changes.sure, *changes.unsure) for name in place.names)
    taken = (name for place in changes.uprooted for name in place.names)
    return not any(path.is_relative_to(kept) for path in named) and not any(map(kept.is_relative_to, taken))
