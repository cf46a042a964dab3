"""What "always" may cover: how much of a command a rule may leave open without leaving everything open."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from code_assistant.permissions.shell.name_lists import names

_VERSIONED = re.compile(r"[0-9]+(?:\.[0-9]+)*\Z|-[0-9.]+\Z")


@dataclass(frozen=True, slots=True)
class _Prefixes:
    open_ended: frozenset[str]
    words: Mapping[str, int]
    commands: Mapping[str, frozenset[str]]


@lru_cache(maxsize=1)
def _prefixes() -> _Prefixes:
    read: dict[str, Any] = tomllib.loads((Path(__file__).parent / "prefixes.toml").read_text(encoding="utf-8"))
    return _Prefixes(
        open_ended=names(read["open_ended"]),
        words=read["words"],
        commands={name: names(commands) for name, commands in read["commands"].items()},
    )


def is_open_ended(words: Sequence[str]) -> bool:
    """Whether a rule for everything that begins with these words would be one for nearly anything."""
    if not words:
        return True
    name = words[0].rpartition("/")[2]
    table = _prefixes()
    if _is_narrow(table, name, words):
        return False
    is_named = name in table.open_ended or _VERSIONED.sub("", name) in table.open_ended
    # Of a program with commands of its own, the program alone says nothing.
    return is_named or "=" in name or name in table.commands


def useful_prefix(words: Sequence[str]) -> tuple[str, ...] | None:
    """The narrowest beginning that is worth keeping; None where only the exact command is."""
    if not words or "/" in words[0]:
        return None
    table, name = _prefixes(), words[0]
    if len(words) > 1 and words[1] in table.commands.get(name, ()):
        return tuple(words[:2])
    if name in table.open_ended or name not in table.words:
        return None
    return tuple(words[: table.words[name]])


def _is_narrow(table: _Prefixes, name: str, words: Sequence[str]) -> bool:
    return len(words) > 1 and words[1] in table.commands.get(name, ())
