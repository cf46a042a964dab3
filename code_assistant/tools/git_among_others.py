"""Git that only reads, in a command of which other parts do more: it alone gets the settings of its proof."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from code_assistant.permissions.access import Place
from code_assistant.permissions.shell.analysis import Member
from code_assistant.tools.command_places import CommandPlaces

# After it, what a wrapper such as `timeout` starts is still one program with its words.
ENV = "/usr/bin/env"
# At the top of a repository: its settings, and which submodules are to be looked into.
GOING_BY = (".git", ".gitmodules")


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
    kept = [repository / name for name in GOING_BY]
    changes = places.changes
    named: tuple[Iterable[Place], ...] = (
        places.writes,
        changes.sure,
        changes.copies,
        changes.unsure,
        (place for place, _ in (*changes.reworked, *changes.sifted)),
        (target for _, target in changes.merged),
    )
    taken: tuple[Iterable[Place], ...] = (changes.uprooted, (place for place, _ in changes.sifted))
    is_inside = any(path.is_relative_to(each) for path in _names(named) for each in kept)
    is_taken = any(each.is_relative_to(path) for path in _names(taken) for each in kept)
    return not (places.is_cut or places.is_too_long or is_inside or is_taken)


def _names(groups: Iterable[Iterable[Place]]) -> Iterator[Path]:
    return (name for places in groups for place in places for name in place.names)
